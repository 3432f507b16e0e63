#include "profiling/counters/cupti_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "model/text.hpp"
#include "profiling/cuda_libraries.hpp"

namespace perfmodel::profiling {
namespace {

/// CUPTI asks the loader for this library by its bare name, which works only where it is loaded
/// already or lies in the loader's folders.
void load_helper_beside(const std::filesystem::path& cupti) {
  const std::filesystem::path helper = cupti.parent_path() / "libnvperf_host.so";
  if (cupti.has_parent_path() && std::filesystem::exists(helper)) {
    dlopen(helper.c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
}

}  // namespace

std::vector<std::filesystem::path> cupti_places() {
  if (const char* const named = std::getenv("PERFMODEL_CUPTI");
      named != nullptr && *named != '\0') {
    return {named};
  }
  std::vector<std::filesystem::path> places;
  // The version that this program was built for first, then whatever else there is.
  const std::string soname = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
  for (const std::string& name : {soname, std::string("libcupti.so")}) {
    for (const std::filesystem::path& file : find_cuda_libraries(cuda_library_places(), name)) {
      places.push_back(file);
    }
    places.emplace_back(name);
  }
  return places;
}

std::shared_ptr<const CuptiApi> open_cupti(const std::vector<std::filesystem::path>& places) {
  std::vector<std::string> tried;
  for (const std::filesystem::path& place : places) {
    load_helper_beside(place);
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const why = dlerror();
      tried.emplace_back(why == nullptr ? place.string() : why);
      continue;
    }
    if (dlsym(handle, "cuptiRangeProfilerEnable") == nullptr) {
      tried.push_back(fmt::format("{} is older than CUDA 12.6", place.string()));
      dlclose(handle);
      continue;
    }
    return std::make_shared<CuptiApi>(
        CuptiApi{[handle](const char* name) { return dlsym(handle, name); }});
  }
  constexpr std::size_t longest = 600;
  throw CounterRefused(refusal_without_code(RefusalKind::no_library,
                                            fmt::format("No usable CUPTI library was found ({}).",
                                                        printable(join(tried, "; "), longest))));
}

}  // namespace perfmodel::profiling
