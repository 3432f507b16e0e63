#include "model/sass/load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "model/error.hpp"
#include "model/sass/disassembler.hpp"
#include "model/sass/elf.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/listing_file.hpp"
#include "model/sass/program.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_listing_bytes = std::size_t{256} << 20U;
constexpr std::size_t largest_cubin_bytes = std::size_t{2} << 30U;

enum class Content : std::uint8_t { cubin, container, text };

/// A folder of its own that goes away with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code status;
    const fs::path parent = fs::temp_directory_path(status);
    std::string pattern = (parent / "perfmodel-XXXXXX").string();
    if (status || mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("{}: no temporary folder can be made there: {}; set TMPDIR",
                              parent.string(), status ? status.message() : std::strerror(errno)));
    }
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Throws where the file is none that could be read.
void require_readable(const fs::path& path) {
  std::error_code status;
  if (!fs::exists(path, status)) {
    fail(fmt::format("{}: no such file", path.string()));
  }
  if (fs::is_directory(path, status)) {
    fail(fmt::format("{}: is a folder; name a cubin, program or listing in it", path.string()));
  }
  if (access(path.c_str(), R_OK) != 0) {
    fail(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  if (!fs::is_regular_file(path, status)) {
    fail(fmt::format("{}: is no regular file", path.string()));
  }
  if (fs::file_size(path, status) == 0) {
    fail(fmt::format("{}: is empty", path.string()));
  }
}

std::string beginning_of(const fs::path& path) {
  constexpr std::size_t length = 4096;
  std::string bytes(length, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

std::vector<std::byte> bytes_of_file(const fs::path& path) {
  std::error_code status;
  const auto size = fs::file_size(path, status);
  if (status || size > largest_cubin_bytes) {
    fail(fmt::format("{}: cannot be read: {}", path.string(),
                     status ? status.message() : fmt::format("{} bytes", size)));
  }
  std::vector<std::byte> bytes(size);
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size()) {
    fail(fmt::format("{}: cannot be read", path.string()));
  }
  return bytes;
}

Content content_of(const fs::path& path) {
  const std::string beginning = beginning_of(path);
  const auto bytes = std::as_bytes(std::span(beginning));
  constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";
  constexpr std::string_view archive_magic = "!<arch>\n";
  constexpr std::string_view gzip_magic = "\x1f\x8b";
  if (is_cubin(bytes)) {
    return Content::cubin;
  }
  if (is_elf(bytes) || beginning.starts_with(fatbin_magic) ||
      beginning.starts_with(archive_magic)) {
    return Content::container;
  }
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  const char head = first == std::string::npos ? '\0' : beginning[first];
  if (beginning.starts_with(gzip_magic) || head == '{' || head == '[') {
    return Content::text;
  }
  if (beginning.find(".version") != std::string::npos &&
      beginning.find(".target") != std::string::npos) {
    fail(
        fmt::format("{}: is PTX, which is not what a GPU executes; compile it with 'ptxas -arch "
                    "sm_NN' or 'nvcc -cubin -arch sm_NN'",
                    path.string()));
  }
  fail(
      fmt::format("{}: holds no machine code of NVIDIA GPUs: neither a cubin, a fatbin, a program, "
                  "an archive nor a listing",
                  path.string()));
}

/// 90 for "sm_90", "sm_90a", "90".
int parse_architecture(const std::string& arch) {
  constexpr std::string_view prefix = "sm_";
  const std::size_t begin = arch.starts_with(prefix) ? prefix.size() : 0;
  int sm = 0;
  const char* end = arch.data() + arch.size();
  const auto [stop, status] = std::from_chars(arch.data() + begin, end, sm);
  const bool variant = stop + 1 == end && (*stop == 'a' || *stop == 'f');
  if (status != std::errc() || sm <= 0 || (stop != end && !variant)) {
    fail(fmt::format("'{}' is no architecture; write it like sm_90", printable(arch)));
  }
  return sm;
}

[[noreturn]] void fail_without_architecture(const fs::path& path, int wanted,
                                            const std::set<int>& present) {
  std::vector<std::string> names;
  for (const int sm : present) {
    names.push_back(fmt::format("sm_{}", sm));
  }
  fail(fmt::format("{}: holds no code for sm_{}, only for {}; compile it with '-arch sm_{}'",
                   path.string(), wanted, join(names), wanted));
}

/// The cubins of a container lie in `scratch` as long as that lives.
std::vector<fs::path> extract_cubins(const fs::path& path, const ScratchFolder& scratch,
                                     const ToolPlaces& tools) {
  const fs::path program = require_tool(CudaTool::cuobjdump, tools);
  // cuobjdump makes the names of what it writes from that of its input.
  const std::string input = "input";
  std::error_code status;
  // Resolved here: /proc/self/exe would be another program there.
  fs::create_symlink(fs::canonical(path), scratch.path() / input, status);
  if (status) {
    throw Error(ErrorKind::unavailable, fmt::format("{}: cannot be written to: {}; set TMPDIR",
                                                    scratch.path().string(), status.message()));
  }
  const std::vector<std::string> extract{"-xelf", "all", input};
  const ProgramResult result = run_program(program, extract, scratch.path());
  struct Numbered {
    int number = 0;
    fs::path path;
  };
  std::vector<Numbered> found;
  for (const auto& entry : fs::directory_iterator(scratch.path())) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_symlink() && name.ends_with(".cubin")) {
      // "input.12.sm_90.cubin"
      Numbered numbered{0, entry.path()};
      const std::size_t digits = std::min(name.find('.') + 1, name.size());
      std::from_chars(name.data() + digits, name.data() + name.size(), numbered.number);
      found.push_back(std::move(numbered));
    }
  }
  if (found.empty()) {
    const std::vector<std::string> list_ptx{"-lptx", input};
    const ProgramResult ptx = run_program(program, list_ptx, scratch.path());
    if (ptx.output.find("PTX file") != std::string::npos) {
      fail(
          fmt::format("{}: holds only PTX, which is compiled when it is loaded; compile it for an "
                      "architecture: 'nvcc -arch sm_NN'",
                      path.string()));
    }
    if (result.errors.find("does not contain device code") != std::string::npos) {
      fail(
          fmt::format("{}: holds no device code; name the program or library that has the kernels "
                      "in it",
                      path.string()));
    }
    // It knows the file by the name that it was given here.
    std::string said = first_line(result.errors);
    const std::string place = (scratch.path() / input).string();
    if (const std::size_t start = said.find(place); start != std::string::npos) {
      said.replace(start, place.size(), path.filename().string());
    }
    fail(fmt::format(
        "{}: no machine code can be taken out of it, it may be cut short: {} (status {} "
        "of {})",
        path.string(), said, result.status, program.string()));
  }
  std::ranges::sort(found, [](const Numbered& a, const Numbered& b) {
    return std::tie(a.number, a.path) < std::tie(b.number, b.path);
  });
  std::vector<fs::path> cubins;
  for (Numbered& cubin : found) {
    cubins.push_back(std::move(cubin.path));
  }
  return cubins;
}

struct CubinFile {
  Cubin cubin;
  fs::path path;
  std::string name;  ///< for messages
};

/// The cubins of a file, described but not disassembled. Those of a container are named after it
/// in messages and lie in `scratch` as long as that lives.
std::vector<CubinFile> read_cubins(const fs::path& path, Content content,
                                   std::optional<ScratchFolder>& scratch, const ToolPlaces& tools) {
  std::vector<CubinFile> cubins;
  if (content == Content::cubin) {
    cubins.push_back({read_cubin(bytes_of_file(path), path.string()), path, path.string()});
    if (cubins.front().cubin.module.functions.empty()) {
      fail(fmt::format("{}: holds no functions", path.string()));
    }
    return cubins;
  }
  for (const fs::path& extracted : extract_cubins(path, scratch.emplace(), tools)) {
    const std::string name = fmt::format("{} ({})", path.string(), extracted.filename().string());
    cubins.push_back({read_cubin(bytes_of_file(extracted), name), extracted, name});
  }
  // Every program brings one without code along.
  std::erase_if(cubins, [](const CubinFile& item) { return item.cubin.module.functions.empty(); });
  if (cubins.empty()) {
    fail(fmt::format("{}: its device code holds no functions", path.string()));
  }
  return cubins;
}

/// What a listing holds, stored or bare.
std::vector<Module> read_text_modules(const fs::path& path) {
  const std::string text = read_plain_or_gzip(path, largest_listing_bytes);
  if (is_disassembly(text)) {
    std::vector<Module> modules;
    modules.push_back(parse_disassembly(text, path.string()));
    return modules;
  }
  return parse_listing(text, path.string());
}

/// The names of the kernels of all modules, and which module and function each is.
class KernelIndex {
 public:
  void add(std::size_t module_index, const Module& module) {
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (module.functions[i].kernel) {
        const std::string& name = module.functions[i].name;
        if (places_.emplace(name, Places{}).second) {
          names_.push_back(name);
        }
        places_[name].emplace_back(module_index, i);
      }
    }
  }

  using Places = std::vector<std::pair<std::size_t, std::size_t>>;
  /// Where the one kernel that is meant stands: modules and functions.
  [[nodiscard]] const Places& find(const fs::path& path, const std::string& wanted) const {
    try {
      return places_.at(names_[find_name(names_, wanted)]);
    } catch (const Error& error) {
      fail(fmt::format("{}: {}", path.string(), error.what()));
    }
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, Places> places_;
};

/// Throws where none of the items is for the wanted architecture; otherwise removes the others.
/// `sm_of` gives an item's.
template <typename Item, typename SmOf>
void keep_architecture(std::vector<Item>& items, const fs::path& path,
                       const std::optional<std::string>& arch, SmOf sm_of) {
  if (!arch) {
    return;
  }
  const int wanted = parse_architecture(*arch);
  std::set<int> present;
  for (const Item& item : items) {
    present.insert(sm_of(item));
  }
  if (!present.contains(wanted)) {
    fail_without_architecture(path, wanted, present);
  }
  std::erase_if(items, [&](const Item& item) { return sm_of(item) != wanted; });
}

std::vector<Module> load_text(const fs::path& path, const LoadOptions& options) {
  std::vector<Module> modules = read_text_modules(path);
  keep_architecture(modules, path, options.arch, [](const Module& module) { return module.sm; });
  if (!options.kernel) {
    return modules;
  }
  KernelIndex index;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    index.add(i, modules[i]);
  }
  std::vector<Module> found;
  for (const auto& [module_index, function_index] : index.find(path, *options.kernel)) {
    Module& module = modules[module_index];
    Function function = std::move(module.functions[function_index]);
    module.functions.clear();
    module.functions.push_back(std::move(function));
    found.push_back(std::move(module));
  }
  return found;
}

std::vector<Module> load_cubins(const fs::path& path, Content content, const LoadOptions& options) {
  std::optional<ScratchFolder> scratch;  // only for what has to be extracted
  std::vector<CubinFile> cubins = read_cubins(path, content, scratch, options.tools);
  keep_architecture(cubins, path, options.arch,
                    [](const CubinFile& item) { return item.cubin.module.sm; });
  std::vector<Module> modules;
  if (!options.kernel) {
    for (CubinFile& item : cubins) {
      modules.push_back(disassemble(std::move(item.cubin), item.path, item.name, options.tools));
    }
    return modules;
  }
  KernelIndex index;
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    index.add(i, cubins[i].cubin.module);
  }
  for (const auto& [cubin, function] : index.find(path, *options.kernel)) {
    CubinFile& item = cubins[cubin];
    modules.push_back(
        disassemble(std::move(item.cubin), item.path, item.name, options.tools, function));
  }
  return modules;
}

void append_summaries(const Module& module, std::vector<KernelSummary>& summaries) {
  for (const Function& function : module.functions) {
    if (function.kernel) {
      summaries.push_back({function.name, demangled(function.name), module.arch, function.described,
                           function.registers, own_static_shared_bytes(module.sm, function),
                           function.local_bytes, function.max_threads, function.parameters});
    }
  }
}

}  // namespace

std::vector<Module> load_modules(const fs::path& path, const LoadOptions& options) {
  require_readable(path);
  const Content content = content_of(path);
  return content == Content::text ? load_text(path, options) : load_cubins(path, content, options);
}

std::vector<KernelSummary> list_kernels(const fs::path& path, const ToolPlaces& tools,
                                        const std::optional<std::string>& arch) {
  require_readable(path);
  const Content content = content_of(path);
  std::vector<KernelSummary> summaries;
  if (content == Content::text) {
    std::vector<Module> modules = read_text_modules(path);
    keep_architecture(modules, path, arch, [](const Module& module) { return module.sm; });
    for (const Module& module : modules) {
      append_summaries(module, summaries);
    }
    return summaries;
  }
  std::optional<ScratchFolder> scratch;  // only for what has to be extracted
  std::vector<CubinFile> cubins = read_cubins(path, content, scratch, tools);
  keep_architecture(cubins, path, arch, [](const CubinFile& item) { return item.cubin.module.sm; });
  for (const CubinFile& item : cubins) {
    append_summaries(item.cubin.module, summaries);
  }
  return summaries;
}

}  // namespace perfmodel::sass
