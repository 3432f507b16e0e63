#include "app/specs_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "model/error.hpp"

namespace perfmodel::app {
namespace {

bool holds_specs(const std::filesystem::path& folder) {
  std::error_code status;
  return std::filesystem::is_directory(folder / "devices", status) &&
         std::filesystem::is_directory(folder / "kernels", status);
}

}  // namespace

std::filesystem::path find_specs(const std::string& given) {
  const char* from_environment = std::getenv("PERFMODEL_SPECS");
  const bool has_environment = from_environment != nullptr && *from_environment != '\0';
  if (!given.empty() || has_environment) {
    const std::filesystem::path folder = given.empty() ? from_environment : given;
    if (!holds_specs(folder)) {
      fail(
          fmt::format("{}: holds no 'devices' and 'kernels' folders; {} must name a folder of "
                      "specifications",
                      folder.string(), given.empty() ? "PERFMODEL_SPECS" : "--specs"));
    }
    return folder;
  }
  std::error_code status;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", status);
  for (std::filesystem::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    for (const char* below : {"share/perfmodel/specs", "specs"}) {
      if (holds_specs(folder / below)) {
        return folder / below;
      }
    }
  }
  fail(
      "no specifications found beside the program; name their folder with --specs or "
      "PERFMODEL_SPECS");
}

}  // namespace perfmodel::app
