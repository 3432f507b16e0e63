#include "model/error.hpp"
#include "profiling/runner.hpp"

namespace perfmodel::profiling {

std::unique_ptr<Runner> open_runner(const LiveDevice& /*device*/, const Answer<Nvml>& /*nvml*/) {
  throw Error(ErrorKind::unavailable, "this perfmodel was built without CUDA");
}

}  // namespace perfmodel::profiling
