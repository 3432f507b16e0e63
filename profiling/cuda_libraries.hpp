#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace perfmodel::profiling {

/// Where shared libraries of CUDA are looked for, in this order.
struct CudaLibraryPlaces {
  std::vector<std::filesystem::path> loader_folders;
  std::vector<std::filesystem::path> toolkit_roots;  ///< CUDA Toolkits, with a folder `lib64`
  std::vector<std::filesystem::path> python_roots;   ///< prefixes of Python installations
};

/// The places of this machine: LD_LIBRARY_PATH and the loader's usual folders, then the toolkits
/// and wheels of `sass::tool_places`.
CudaLibraryPlaces cuda_library_places();

/// The files whose names begin so, each folder's sorted: "libcupti.so" finds libcupti.so.13.
std::vector<std::filesystem::path> find_cuda_libraries(const CudaLibraryPlaces& places,
                                                       std::string_view beginning);

}  // namespace perfmodel::profiling
