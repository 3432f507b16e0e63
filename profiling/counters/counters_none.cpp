#include "profiling/counters/counters.hpp"
#include "profiling/counters/refusal.hpp"

namespace perfmodel::profiling {
namespace {

[[noreturn]] void refuse() {
  throw CounterRefused(refusal_without_code(RefusalKind::not_built,
                                            "This perfmodel was built without hardware counters."));
}

}  // namespace

std::vector<std::string> known_chips() { refuse(); }

std::vector<MetricProperties> chip_metrics(const std::string& /*chip*/) { refuse(); }

MetricConfiguration configure_metrics(const std::string& /*chip*/,
                                      std::span<const MetricChoice> /*metrics*/) {
  refuse();
}

std::unique_ptr<CounterCollector> open_collector(int /*device_ordinal*/,
                                                 std::span<const MetricChoice> /*metrics*/,
                                                 ReplayMode /*replay*/) {
  refuse();
}

std::unique_ptr<InstructionCollector> open_instruction_collector(
    int /*device_ordinal*/, std::span<const std::string> /*metrics*/) {
  refuse();
}

}  // namespace perfmodel::profiling
