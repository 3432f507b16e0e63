# Writes OUTPUT, the definitions of profiling/build_info.hpp, for the sources in SOURCE_DIR.
execute_process(
  COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --match=NeVeRmAtCh
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
  RESULT_VARIABLE status)
# A source archive has no history.
if(NOT status EQUAL 0)
  set(commit "")
endif()
set(content "#include \"profiling/build_info.hpp\"

namespace perfmodel::profiling {

std::string_view build_version() { return \"${VERSION}\"; }
std::string_view build_commit() { return \"${commit}\"; }

}  // namespace perfmodel::profiling
")
set(existing "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} existing)
endif()
if(NOT existing STREQUAL content)
  file(WRITE ${OUTPUT} "${content}")
endif()
