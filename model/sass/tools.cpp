#include "model/sass/tools.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

namespace fs = std::filesystem;

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_program_file(const fs::path& path) {
  std::error_code status;
  return fs::is_regular_file(path, status);
}

bool may_execute(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

std::vector<fs::path> sorted_entries(const fs::path& folder, std::string_view beginning) {
  std::vector<fs::path> found;
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(folder, status)) {
    if (entry.path().filename().string().starts_with(beginning)) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

const char* variable_of(CudaTool tool) {
  return tool == CudaTool::nvdisasm ? "PERFMODEL_NVDISASM" : "PERFMODEL_CUOBJDUMP";
}

const char* purpose_of(CudaTool tool) {
  return tool == CudaTool::nvdisasm ? "reads machine code"
                                    : "takes machine code out of programs and fatbins";
}

/// The set-up command's folder: of the source tree that this was built from, and, for a tree that
/// was moved, below the folders above the program.
std::vector<fs::path> setup_folders() {
  std::vector<fs::path> folders{fs::path(PERFMODEL_TOOLS_FOLDER)};
  std::error_code status;
  const fs::path program = fs::read_symlink("/proc/self/exe", status);
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    folders.push_back(folder / "build" / "cuda-tools");
  }
  return folders;
}

ToolSearch search_override(CudaTool tool, const fs::path& given) {
  if (!is_program_file(given)) {
    return {std::nullopt,
            fmt::format("{} names '{}', which is no file", variable_of(tool),
                        printable(given.string())),
            fmt::format("correct or unset {}", variable_of(tool))};
  }
  if (!may_execute(given)) {
    return {std::nullopt, fmt::format("{} may not be executed", given.string()),
            fmt::format("chmod +x '{}'", given.string())};
  }
  return {given, "", ""};
}

}  // namespace

const char* tool_name(CudaTool tool) {
  return tool == CudaTool::nvdisasm ? "nvdisasm" : "cuobjdump";
}

std::string tool_remedy(CudaTool tool) {
  return fmt::format(
      "run scripts/setup.sh, or 'pip install nvidia-cuda-{0}', or install the CUDA Toolkit; {1} "
      "may name the program",
      tool_name(tool), variable_of(tool));
}

ToolPlaces tool_places() {
  ToolPlaces places;
  places.nvdisasm = environment_text("PERFMODEL_NVDISASM");
  places.cuobjdump = environment_text("PERFMODEL_CUOBJDUMP");
  for (const std::string& folder : split(environment_text("PATH"), ':')) {
    if (!folder.empty()) {
      places.program_folders.emplace_back(folder);
    }
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = environment_text(variable); !root.empty()) {
      places.toolkit_roots.emplace_back(root);
    }
  }
  places.toolkit_roots.emplace_back("/usr/local/cuda");
  places.python_roots = setup_folders();
  if (const std::string root = environment_text("VIRTUAL_ENV"); !root.empty()) {
    places.python_roots.emplace_back(root);
  }
  if (const std::string home = environment_text("HOME"); !home.empty()) {
    places.python_roots.push_back(fs::path(home) / ".local");
  }
  places.python_roots.insert(places.python_roots.end(), {"/usr/local", "/usr"});
  return places;
}

std::vector<fs::path> wheel_folders(const std::vector<fs::path>& roots, const std::string& kind) {
  std::vector<fs::path> folders;
  for (const fs::path& root : roots) {
    for (const fs::path& python : sorted_entries(root / "lib", "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const fs::path& part : sorted_entries(python / packages / "nvidia", "")) {
          folders.push_back(part / kind);
        }
      }
    }
  }
  return folders;
}

ToolSearch search_tool(CudaTool tool, const ToolPlaces& places) {
  const fs::path& given = tool == CudaTool::nvdisasm ? places.nvdisasm : places.cuobjdump;
  if (!given.empty()) {
    return search_override(tool, given);
  }
  std::vector<fs::path> folders = places.program_folders;
  for (const fs::path& root : places.toolkit_roots) {
    folders.push_back(root / "bin");
  }
  const std::vector<fs::path> wheels = wheel_folders(places.python_roots, "bin");
  folders.insert(folders.end(), wheels.begin(), wheels.end());
  fs::path locked;
  for (const fs::path& folder : folders) {
    const fs::path program = folder / tool_name(tool);
    if (!is_program_file(program)) {
      continue;
    }
    if (may_execute(program)) {
      return {program, "", ""};
    }
    if (locked.empty()) {
      locked = program;
    }
  }
  if (!locked.empty()) {  // wheels of some versions lack the execute bit
    return {std::nullopt, fmt::format("{} may not be executed", locked.string()),
            fmt::format("chmod +x '{}'", locked.string())};
  }
  return {std::nullopt,
          fmt::format("neither on PATH nor in a CUDA Toolkit or wheel; it {}", purpose_of(tool)),
          tool_remedy(tool)};
}

fs::path require_tool(CudaTool tool, const ToolPlaces& places) {
  ToolSearch search = search_tool(tool, places);
  if (!search.program) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{}: {}: {}", tool_name(tool), search.problem, search.remedy));
  }
  return *search.program;
}

}  // namespace perfmodel::sass
