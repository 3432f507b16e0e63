#include "model/error.hpp"
#include "profiling/microbench_runner.hpp"

namespace perfmodel::profiling {

std::unique_ptr<MicrobenchRunner> open_microbench_runner(const LiveDevice& /*device*/,
                                                         const Device& /*model*/) {
  throw Error(ErrorKind::unavailable, "this perfmodel was built without CUDA");
}

}  // namespace perfmodel::profiling
