#include "model/timeline/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

constexpr std::array all = {
    Mechanism{"register-banks", "registers of one bank are read one by one",
              [](SmCosts& costs) { costs.register_banks = false; }},
    Mechanism{"write-ports", "what is loaded waits until its register bank takes no other result",
              [](SmCosts& costs) { costs.write_ports = false; }},
    Mechanism{"oldest-first", "the last warp, else the oldest, goes on; without: in turn",
              [](SmCosts& costs) { costs.oldest_first = false; }},
    Mechanism{"woken-last", "a warp that waited for data comes behind those that waited longer",
              [](SmCosts& costs) { costs.counted_wait_cycles = 0; }},
    Mechanism{"queue-turns", "warps that find the queue full wait in turn, of older blocks first",
              [](SmCosts& costs) { costs.warps_wait_in_turn = false; }},
    Mechanism{"turns", "sub-partitions take turns at the memory side; without: first come",
              [](SmCosts& costs) { costs.sub_partitions_take_turns = false; }},
    Mechanism{"full-ports", "data that cannot be written yet holds up all that comes behind it",
              [](SmCosts& costs) { costs.full_ports_stop_all = false; }},
    Mechanism{"absent-data", "loads whose data is not in L1 take longer to look up",
              [](SmCosts& costs) { costs.absent_look_up = 0; }},
    Mechanism{"memory-queue", "a sub-partition has place for a few memory instructions",
              [](SmCosts& costs) { costs.memory_places = 1 << 16; }},
    Mechanism{"operand-transfer", "registers are handed to the memory side one by one",
              [](SmCosts& costs) { costs.operand_interval = 0; }},
    Mechanism{"returning-data", "data under way to L1 takes the data pipe when it comes",
              [](SmCosts& costs) { costs.returning_data_uses_pipe = false; }},
    Mechanism{"wavefront-spacing", "a warp's wavefronts pass the data pipe every other cycle",
              [](SmCosts& costs) { costs.warp_wavefront_cycles = 1; }},
    Mechanism{"tags", "lines of an access are looked up four a cycle",
              [](SmCosts& costs) { costs.line_lookup = 0; }},
    Mechanism{"latency-spread", "lines are near or far",
              [](SmCosts& costs) {
                costs.l2_spread.points.fill({1, 1});
                costs.l2_spread.points.front() = {0, 1};
                costs.dram_spread = costs.l2_spread;
              }},
    Mechanism{"near-lines", "lines that the own half of the L2 has loaded before are near",
              [](SmCosts& costs) { costs.l2_near_latency = costs.l2_latency; }},
    Mechanism{"barrier", "warps arrive one by one, and waking them takes time",
              [](SmCosts& costs) {
                costs.barrier_arrival = 0;
                costs.barrier_latency = 0;
              }},
    Mechanism{"branch", "a taken branch fetches anew",
              [](SmCosts& costs) { costs.branch_cycles = 0; }},
    Mechanism{"block-launch", "blocks and their warps start one by one",
              [](SmCosts& costs) {
                costs.block_gap = 0;
                costs.warp_launch_interval = 0;
                costs.blocks_per_cycle = std::numeric_limits<double>::infinity();
              }},
    Mechanism{"write-back", "DRAM turns around between reading and writing",
              [](SmCosts& costs) {
                costs.dram_write_bytes_per_cycle = costs.dram_bytes_per_cycle;
                costs.dram_mixed_bytes_per_cycle = costs.dram_bytes_per_cycle;
              }},
    Mechanism{"dram-queue", "a busy DRAM takes longer",
              [](SmCosts& costs) {
                costs.dram_queue_s = 0;
                costs.dram_mixed_queue_s = 0;
              }},
    Mechanism{"scattered-stores", "L2 takes stores by the line",
              [](SmCosts& costs) {
                costs.l2_write_lines_per_cycle = std::numeric_limits<double>::infinity();
              }},
};

}  // namespace

std::span<const Mechanism> mechanisms() { return all; }

void leave_out(SmCosts& costs, const std::string& name) {
  const auto* const found = std::ranges::find(all, name, &Mechanism::name);
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const Mechanism& mechanism : all) {
      names.emplace_back(mechanism.name);
    }
    fail(fmt::format("there is no mechanism {}; valid are {}", printable(name), join(names)));
  }
  found->leave_out(costs);
}

}  // namespace perfmodel
