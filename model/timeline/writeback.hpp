#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "model/timeline/instruction_cost.hpp"
#include "model/timeline/timed_queue.hpp"

namespace perfmodel {

/// The way of what was loaded from the data pipe to the registers, in cycles. Each sub-partition
/// writes its loads in the order in which they come, in cycles in which no arithmetic result goes
/// to the same register bank, and holds four registers that wait. What finds no room stops the way
/// for all sub-partitions.
///
/// `Sink` is told `written(const Load&, double cycle)` with the cycle in which the last register is
/// written, and `stopped(double cycles)` when the way has stood still for so long. `Load` says for
/// whom the data is.
template <typename Load, typename Sink>
class Writeback {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// `stops`: whether a load that finds its sub-partition busy stops the others.
  Writeback(std::size_t sub_partitions, bool stops, Sink& sink)
      : ports_(sub_partitions), stops_others_(stops), sink_(&sink) {}

  /// Data that comes at `cycle` at the earliest and takes so many cycles to write, to `banks` in
  /// the first of them; if that is one bank, to the other one in the next.
  void add(std::size_t sub_partition, double cycle, int cycles, BankSet banks, const Load& load) {
    coming_.push(cycle - stood_still_, {0, sub_partition, cycles, banks, load});
  }

  [[nodiscard]] bool stopped() const { return stopped_; }
  /// When the way went on after it stood still last.
  [[nodiscard]] double resumed_at() const { return resumed_at_; }

  /// When the next load comes to its sub-partition; never while the way stands still.
  [[nodiscard]] double next_arrival() const {
    return stopped_ ? never : coming_.time() + stood_still_;
  }

  /// Returns when the load at hand in its sub-partition is written, see `next_written`.
  double arrive() {
    const Data& first = coming_.front();
    Port& port = ports_[first.sub_partition];
    if (stops_others_ && port.cycles_left != 0 && port.cycles_left + first.cycles > most_cycles) {
      stopped_ = true;
      return never;
    }
    const double cycle = next_arrival();
    Data data = coming_.pop();
    data.cycle = cycle;
    port.cycles_left += data.cycles;
    port.waiting.push(std::move(data));
    note_next(port);
    return port.next_written;
  }

  /// When the load at hand is written if nothing is issued until then.
  [[nodiscard]] double next_written(std::size_t sub_partition) const {
    return ports_[sub_partition].next_written;
  }

  /// Writes what has come before `end`; nothing was issued since.
  void write_until(std::size_t sub_partition, double end) {
    Port& port = ports_[sub_partition];
    while (!port.waiting.empty()) {
      const double cycle = std::max(port.waiting.front().cycle, port.cursor);
      if (cycle >= end) {
        break;
      }
      port.cursor = cycle + 1;
      write(port, cycle);
    }
    port.cursor = std::max(port.cursor, end);
    note_next(port);
  }

  /// In the cycle of an instruction whose result goes to the banks `taken`. Returns for how many
  /// cycles nothing may be issued then.
  double write_beside(std::size_t sub_partition, double cycle, BankSet taken) {
    Port& port = ports_[sub_partition];
    if (port.waiting.empty()) {
      return 0;
    }
    write_until(sub_partition, cycle);
    if (port.cursor > cycle || port.waiting.empty() || port.waiting.front().cycle > cycle) {
      return 0;
    }
    port.cursor = cycle + 1;
    note_next(port);
    if ((taken & port.waiting.front().banks) == 0) {
      write(port, cycle);
      return 0;
    }
    if (++port.vain_cycles < patience) {
      return 0;
    }
    write(port, cycle);
    return forced_cycles;
  }

 private:
  /// For so many cycles a load lets arithmetic results pass; then issuing stops for a few.
  static constexpr int patience = 19;
  static constexpr double forced_cycles = 3;
  static constexpr BankSet both_banks = 3;
  static constexpr int most_cycles = 4;  ///< that writing what waits may take

  struct Data {
    double cycle = 0;  ///< of its arrival
    std::size_t sub_partition = 0;
    int cycles = 0;     ///< left
    BankSet banks = 0;  ///< that the next of them takes
    Load load;
  };
  struct Port {
    std::queue<Data> waiting;
    double next_written = never;
    double cursor = 0;    ///< cycles before it are gone
    int cycles_left = 0;  ///< to write what waits
    int vain_cycles = 0;  ///< in a row
  };

  void note_next(Port& port) const {
    port.next_written = never;
    if (!port.waiting.empty()) {
      const Data& first = port.waiting.front();
      port.next_written = std::max(first.cycle, port.cursor) + first.cycles - 1;
    }
  }

  void write(Port& port, double cycle) {
    Data& first = port.waiting.front();
    port.vain_cycles = 0;
    --port.cycles_left;
    if (first.banks != both_banks) {
      first.banks ^= both_banks;
    }
    if (--first.cycles > 0) {
      note_next(port);
      return;
    }
    const Load written = first.load;
    port.waiting.pop();
    note_next(port);
    if (stopped_ && &ports_[coming_.front().sub_partition] == &port) {
      const double stop = std::max(0.0, cycle + 1 - (coming_.time() + stood_still_));
      stood_still_ += stop;
      resumed_at_ = cycle + 1;
      stopped_ = false;
      sink_->stopped(stop);
      arrive();
    }
    sink_->written(written, cycle);
  }

  std::vector<Port> ports_;
  TimedQueue<Data> coming_;  ///< times are less what the way has stood still
  double stood_still_ = 0;
  double resumed_at_ = 0;
  bool stopped_ = false;
  bool stops_others_;
  Sink* sink_;
};

}  // namespace perfmodel
