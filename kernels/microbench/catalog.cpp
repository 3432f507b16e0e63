#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <regex>

#include "kernels/microbench/microbenchmark.hpp"
#include "kernels/microbench/stamps.hpp"
#include "model/error.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

using Launches = std::function<std::vector<MicrobenchLaunch>(const Device&)>;
using Limit = std::function<std::optional<ConstantLimit>(const Device&)>;
using Datasheet = std::function<std::optional<DatasheetFigure>(const Device&)>;

constexpr double lanes = warp_lanes;
constexpr std::uint32_t full_block = 1024;
constexpr double schedulers = 4;  ///< of an SM, one warp instruction a cycle each, since sm_70
constexpr std::uint32_t line_bytes = 128;
constexpr double sector_port_bytes = 64;  ///< of an SM's port to the L2, per cycle, since sm_70

// What no constant can surpass.

std::optional<ConstantLimit> no_limit(const Device& /*device*/) { return std::nullopt; }

Limit issue_limit(double work_per_instruction) {
  return [=](const Device& /*device*/) {
    return ConstantLimit{schedulers * work_per_instruction, false,
                         "four schedulers issue one warp instruction a cycle each"};
  };
}

std::optional<ConstantLimit> fma_limit(const Device& device) {
  return ConstantLimit{static_cast<double>(device.fma_per_clk_per_sm.value), false,
                       "fp32 lanes of an SM"};
}

Limit least(double cycles, std::string reason) {
  return [cycles, reason = std::move(reason)](const Device& /*device*/) {
    return ConstantLimit{cycles, true, reason};
  };
}

std::optional<ConstantLimit> dram_limit(const Device& device) {
  return ConstantLimit{device.dram_bytes_per_s.value, false, "memory clock times bus width"};
}

Limit l1_limit() {
  return [](const Device& device) {
    return ConstantLimit{line_bytes * static_cast<double>(device.sm_count.value) *
                             device.clocks.front().clock_hz.value,
                         false, "128 bytes a cycle of every SM at the highest clock"};
  };
}

Limit l2_limit(bool per_clock) {
  return [=](const Device& device) {
    const double clock_hz = per_clock ? 1.0 : device.clocks.front().clock_hz.value;
    return ConstantLimit{sector_port_bytes * static_cast<double>(device.sm_count.value) * clock_hz,
                         false, "64 bytes a cycle into every SM"};
  };
}

// What the vendor says.

std::optional<DatasheetFigure> no_datasheet(const Device& /*device*/) { return std::nullopt; }

constexpr std::string_view throughput_table =
    "CUDA C++ Programming Guide, arithmetic throughput by compute capability";

/// Results per clock and SM by compute capability, times `scale`; none where the table has none.
struct TableEntry {
  int compute_capability;
  double value;
};

Datasheet table(std::vector<TableEntry> entries,
                std::string source = std::string(throughput_table)) {
  return [entries = std::move(entries),
          source = std::move(source)](const Device& device) -> std::optional<DatasheetFigure> {
    for (const TableEntry& entry : entries) {
      if (entry.compute_capability == compute_capability(device)) {
        return DatasheetFigure{entry.value, source};
      }
    }
    return std::nullopt;
  };
}

Datasheet on_all(double value) {
  return table({{75, value}, {80, value}, {86, value}, {89, value}, {90, value}});
}

Datasheet fp32_table() {
  return table({{75, 64}, {80, 64}, {86, 128}, {89, 128}, {90, 128}, {100, 128}, {120, 128}});
}

std::optional<DatasheetFigure> dram_datasheet(const Device& device) {
  return DatasheetFigure{device.dram_bytes_per_s.value, device.dram_bytes_per_s.source};
}

// Where they run.

/// One block of 32 warps on every SM.
std::vector<MicrobenchLaunch> every_sm(const Device& device) {
  MicrobenchLaunch launch;
  launch.grid = static_cast<std::uint32_t>(device.sm_count.value);
  launch.block = full_block;
  return {launch};
}

/// The same with the parameters of a memory access.
Launches every_sm_accessing(std::uint32_t extent, std::uint32_t stride,
                            std::size_t data_bytes = l1_reach_bytes) {
  return [=](const Device& device) {
    std::vector<MicrobenchLaunch> launches = every_sm(device);
    launches.front().extent = extent;
    launches.front().stride = stride;
    launches.front().data_bytes = data_bytes;
    return launches;
  };
}

std::vector<MicrobenchLaunch> one_warp(const Device& /*device*/) { return {MicrobenchLaunch{}}; }

std::int64_t l2_bytes(const Device& device) {
  constexpr std::int64_t usual = 4 << 20;
  return device.l2_bytes ? device.l2_bytes->value : usual;
}

/// Blocks that go through a part of the L2 in chunks, two an SM where they fit, or one.
Launches through_l2(std::int64_t numerator, std::int64_t denominator) {
  return [=](const Device& device) {
    MicrobenchLaunch launch;
    launch.block = chunk_threads;
    const std::int64_t chunks = l2_bytes(device) * numerator / denominator / chunk_bytes;
    launch.extent = static_cast<std::uint32_t>(std::max<std::int64_t>(chunks, 1));
    launch.data_bytes = std::size_t{launch.extent} * chunk_bytes;
    std::vector<MicrobenchLaunch> launches;
    for (std::int64_t blocks = device.threads_per_sm.value / chunk_threads; blocks >= 1; --blocks) {
      launch.grid = static_cast<std::uint32_t>(device.sm_count.value * blocks);
      launches.push_back(launch);
    }
    return launches;
  };
}

/// Arrays much larger than the L2, for as many blocks as they have place for, each of which ends
/// after few rows: DRAM is fastest in the order of addresses, and blocks that live long drift
/// apart.
Launches through_dram(int arrays, int rows) {
  return [=](const Device& device) {
    constexpr std::int64_t least_bytes = std::int64_t{256} << 20;
    constexpr std::int64_t most_bytes = std::int64_t{2} << 30;
    const std::int64_t wanted = std::clamp(32 * l2_bytes(device), least_bytes, most_bytes);
    std::vector<MicrobenchLaunch> launches;
    for (const std::uint32_t block : {256U, 512U, 1024U}) {
      for (const std::uint32_t repeats : {1U, 2U}) {
        MicrobenchLaunch launch;
        launch.block = block;
        launch.repeats = repeats;
        const std::int64_t block_bytes = std::int64_t{block} * 16 * rows * repeats;
        launch.grid = static_cast<std::uint32_t>(wanted / block_bytes);
        launch.data_bytes = static_cast<std::size_t>(block_bytes * launch.grid * arrays);
        launch.stamps = StampKind::none;
        launches.push_back(launch);
      }
    }
    return launches;
  };
}

/// A warp that follows a ring of at most `bytes`, in lines.
Launches around_ring(std::int64_t (*bytes)(const Device&), bool goes_on) {
  return [=](const Device& device) {
    MicrobenchLaunch launch;
    PointerRing ring;
    ring.nodes = std::bit_floor(static_cast<std::uint32_t>(bytes(device) / line_bytes));
    ring.node_bytes = line_bytes;
    // The golden ratio of the ring: neighbours in time are far apart, and no direction is regular.
    constexpr double golden = 0.6180339887498949;
    ring.step = static_cast<std::uint32_t>(golden * ring.nodes) | 1U;
    ring.goes_on = goes_on;
    launch.ring = ring;
    launch.extent = 0;
    launch.data_bytes = std::size_t{ring.nodes} * ring.node_bytes;
    return std::vector{launch};
  };
}

std::int64_t l2_ring_bytes(const Device& device) { return l2_bytes(device) / 8; }

std::int64_t dram_ring_bytes(const Device& device) {
  constexpr std::int64_t least_bytes = std::int64_t{256} << 20;
  return std::max(least_bytes, 8 * l2_bytes(device));
}

/// The same rings, every load timed by itself; the lines are read before unless the ring goes on.
std::vector<MicrobenchLaunch> single_loads_around(const Launches& ring, const Device& device) {
  std::vector<MicrobenchLaunch> launches = ring(device);
  for (MicrobenchLaunch& launch : launches) {
    launch.repeats = single_loads / chase_unroll;
    launch.stride = launch.ring->goes_on ? 0 : launch.ring->nodes;
    launch.stamps = StampKind::phases;
    launch.phases = single_loads;
  }
  return launches;
}

std::vector<MicrobenchLaunch> many_blocks(std::uint32_t grid, std::uint32_t block) {
  MicrobenchLaunch launch;
  launch.grid = grid;
  launch.block = block;
  launch.repeats = 1;
  launch.stamps = StampKind::none;
  return {launch};
}

// The families.

Microbenchmark arithmetic_rate(std::string name, std::string_view op, std::string_view opcode,
                               std::string proves, Datasheet datasheet, Limit limit) {
  Microbenchmark one;
  one.name = std::move(name);
  one.unit = "lanes/clk/SM";
  one.proves = std::move(proves);
  one.function = fmt::format("arithmetic_rate<{}>", op);
  one.method = MicrobenchMethod::per_clock;
  one.work = arithmetic_unroll * lanes;
  one.launches = every_sm;
  one.limit = std::move(limit);
  one.datasheet = std::move(datasheet);
  one.expected = {{opcode, arithmetic_unroll}};
  one.expected_share = 0.99;
  return one;
}

void add_arithmetic_rates(std::vector<Microbenchmark>& all) {
  const Limit issue = issue_limit(lanes);
  all.push_back(arithmetic_rate("fma.rate", "Fma", "FFMA", "fp32 multiply-adds of an SM",
                                fp32_table(), fma_limit));
  all.push_back(arithmetic_rate("fadd.rate", "Add", "FADD", "fp32 additions", fp32_table(), issue));
  all.push_back(
      arithmetic_rate("fmul.rate", "Mul", "FMUL", "fp32 multiplications", fp32_table(), issue));
  all.push_back(arithmetic_rate("lop3.rate", "Logic", "LOP3", "bitwise logic of three operands",
                                on_all(64), issue));
  all.push_back(arithmetic_rate("iadd3.rate", "Add3", "IADD3",
                                "integer additions of three operands", on_all(64), issue));
  all.push_back(arithmetic_rate("shift.rate", "Shift", "SHF", "funnel shifts", on_all(64), issue));
  all.push_back(
      arithmetic_rate("imad.rate", "Imad", "IMAD", "integer multiply-adds", on_all(64), issue));
  all.push_back(arithmetic_rate("mufu.rate", "Exp2", "MUFU", "special functions: 2 to a power",
                                on_all(16), issue));
  all.push_back(arithmetic_rate("f2i.rate", "FloatToInt", "F2I", "conversions of float to integer",
                                no_datasheet, issue));
  all.push_back(arithmetic_rate("i2f.rate", "IntToFloat", "I2F", "conversions of integer to float",
                                no_datasheet, issue));
  all.push_back(arithmetic_rate("dfma.rate", "DoubleFma", "DFMA", "fp64 multiply-adds",
                                table({{75, 2}, {80, 32}, {86, 2}, {89, 2}, {90, 64}}), issue));
  all.push_back(arithmetic_rate(
      "hfma2.rate", "HalfFma2", "HFMA2", "fp16 multiply-adds, two a lane",
      table({{75, 64}, {80, 128}, {86, 64}, {89, 64}, {90, 128}},
            std::string(throughput_table) + ", half of the results of half2 instructions"),
      issue));
  all.push_back(arithmetic_rate("shuffle.rate", "Shuffle", "SHFL", "shuffles within a warp",
                                on_all(32), issue));

  Microbenchmark mix = arithmetic_rate(
      "issue.rate", "", "FFMA", "instructions of two pipes in turn", no_datasheet, issue_limit(1));
  mix.unit = "warp instructions/clk/SM";
  mix.function = "issue_rate";
  mix.work = arithmetic_unroll;
  mix.expected = {{"FFMA", arithmetic_unroll / 2}, {"SHF", arithmetic_unroll / 2}};
  all.push_back(std::move(mix));
}

void add_tensor(std::vector<Microbenchmark>& all) {
  struct Shape {
    std::string_view name;
    std::string_view op;
    std::string_view opcode;
    std::string_view what;
    double fmas;
    double sm_80;
    double sm_90;
  };
  constexpr double tile = 16.0 * 8.0;
  for (const Shape& shape :
       {Shape{"bf16", "Bf16", "HMMA.16816.F32.BF16", "mma.sync m16n8k16", tile * 16, 1024, 2048},
        Shape{"tf32", "Tf32", "HMMA.1688.F32.TF32", "mma.sync m16n8k8", tile * 8, 512, 1024}}) {
    const Datasheet datasheet =
        table({{80, shape.sm_80}, {90, shape.sm_90}},
              "A100 and H100 white papers, dense tensor throughput over SMs and clock");
    Microbenchmark rate;
    rate.name = fmt::format("tensor.{}.rate", shape.name);
    rate.unit = "FMA/clk/SM";
    rate.proves = fmt::format("multiply-adds of {} through {}", shape.name, shape.what);
    rate.function = fmt::format("tensor_rate<{}>", shape.op);
    rate.method = MicrobenchMethod::per_clock;
    rate.work = tensor_unroll * shape.fmas;
    rate.launches = every_sm;
    rate.limit = [datasheet](const Device& device) -> std::optional<ConstantLimit> {
      const std::optional<DatasheetFigure> figure = datasheet(device);
      return figure ? std::optional(ConstantLimit{figure->value, false, figure->source})
                    : std::nullopt;
    };
    rate.datasheet = datasheet;
    rate.expected = {{shape.opcode, tensor_unroll}};
    rate.expected_share = 0.95;
    rate.min_compute_capability = 80;
    all.push_back(std::move(rate));
  }
}

Microbenchmark latency(std::string name, std::string function, std::string_view opcode, int count,
                       std::string proves) {
  Microbenchmark one;
  one.name = std::move(name);
  one.unit = "cycles";
  one.proves = std::move(proves);
  one.function = std::move(function);
  one.method = MicrobenchMethod::latency;
  one.work = count;
  one.launches = one_warp;
  one.limit = least(1, "a result is used in a later cycle");
  one.datasheet = no_datasheet;
  one.expected = {{opcode, count}};
  one.expected_share = 0.95;
  return one;
}

/// Quantiles of single loads, whose mean a chase measures. Each figure contains a clock read and a
/// shared store, which nothing subtracts: use them as ratios to their own median.
void add_quantiles(std::vector<Microbenchmark>& all, std::string_view name, std::string_view what,
                   const Launches& ring) {
  for (const int percent : {10, 25, 50, 75, 90, 99}) {
    Microbenchmark one = latency(
        fmt::format("{}.p{}", name, percent), "single_load", "LDG", chase_unroll,
        fmt::format("{} % of single loads that {} take less, with a clock read and a shared store",
                    percent, what));
    one.method = MicrobenchMethod::phase_quantile;
    one.quantile = percent / 100.0;
    one.launches = [ring](const Device& device) { return single_loads_around(ring, device); };
    one.expected.push_back({"CS2", 2 * chase_unroll});  // CS2R, CS2UR: the clock before and after
    one.expected.push_back({"STS", 2 * chase_unroll});  // the result and the time
    one.expected_share = 0.4;  // the loop and the difference of the clocks are as long
    all.push_back(std::move(one));
  }
}

void add_latencies(std::vector<Microbenchmark>& all) {
  struct Pipe {
    std::string_view name;
    std::string_view op;
    std::string_view opcode;
    std::string_view what;
  };
  for (const Pipe& pipe :
       {Pipe{"fma", "Fma", "FFMA", "fp32 multiply-add"}, Pipe{"lop3", "Logic", "LOP3", "logic"},
        Pipe{"iadd3", "Add3", "IADD3", "integer addition"},
        Pipe{"imad", "Imad", "IMAD", "integer multiply-add"},
        Pipe{"mufu", "Exp2", "MUFU", "special function"},
        Pipe{"f2i", "FloatToInt", "F2I", "conversion of float to integer"},
        Pipe{"dfma", "DoubleFma", "DFMA", "fp64 multiply-add"},
        Pipe{"hfma2", "HalfFma2", "HFMA2", "fp16 multiply-add"},
        Pipe{"shuffle", "Shuffle", "SHFL", "shuffle, by its source lane"}}) {
    all.push_back(latency(
        fmt::format("{}.latency", pipe.name), fmt::format("arithmetic_latency<{}>", pipe.op),
        pipe.opcode, arithmetic_unroll, fmt::format("{} until its result is used", pipe.what)));
  }
  for (const auto& [name, op, opcode] : {std::array{"bf16", "Bf16", "HMMA.16816.F32.BF16"},
                                         std::array{"tf32", "Tf32", "HMMA.1688.F32.TF32"}}) {
    Microbenchmark one =
        latency(fmt::format("tensor.{}.latency", name), fmt::format("tensor_latency<{}>", op),
                opcode, tensor_unroll, "mma.sync until the next one has its accumulators");
    one.expected_share = 0.33;  // the compiler puts up to two others between dependent ones
    one.min_compute_capability = 80;
    all.push_back(std::move(one));
  }
  all.push_back(latency("constant.latency", "constant_chase", "LDC", chase_unroll,
                        "constant load at an address from a register, in the nearest cache"));
  all.back().launches = [](const Device& device) {
    std::vector<MicrobenchLaunch> launches = one_warp(device);
    launches.front().extent = 0;
    return launches;
  };
  all.push_back(latency("shared.latency", "shared_chase", "LDS", chase_unroll,
                        "shared load until its result is an address"));
  all.push_back(latency("l1.latency", "global_chase<ThroughL1>", "LDG", chase_unroll,
                        "global load that hits the L1"));
  all.back().launches = around_ring([](const Device&) -> std::int64_t { return 4096; }, false);
  all.push_back(latency("l2.latency", "global_chase<PastL1>", "LDG", chase_unroll,
                        "global load that hits the L2, past the L1"));
  all.back().launches = around_ring(l2_ring_bytes, false);
  add_quantiles(all, "l2.latency", "hit the L2, past the L1", around_ring(l2_ring_bytes, false));
  all.push_back(latency("dram.latency", "global_chase<PastL1>", "LDG", chase_unroll,
                        "global load of a line that is in no cache"));
  all.back().launches = around_ring(dram_ring_bytes, true);
  add_quantiles(all, "dram.latency", "read a line that is in no cache",
                around_ring(dram_ring_bytes, true));
  all.push_back(latency("atomic.shared.latency", "shared_atomic_latency", "ATOMS", chase_unroll,
                        "shared atomic addition with its result"));
  all.push_back(latency("atomic.global.latency", "global_atomic_latency", "ATOMG", chase_unroll,
                        "global atomic addition with its result"));
}

/// A memory access by every warp of every SM.
Microbenchmark access(std::string name, std::string function, std::string_view opcode, int count,
                      double share, std::string proves, double least_cycles, Launches launches) {
  Microbenchmark one;
  one.name = std::move(name);
  one.unit = "cycles/warp instruction/SM";
  one.proves = std::move(proves);
  one.function = std::move(function);
  one.method = MicrobenchMethod::cycles_per_work;
  one.work = count;
  one.launches = std::move(launches);
  one.limit = least_cycles > 0 ? least(least_cycles, "128 bytes a cycle, one word of a bank each")
                               : Limit(no_limit);
  one.datasheet = no_datasheet;
  one.expected = {{opcode, count}};
  one.expected_share = share;
  return one;
}

struct Width {
  int bits;
  std::string_view type;
  double load_share;     ///< of shared loads among the instructions that fold their results
  double l1_load_share;  ///< the same with the loop that moves the place
};

constexpr std::array widths = {Width{32, "unsigned int", 0.6, 0.4}, Width{64, "uint2", 0.45, 0.35},
                               Width{128, "uint4", 0.3, 0.25}};

void add_shared_memory(std::vector<Microbenchmark>& all) {
  for (const bool store : {false, true}) {
    const std::string_view kind = store ? "store" : "load";
    const std::string_view opcode = store ? "STS" : "LDS";
    for (const Width& width : widths) {
      const double share = store ? 0.95 : width.load_share;
      all.push_back(access(fmt::format("shared.{}.{}", kind, width.bits),
                           fmt::format("shared_{}<{}>", kind, width.type), opcode, access_unroll,
                           share, fmt::format("{} bits a lane, all distinct", width.bits),
                           width.bits / 32.0,
                           every_sm_accessing(1, static_cast<std::uint32_t>(width.bits / 8))));
    }
    const std::string function = fmt::format("shared_{}<unsigned int>", kind);
    const double share = store ? 0.95 : 0.6;
    if (!store) {
      all.push_back(access("shared.load.broadcast", function, opcode, access_unroll, share,
                           "32 bits, all lanes at one address", 0, every_sm_accessing(1, 0)));
    }
    for (const std::uint32_t ways : {2U, 4U, 8U, 16U, 32U}) {
      all.push_back(access(fmt::format("shared.{}.conflict-{}", kind, ways), function, opcode,
                           access_unroll, share,
                           fmt::format("32 bits, {} words of each bank that is met", ways), ways,
                           every_sm_accessing(1, 4 * ways)));
    }
  }
}

void add_global_memory(std::vector<Microbenchmark>& all) {
  for (const Width& width : widths) {
    all.push_back(access(
        fmt::format("l1.load.{}", width.bits), fmt::format("l1_load<{}>", width.type), "LDG",
        l1_unroll, width.l1_load_share, fmt::format("{} bits a lane, coalesced", width.bits),
        width.bits / 32.0, every_sm_accessing(0, static_cast<std::uint32_t>(width.bits / 8))));
  }
  const std::string words = "l1_load<unsigned int>";
  all.push_back(access("l1.load.broadcast", words, "LDG", l1_unroll, 0.4,
                       "32 bits, all lanes at one address", 0, every_sm_accessing(0, 0)));
  all.push_back(access("l1.load.misaligned", words, "LDG", l1_unroll, 0.4,
                       "32 bits a lane, coalesced but one word behind the start of a line", 1,
                       every_sm_accessing(4, 4)));
  all.push_back(access("l1.load.gather", words, "LDG", l1_unroll, 0.4,
                       "32 bits a lane, every lane in a line of its own", 1,
                       every_sm_accessing(0, line_bytes)));
  all.push_back(access("l1.load.spread", words, "LDG", l1_unroll, 0.4,
                       "32 bits a lane, every lane in a line and a bank of its own", 1,
                       every_sm_accessing(0, line_bytes + 4)));

  Microbenchmark stream;
  stream.unit = "B/s";
  stream.method = MicrobenchMethod::per_second;
  stream.datasheet = no_datasheet;
  stream.expected_share = 0.05;  // addresses are computed in between

  Microbenchmark l1 = stream;
  l1.name = "l1.read";
  l1.proves = "all SMs read from their L1";
  l1.function = "l1_load<uint4>";
  l1.work = l1_unroll * 16 * lanes;
  l1.launches = every_sm_accessing(0, 16);
  l1.limit = l1_limit();
  l1.expected = {{"LDG", l1_unroll}};
  all.push_back(l1);

  struct Part {
    std::string_view name;
    std::int64_t numerator;
    std::int64_t denominator;
    std::string_view what;
  };
  for (const Part& part :
       {Part{"small", 1, 16, "a sixteenth of the L2"}, Part{"half", 7, 16, "almost half of the L2"},
        Part{"full", 7, 8, "seven eighths of the L2"}}) {
    Microbenchmark l2 = stream;
    l2.name = fmt::format("l2.read.{}", part.name);
    l2.proves = fmt::format("all SMs read {}", part.what);
    l2.function = "l2_read";
    l2.work = stream_unroll * 16 * lanes;
    l2.launches = through_l2(part.numerator, part.denominator);
    l2.limit = l2_limit(false);
    l2.expected = {{"LDG", stream_unroll}};
    all.push_back(l2);
    if (part.name == "small") {
      l2.name += ".per-clock";
      l2.unit = "B/clk";
      l2.proves += ", by the SM clock";
      l2.method = MicrobenchMethod::per_device_clock;
      l2.limit = l2_limit(true);
      all.push_back(l2);
    }
  }
  Microbenchmark l2_write = stream;
  l2_write.name = "l2.write";
  l2_write.proves = "all SMs write a sixteenth of the L2";
  l2_write.function = "l2_write";
  l2_write.work = stream_unroll * 16 * lanes;
  l2_write.launches = through_l2(1, 16);
  l2_write.limit = l2_limit(false);
  l2_write.expected = {{"STG", stream_unroll}};
  all.push_back(l2_write);
  l2_write.name = "l2.write.scattered";
  l2_write.unit = "1/s";
  l2_write.proves = "all SMs write words, each to a line of its own, in a sixteenth of the L2";
  l2_write.function = "l2_scatter";
  l2_write.work = stream_unroll * lanes;
  l2_write.limit = no_limit;
  all.push_back(l2_write);

  struct Stream {
    std::string_view name;
    std::string_view op;
    int loaded;
    int stored;
    int rows;
    std::string_view what;
  };
  for (const Stream& kind :
       {Stream{"read", "Read", 1, 0, 4, "read one array"},
        Stream{"write", "Write", 0, 1, 1, "write one array"},
        Stream{"copy", "Copy", 1, 1, 1, "read one array, write another"},
        Stream{"triad", "Triad", 2, 1, 1, "read two arrays, write a third: c = a + s b"}}) {
    const int arrays = kind.loaded + kind.stored;
    Microbenchmark dram = stream;
    dram.name = fmt::format("dram.{}", kind.name);
    dram.proves = fmt::format("all SMs {}, much larger than the L2", kind.what);
    dram.function = fmt::format("dram_stream<{}>", kind.op);
    dram.work = kind.rows * 16 * lanes * arrays;
    dram.launches = through_dram(arrays, kind.rows);
    dram.limit = dram_limit;
    dram.datasheet = dram_datasheet;
    if (kind.loaded > 0) {
      dram.expected.push_back({"LDG", kind.rows * kind.loaded});
    }
    if (kind.stored > 0) {
      dram.expected.push_back({"STG", kind.rows * kind.stored});
    }
    all.push_back(dram);
  }
}

void add_atomics(std::vector<Microbenchmark>& all) {
  all.push_back(access("atomic.shared.distinct", "shared_atomic", "ATOMS", access_unroll, 0.9,
                       "shared additions, every lane its own word", 1, every_sm_accessing(1, 4)));
  all.push_back(access("atomic.shared.same", "shared_atomic", "ATOMS", access_unroll, 0.9,
                       "shared additions, all lanes at one word", 0, every_sm_accessing(1, 0)));
  struct Case {
    std::string_view name;
    std::uint32_t extent;
    std::uint32_t stride;
    std::string_view what;
  };
  for (const Case& one : {Case{"distinct", line_bytes, 4, "every lane of the device its own word"},
                          Case{"warp", line_bytes, 0, "all lanes of a warp at one word"},
                          Case{"one", 0, 0, "all lanes of the device at one word"}}) {
    Microbenchmark atomic;
    atomic.name = fmt::format("atomic.global.{}", one.name);
    atomic.unit = "1/s";
    atomic.proves = fmt::format("global additions without a result, {}", one.what);
    atomic.function = "global_atomic";
    atomic.method = MicrobenchMethod::per_second;
    atomic.work = access_unroll * lanes;
    atomic.launches = [one](const Device& device) {
      std::vector<MicrobenchLaunch> launches = every_sm(device);
      launches.front().extent = one.extent;
      launches.front().stride = one.stride;
      launches.front().data_bytes = launches.front().warps() * line_bytes;
      return launches;
    };
    atomic.limit = no_limit;
    atomic.datasheet = no_datasheet;
    atomic.expected = {{"RED", access_unroll}};
    atomic.expected_share = 0.9;
    all.push_back(std::move(atomic));
  }
}

void add_control(std::vector<Microbenchmark>& all) {
  for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
    Microbenchmark one =
        latency(fmt::format("barrier.{}", warps), "barriers", "BAR", access_unroll,
                fmt::format("__syncthreads of a block of {} warps, from one to the next", warps));
    one.launches = [warps](const Device& device) {
      std::vector<MicrobenchLaunch> launches = every_sm(device);
      launches.front().block = warps * warp_lanes;
      return launches;
    };
    all.push_back(std::move(one));
  }
  Microbenchmark loop = latency("branch.loop", "branches", "FFMA", 0,
                                "closing a loop around a chain of dependent instructions");
  loop.method = MicrobenchMethod::loop_branch;
  loop.limit = no_limit;
  constexpr int chained = 32 + 16 + 16 + 16 + 32;
  loop.expected = {{"FFMA", chained}};
  loop.expected_share = 0.7;
  loop.launches = [](const Device& device) {
    std::vector<MicrobenchLaunch> launches = one_warp(device);
    launches.front().repeats = 4096;
    launches.front().stamps = StampKind::phases;
    launches.front().phases = branch_phases;
    return launches;
  };
  Microbenchmark divergent = loop;
  divergent.name = "branch.divergent";
  divergent.method = MicrobenchMethod::divergent_branch;
  divergent.proves = "a branch whose lanes part, beyond the time of both sides";
  all.push_back(std::move(loop));
  all.push_back(std::move(divergent));

  for (const std::uint32_t block : {32U, 1024U}) {
    Microbenchmark one;
    one.name = fmt::format("block.launch.{}", block);
    one.unit = "blocks/s";
    one.proves = fmt::format("blocks of {} threads that do nothing", block);
    one.function = "nothing";
    one.method = MicrobenchMethod::per_second;
    one.work = 32.0 / block;
    one.launches = [block](const Device&) { return many_blocks(1U << 19U, block); };
    one.limit = no_limit;
    one.datasheet = no_datasheet;
    all.push_back(std::move(one));
  }
  Microbenchmark launch;
  launch.name = "launch.row";
  launch.unit = "s";
  launch.proves = "from one empty kernel to the next in a stream";
  launch.function = "nothing";
  launch.method = MicrobenchMethod::seconds_per_launch;
  launch.launches = [](const Device&) { return many_blocks(1, 32); };
  launch.limit = no_limit;
  launch.datasheet = no_datasheet;
  all.push_back(launch);
  launch.name = "launch.pair";
  launch.proves = "one empty kernel between two events";
  launch.method = MicrobenchMethod::seconds_per_pair;
  all.push_back(std::move(launch));
}

void add_queues(std::vector<Microbenchmark>& all) {
  constexpr std::uint32_t sub_partitions = 4;
  for (const bool shared : {true, false}) {
    for (const std::uint32_t warps : {1U, 4U}) {
      Microbenchmark one;
      one.name = fmt::format("queue.{}.{}", shared ? "shared" : "global",
                             warps == 1 ? "warp" : "sub-partition");
      one.unit = "loads";
      one.proves =
          fmt::format("{} loads that {} issued before one waited", shared ? "shared" : "global",
                      warps == 1 ? "one warp" : "four warps of a sub-partition");
      one.function = fmt::format("queue_depth<{}>", shared ? "SharedQueue" : "GlobalQueue");
      one.method = MicrobenchMethod::queue_depth;
      one.launches = [warps](const Device&) {
        MicrobenchLaunch launch;
        launch.block = ((warps - 1) * sub_partitions + 1) * warp_lanes;
        launch.repeats = 2;
        launch.extent = warps;
        launch.stride = sub_partitions;
        launch.data_bytes = l1_reach_bytes;
        launch.stamps = StampKind::phases;
        launch.phases = queue_phases;
        launch.participants = warps;
        return std::vector{launch};
      };
      one.limit = no_limit;
      one.datasheet = no_datasheet;
      all.push_back(std::move(one));
    }
  }
}

std::vector<Microbenchmark> make_all() {
  std::vector<Microbenchmark> all;
  add_arithmetic_rates(all);
  add_tensor(all);
  add_latencies(all);
  add_shared_memory(all);
  add_global_memory(all);
  add_atomics(all);
  add_control(all);
  add_queues(all);
  return all;
}

/// Loads that the slowest warp issued before the first one that took as long as those at the end.
double loads_before_a_wait(const Microbenchmark& benchmark, const MicrobenchReading& reading) {
  std::vector<double> added;
  for (std::size_t i = 1; i < reading.phase_cycles.size(); ++i) {
    added.push_back(reading.phase_cycles[i] - reading.phase_cycles[i - 1]);
  }
  constexpr std::size_t few = 3;
  constexpr std::size_t many = 8;
  if (added.size() < few + many) {
    fail(fmt::format("{} has {} phases, too few", benchmark.name, reading.phase_cycles.size()));
  }
  const auto middle = [](std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  };
  const double early = middle({added.begin(), added.begin() + few});
  const double late = middle({added.end() - many, added.end()});
  const double threshold = (early + late) / 2;
  constexpr double clearly = 1.5;
  const auto first = std::ranges::find_if(added, [&](double cycles) { return cycles > threshold; });
  if (late < clearly * early || first == added.end()) {
    throw Error(ErrorKind::unavailable, fmt::format("{}: {} loads were issued and none waited",
                                                    benchmark.name, reading.phase_cycles.size()));
  }
  return static_cast<double>(first - added.begin() + 1) * reading.participants;
}

}  // namespace

bool more_is_better(MicrobenchMethod method) {
  switch (method) {
    case MicrobenchMethod::per_clock:
    case MicrobenchMethod::per_second:
    case MicrobenchMethod::per_device_clock:
      return true;
    default:
      return false;
  }
}

double microbench_value(const Microbenchmark& benchmark, const MicrobenchReading& reading) {
  const double work = benchmark.work * reading.repeats;
  const std::vector<double>& phases = reading.phase_cycles;
  switch (benchmark.method) {
    case MicrobenchMethod::per_clock:
      return work * reading.sm_warps / reading.sm_cycles;
    case MicrobenchMethod::cycles_per_work:
      return reading.sm_cycles / (work * reading.sm_warps);
    case MicrobenchMethod::latency:
      return reading.sm_cycles / work;
    case MicrobenchMethod::per_second:
      return work * reading.warps / reading.seconds;
    case MicrobenchMethod::per_device_clock:
      if (reading.clock_hz <= 0) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("{}: the run was too short to tell the clock", benchmark.name));
      }
      return work * reading.warps / (reading.seconds * reading.clock_hz);
    case MicrobenchMethod::seconds_per_launch:
    case MicrobenchMethod::seconds_per_pair:
      return reading.seconds;
    case MicrobenchMethod::loop_branch:
      return (2 * phases.at(1) - phases.at(0)) / reading.repeats;
    case MicrobenchMethod::divergent_branch: {
      const double side = phases.at(0) - phases.at(1);
      return (phases.at(4) - (phases.at(2) + phases.at(3)) / 2 - side) / reading.repeats;
    }
    case MicrobenchMethod::queue_depth:
      return loads_before_a_wait(benchmark, reading);
    case MicrobenchMethod::phase_quantile: {
      const std::optional<double> cycles = perfmodel::quantile(phases, benchmark.quantile);
      if (!cycles) {
        fail(fmt::format("{} has no phases", benchmark.name));
      }
      return *cycles;
    }
  }
  return 0.0;
}

int compute_capability(const Device& device) {
  constexpr std::string_view prefix = "sm_";
  const std::string_view text = device.architecture;
  int value = 0;
  if (text.starts_with(prefix)) {
    for (const char digit : text.substr(prefix.size())) {
      if (digit < '0' || digit > '9' || value > 1000) {
        value = 0;
        break;
      }
      value = 10 * value + (digit - '0');
    }
  }
  if (value == 0) {
    fail(fmt::format("architecture '{}' of {} is not like sm_90", printable(text), device.name));
  }
  return value;
}

const std::vector<Microbenchmark>& microbenchmarks() {
  static const std::vector<Microbenchmark> all = make_all();
  return all;
}

std::vector<const Microbenchmark*> matching_microbenchmarks(const std::string& pattern) {
  std::regex regex;
  try {
    regex.assign(pattern);
  } catch (const std::regex_error& error) {
    fail(fmt::format("--only '{}' is not a regular expression: {}", printable(pattern),
                     error.what()));
  }
  std::vector<const Microbenchmark*> found;
  std::vector<std::string> names;
  for (const Microbenchmark& one : microbenchmarks()) {
    names.push_back(one.name);
    if (std::regex_match(one.name, regex)) {
      found.push_back(&one);
    }
  }
  if (found.empty()) {
    fail(fmt::format("no micro-benchmark matches '{}'{}; 'perfmodel calibrate --list' shows all {}",
                     printable(pattern), did_you_mean(pattern, names), names.size()));
  }
  return found;
}

}  // namespace perfmodel::kernels
