#include "profiling/counters/kernel_tracer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

#include "profiling/counters/cupti_api.hpp"

namespace perfmodel::profiling {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t buffer_alignment = 8;

/// CUPTI's callbacks carry no pointer of ours, so what they need is here.
struct Trace {
  std::mutex mutex;
  const CuptiApi* api = nullptr;
  std::uint64_t begin_ns = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end_ns = 0;

  void clear() {
    const std::scoped_lock lock(mutex);
    begin_ns = std::numeric_limits<std::uint64_t>::max();
    end_ns = 0;
  }
};

Trace& trace() {
  static Trace instance;
  return instance;
}

void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  // CUPTI hands it back to take_buffer. NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *bytes = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;  // as many as fit
}

void take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                 std::size_t /*bytes*/, std::size_t valid_bytes) {
  const std::scoped_lock lock(trace().mutex);
  CUpti_Activity* record = nullptr;
  while (trace().api != nullptr && trace().api->activity_get_next_record.attempt(
                                       buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
        record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
      // The times stand at the same place in every version of the record.
      const auto* const kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      trace().begin_ns = std::min<std::uint64_t>(trace().begin_ns, kernel->start);
      trace().end_ns = std::max<std::uint64_t>(trace().end_ns, kernel->end);
    }
  }
  std::free(buffer);  // NOLINT(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
}

}  // namespace

KernelTracer::KernelTracer(std::shared_ptr<const CuptiApi> api) : api_(std::move(api)) {
  {
    const std::scoped_lock lock(trace().mutex);
    trace().api = api_.get();
  }
  api_->activity_register_callbacks(request_buffer, take_buffer);
  api_->activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

KernelTracer::~KernelTracer() {
  api_->activity_disable.quietly(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  api_->activity_flush_all.quietly(1U);
}

std::vector<double> KernelTracer::durations_s(const ObservedLaunch& launch, std::size_t count) {
  std::vector<double> durations_s;
  for (std::size_t i = 0; i < count; ++i) {
    launch.prepare();
    api_->activity_flush_all(1);
    trace().clear();
    launch.launch();
    api_->activity_flush_all(1);
    const std::scoped_lock lock(trace().mutex);
    if (trace().end_ns <= trace().begin_ns) {
      throw CounterRefused(refusal_without_code(RefusalKind::failed,
                                                "CUPTI delivered no record of a kernel that ran."));
    }
    constexpr double seconds_per_ns = 1e-9;
    durations_s.push_back(static_cast<double>(trace().end_ns - trace().begin_ns) * seconds_per_ns);
  }
  return durations_s;
}

}  // namespace perfmodel::profiling
