#include <benchmark/benchmark.h>

#include <filesystem>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/load.hpp"
#include "tests/sass/assembled.hpp"

namespace {

namespace kernels = perfmodel::kernels;
namespace sass = perfmodel::sass;
using sass::testing::Assembled;

constexpr std::uint32_t rounds = 20'000;

/// `body` `rounds` times, by a block of eight warps. R1 and R2 hold an address in shared and global
/// memory, 4 bytes from thread to thread; R8 and R20 the same with 16 bytes.
Assembled loop_of(const std::string& body) {
  return Assembled(
             "S2R R0,SR_TID.X\nSHF.L.U32 R1,R0,0x2,RZ\nSHF.L.U32 R8,R0,0x4,RZ\n"
             "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nIMAD.WIDE R20,R0,0x10,c[0x0][0x210]\n"
             "MOV R9," +
             std::to_string(rounds) + "\nSTS.128 [R8],R4\nBAR.SYNC 0x0\nagain:\n" + body +
             "IADD3 R9,R9,-0x1,RZ\nISETP.NE.AND P0,PT,R9,RZ,PT\n@P0 BRA again\nEXIT")
      .block(256)
      .shared(16384)
      .buffer(16384, sass::Fill::random_f32);
}

/// One core; items are warp instructions.
void run(benchmark::State& state, const Assembled& kernel, bool find_defects) {
  sass::EmulationOptions how;
  how.threads = 1;
  how.find_defects = find_defects;
  double instructions = 0;
  for (auto _ : state) {
    instructions += kernel.run(how).ledger.totals.warp_instructions;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}

/// Arithmetic with every value computed.
void emulate_arithmetic(benchmark::State& state) {
  run(state,
      loop_of(
          "FFMA R4,R4,R5,R6\nFFMA R5,R5,R6,R7\nFFMA R6,R6,R7,R4\nFFMA R7,R7,R4,R5\n"
          "FADD R10,R4,R5\nFMUL R11,R6,-R7\nFFMA R12,R10,R11,1.5\nIADD3 R13,R0,R9,R12\n"
          "IMAD R14,R13,R9,R0\nLOP3.LUT R15,R13,R14,0xff,0x96,!PT\nSHF.R.U32.HI R16,RZ,0x3,R15\n"
          "LEA R17,R16,R0,0x2\nISETP.GT.AND P1,PT,R17,R13,PT\nSEL R18,R17,R16,P1\n"
          "@P1 FADD R4,R4,1\n"),
      true);
}
BENCHMARK(emulate_arithmetic)->Unit(benchmark::kMillisecond);

/// Loads and stores with every value moved; with and without looking for races and unwritten
/// memory.
void emulate_memory(benchmark::State& state) {
  run(state,
      loop_of("LDG.E R4,[R2.64]\nSTS [R1+0x1140],R4\nLDS R5,[R1+0x1140]\n"
              "STG.E [R2.64+0x1180],R5\nLDG.E.128 R12,[R20.64]\nSTS.128 [R8+0x2340],R12\n"
              "LDS.128 R16,[R8]\nLDS.128 R24,[RZ]\nFFMA R4,R4,R16,R24\nFFMA R5,R5,R17,R25\n"
              "FFMA R6,R6,R18,R26\nFFMA R7,R7,R19,R27\nSTG.E.128 [R20.64+0x2280],R4\n"),
      state.range(0) != 0);
}
BENCHMARK(emulate_memory)->ArgName("find_defects")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// A kernel whose values need not be computed to count it.
void count_k6_1024(benchmark::State& state) {
  const auto modules = sass::load_modules(std::filesystem::path(PERFMODEL_SOURCE_SPECS) /
                                          "listings" / "sm_90.json.gz");
  const kernels::Kernel& kernel = kernels::find_kernel("K6");
  const auto problem =
      kernels::make_problem(kernel, perfmodel::Shape({{"m", 1024}, {"n", 1024}, {"k", 1024}}));
  const std::string name = kernels::machine_function(kernel, problem->shape());
  const sass::Launch launch =
      kernels::machine_launches(kernel, *problem, kernels::Contents::indices).front();
  sass::EmulationOptions how;
  how.threads = 1;
  how.all_blocks = true;
  double instructions = 0;
  for (auto _ : state) {
    for (const sass::Module& module : modules) {
      for (const sass::Function& function : module.functions) {
        if (function.name == name) {
          instructions +=
              sass::count_launch(module, function, launch, how).totals.warp_instructions;
        }
      }
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}
BENCHMARK(count_k6_1024)->Unit(benchmark::kMillisecond);

}  // namespace
