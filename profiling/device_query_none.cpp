#include "profiling/device_query.hpp"

namespace perfmodel::profiling {

Answer<LiveDevices> query_devices() {
  return Absence{AbsenceKind::not_built,
                 "this perfmodel was built without CUDA; configure it where nvcc is found"};
}

}  // namespace perfmodel::profiling
