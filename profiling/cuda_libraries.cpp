#include "profiling/cuda_libraries.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "model/sass/tools.hpp"
#include "model/text.hpp"

namespace perfmodel::profiling {

namespace fs = std::filesystem;

CudaLibraryPlaces cuda_library_places() {
  CudaLibraryPlaces places;
  if (const char* const folders = std::getenv("LD_LIBRARY_PATH"); folders != nullptr) {
    for (const std::string& folder : split(folders, ':')) {
      if (!folder.empty()) {
        places.loader_folders.emplace_back(folder);
      }
    }
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64", "/usr/local/lib", "/usr/lib"}) {
    places.loader_folders.emplace_back(folder);
  }
  sass::ToolPlaces tools = sass::tool_places();
  places.toolkit_roots = std::move(tools.toolkit_roots);
  places.python_roots = std::move(tools.python_roots);
  return places;
}

std::vector<fs::path> find_cuda_libraries(const CudaLibraryPlaces& places,
                                          std::string_view beginning) {
  std::vector<fs::path> folders = places.loader_folders;
  for (const fs::path& root : places.toolkit_roots) {
    for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                              "extras/CUPTI/lib64"}) {
      folders.push_back(root / below);
    }
  }
  for (const fs::path& folder : sass::wheel_folders(places.python_roots, "lib")) {
    folders.push_back(folder);
  }
  std::vector<fs::path> found;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> here;
    std::error_code status;
    for (const auto& entry : fs::directory_iterator(folder, status)) {
      if (entry.path().filename().string().starts_with(beginning)) {
        here.push_back(entry.path());
      }
    }
    std::ranges::sort(here);
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

}  // namespace perfmodel::profiling
