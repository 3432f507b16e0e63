# Writes OUTPUT, the definitions of reports/page_assets.hpp, from the files in FOLDER and CHART_JS,
# which may be empty or not found.
function(add_asset name file)
  set(bytes "0")
  set(hash "")
  set(size 0)
  if(EXISTS "${file}")
    file(READ "${file}" hex HEX)
    file(SIZE "${file}" size)
    file(SHA256 "${file}" hash)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
           bytes "${bytes}")
  endif()
  file(APPEND ${OUTPUT}.new "
namespace {
constexpr unsigned char ${name}_bytes[] = {
${bytes}};
}
PageAsset ${name}() {
  return {std::string_view(reinterpret_cast<const char*>(${name}_bytes), ${size}), \"${hash}\"};
}
")
endfunction()

file(WRITE ${OUTPUT}.new "#include \"reports/page_assets.hpp\"

namespace perfmodel::reports {
")
add_asset(page_markup ${FOLDER}/page.html)
add_asset(page_style ${FOLDER}/page.css)
add_asset(page_script ${FOLDER}/page.js)
add_asset(chart_library "${CHART_JS}")
add_asset(chart_licence ${FOLDER}/chart-js-licence.txt)
file(APPEND ${OUTPUT}.new "
}  // namespace perfmodel::reports
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
