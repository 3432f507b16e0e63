#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/sass/assembled.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::sass::testing {
namespace {

using perfmodel::testing::error_of;

/// The same whether the launch is counted or run.
std::string error_for(const Assembled& kernel, const EmulationOptions& how = {}) {
  const std::string counted = error_of([&] { (void)kernel.count(how); });
  EXPECT_EQ(error_of([&] { (void)kernel.run(how); }), counted);
  return counted;
}

const std::string how_to_report =
    " is not known to the emulator; report this line as a defect of perfmodel, or count and flag "
    "such instructions with --count-unknown";

TEST(EmulatorErrors, UnknownInstructions) {
  EXPECT_EQ(error_for(Assembled("NOP\nFROB.X R1,R2\nEXIT")),
            "kernel: the opcode of 'FROB.X R1,R2' at address 0x0010 (sm_90)" + how_to_report);
  EXPECT_EQ(error_for(Assembled("IADD3.WEIRD R1,R2,R3,RZ\nEXIT")),
            "kernel: the modifier .WEIRD of 'IADD3.WEIRD R1,R2,R3,RZ' at address 0x0000 (sm_90)" +
                how_to_report);
  EXPECT_EQ(
      error_for(Assembled("IADD3 R1,R2,Q3,RZ\nEXIT")),
      "kernel: the operand 'Q3' of 'IADD3 R1,R2,Q3,RZ' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(error_for(Assembled("MOV R1,R2,R3\nEXIT")),
            "kernel: the operand 'R3' of 'MOV R1,R2,R3' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(
      error_for(Assembled("IADD3 R1\nEXIT")),
      "kernel: the number of operands of 'IADD3 R1' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(error_for(Assembled("MUFU.RCP64H R1\nEXIT")),
            "kernel: the number of operands of 'MUFU.RCP64H R1' at address 0x0000 (sm_90)" +
                how_to_report);
  EXPECT_EQ(error_for(Assembled("STG.E.128 [R2.64],0x5\nEXIT")),
            "kernel: the operand '0x5' of 'STG.E.128 [R2.64],0x5' at address 0x0000 (sm_90)" +
                how_to_report);
  EXPECT_EQ(error_for(Assembled("LDG.E R1,R2\nEXIT")),
            "kernel: the address 'R2' of 'LDG.E R1,R2' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(error_for(Assembled("@Q0 EXIT")),
            "kernel: guard 'Q0' at address 0x0000 is not a predicate");
  // Nothing of a hostile name reaches the terminal.
  EXPECT_EQ(error_for(Assembled("FR\x1bOB R1\nEXIT")),
            "kernel: the opcode of 'FR?OB R1' at address 0x0000 (sm_90)" + how_to_report);
}

TEST(EmulatorErrors, UnknownInstructionsAreCountedOnRequest) {
  EmulationOptions how;
  how.count_unknown = true;
  const Assembled unused("FROB.X R1,R2\nFROB.X R1,R2\nMOV.WEIRD R1,R2\nEXIT");
  const MachineLedger ledger = unused.count(how);
  EXPECT_EQ(ledger.unknown,
            (std::vector<std::pair<std::string, double>>{{"FROB.X", 2}, {"MOV.WEIRD", 1}}));
  EXPECT_FALSE(ledger.results_affected);
  EXPECT_EQ(ledger.totals.warp_instructions, 4);
  EXPECT_EQ(unused.run(how).ledger.unknown, ledger.unknown);
  // A result that decides where control goes.
  const Assembled used("FROB R1,R2\nISETP.NE.AND P0,PT,R1,RZ,PT\n@P0 BRA out\nNOP\nout:\nEXIT");
  EXPECT_TRUE(used.count(how).results_affected);
  EXPECT_TRUE(used.run(how).ledger.results_affected);
}

TEST(EmulatorErrors, Jumps) {
  EXPECT_EQ(error_for(Assembled("BRA 0x40\nEXIT")),
            "kernel: the target '0x40' of 'BRA 0x40' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(error_for(Assembled("BRA 0x8\nEXIT")),
            "kernel: the target '0x8' of 'BRA 0x8' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(
      error_for(Assembled("BRA `(.L_1)\nEXIT")),
      "kernel: the target '`(.L_1)' of 'BRA `(.L_1)' at address 0x0000 (sm_90)" + how_to_report);
  EXPECT_EQ(error_for(Assembled("MOV R2,0x1000\nMOV R3,RZ\nBRX R2,-0x30\nEXIT")),
            "kernel: the jump at address 0x0020 (kernel.cu:3) leaves the code (to 0x1000)");
  EXPECT_EQ(error_for(Assembled("MOV R2,0x18\nMOV R3,RZ\nRET.REL.NODEC R2,0x0\nEXIT")),
            "kernel: the jump at address 0x0020 (kernel.cu:3) leaves the code (to 0x18)");
}

TEST(EmulatorErrors, CodeWithoutExit) {
  EXPECT_EQ(error_for(Assembled("MOV R1,R2")),
            "kernel: the code ends at address 0x0010 without EXIT");
  EXPECT_EQ(error_for(Assembled("@P0 EXIT")),
            "kernel: the code ends at address 0x0010 without EXIT");
  EXPECT_EQ(error_for(Assembled("")), "kernel: the code ends at address 0x0000 without EXIT");
}

TEST(EmulatorErrors, Arguments) {
  Assembled kernel("EXIT");
  kernel.buffer(64).value(1);
  EXPECT_EQ(kernel.count().totals.warp_instructions, 1);
  Assembled fewer = kernel;
  fewer.launch.arguments.pop_back();
  EXPECT_EQ(
      error_for(fewer),
      "kernel takes 2 parameters (of 8, 4 bytes), but the launch gives 1 argument; give one for "
      "each, in their order");
  Assembled more("EXIT");
  more.launch.arguments.emplace_back(ValueArgument{});
  EXPECT_EQ(
      error_for(more),
      "kernel takes 0 parameters, but the launch gives 1 argument; give one for each, in their "
      "order");
  Assembled swapped = kernel;
  std::swap(swapped.launch.arguments[0], swapped.launch.arguments[1]);
  EXPECT_EQ(
      error_for(swapped),
      "kernel: parameter 1 has 8 bytes, but argument 1 is a value of 4; give an i64, u64, f64 or "
      "a buffer");
  Assembled address = kernel;
  address.launch.arguments[1] = address.launch.arguments[0];
  EXPECT_EQ(error_for(address),
            "kernel: parameter 2 has 4 bytes, but argument 2 is a buffer, an address of 8; give an "
            "i32, u32 or f32");
  Assembled structure = kernel;
  structure.function().parameters[0].size_bytes = 24;
  EXPECT_EQ(error_for(structure),
            "kernel: parameter 1 has 24 bytes, but argument 1 is a buffer, an address of 8; "
            "structures cannot be described");
  Assembled narrow = kernel;
  narrow.function().parameters[1].size_bytes = 1;
  EXPECT_EQ(narrow.count().totals.warp_instructions, 1) << "a char is given as an int";
  Assembled data = kernel;
  auto& buffer = std::get<BufferArgument>(data.launch.arguments[0]);
  buffer.fill = Fill::data;
  EXPECT_EQ(error_for(data), "argument 1: 0 bytes of data for a buffer of 64");
}

TEST(EmulatorErrors, Geometry) {
  EXPECT_EQ(error_for(Assembled("EXIT").grid(0)),
            "kernel: grid [0, 1, 1] is impossible: extent x must be 1 to 2147483647");
  EXPECT_EQ(error_for(Assembled("EXIT").grid(1, 65536)),
            "kernel: grid [1, 65536, 1] is impossible: extent y must be 1 to 65535");
  EXPECT_EQ(error_for(Assembled("EXIT").block(1, 1, 65)),
            "kernel: block [1, 1, 65] is impossible: extent z must be 1 to 64");
  EXPECT_EQ(error_for(Assembled("EXIT").block(1025)),
            "kernel: block [1025, 1, 1] is impossible: extent x must be 1 to 1024");
  EXPECT_EQ(error_for(Assembled("EXIT").block(32, 33)),
            "kernel: a block of 1056 threads exceeds the limit of 1024");
  Assembled bounded("EXIT");
  bounded.function().max_threads = 256;
  EXPECT_EQ(error_for(bounded.block(257)),
            "kernel: a block of 257 threads exceeds the kernel's declared 256");
  Assembled large("EXIT");
  large.launch.dynamic_shared_bytes = 0xffffffffU;
  EXPECT_EQ(error_for(large.shared(1024)),
            "kernel: 1024 static and 4294967295 dynamic bytes of shared memory exceed 233472");
}

TEST(EmulatorErrors, EndlessLoop) {
  EmulationOptions how;
  how.instruction_budget = 1000;
  EXPECT_EQ(error_for(Assembled("NOP\nagain:\nNOP\nIADD3 R1,R1,0x1,RZ\nBRA again\nEXIT"), how),
            "kernel: block (0,0,0) did not end within 1000 warp instructions; it loops from "
            "address 0x0010 (kernel.cu:2) to address 0x0030 (kernel.cu:4). Raise the limit with "
            "--max-instructions if that is no endless loop");
  // The inner loop ends; the outer one does not.
  EXPECT_EQ(error_for(Assembled("outer:\nMOV R1,RZ\ninner:\nIADD3 R1,R1,0x1,RZ\n"
                                "ISETP.LT.AND P0,PT,R1,0x2,PT\n@P0 BRA inner\nBRA outer\nEXIT"),
                      how)
                .substr(0, 81),
            "kernel: block (0,0,0) did not end within 1000 warp instructions; it loops from ad");
  how.instruction_budget = 1'000'000'000;
  EXPECT_EQ(Assembled("MOV R1,RZ\nagain:\nIADD3 R1,R1,0x1,RZ\nISETP.LT.AND P0,PT,R1,0x7d0,PT\n"
                      "@P0 BRA again\nEXIT")
                .count(how)
                .totals.warp_instructions,
            2 + 3 * 2000);
}

TEST(EmulatorErrors, BarrierDeadlock) {
  // Warps 1 and 2 of four wait at one barrier, the others at another.
  const std::string message =
      error_for(Assembled("S2R R0,SR_TID.X\nSHF.R.U32.HI R0,RZ,0x5,R0\nIADD3 R1,R0,-0x1,RZ\n"
                          "ISETP.LT.U32.AND P0,PT,R1,0x2,PT\n@P0 BAR.SYNC.DEFER_BLOCKING 0x0\n"
                          "@!P0 BAR.SYNC.DEFER_BLOCKING 0x1\nEXIT")
                    .block(128));
  EXPECT_EQ(message,
            "kernel: block (0,0,0) is deadlocked at a barrier that not all of its threads reach: "
            "warp 0 (lanes 0xffffffff) at address 0x0050 (kernel.cu:6), warp 1 (lanes 0xffffffff) "
            "at address 0x0040 (kernel.cu:5), warp 2 (lanes 0xffffffff) at address 0x0040 "
            "(kernel.cu:5), warp 3 (lanes 0xffffffff) at address 0x0050 (kernel.cu:6)");
  // More threads are wanted than the block has.
  EXPECT_EQ(error_for(Assembled("BAR.SYNC.DEFER_BLOCKING 0x1, 0x80\nEXIT").block(64)),
            "kernel: block (0,0,0) is deadlocked at a barrier that not all of its threads reach: "
            "warp 0 (lanes 0xffffffff) at address 0x0000 (kernel.cu:1), warp 1 (lanes 0xffffffff) "
            "at address 0x0000 (kernel.cu:1)");
  EXPECT_TRUE(error_for(Assembled("BAR.SYNC.DEFER_BLOCKING 0x1, 0x800\nEXIT").block(1024))
                  .ends_with(" and 28 more"));
  // Warps that have ended are not waited for.
  EXPECT_EQ(Assembled("S2R R0,SR_TID.X\nISETP.GE.AND P0,PT,R0,0x20,PT\n@P0 EXIT\n"
                      "BAR.SYNC.DEFER_BLOCKING 0x0\nEXIT")
                .block(64)
                .count()
                .totals.barriers,
            1);
}

TEST(EmulatorErrors, Trap) {
  EXPECT_EQ(error_for(Assembled("NOP\nBPT.TRAP 0x1\nEXIT").block(64)),
            "kernel: block (0,0,0) runs into a trap at address 0x0010 (kernel.cu:2)");
  EXPECT_EQ(Assembled("@!PT BPT.TRAP 0x1\nEXIT").count().totals.warp_instructions, 2);
}

/// The first of several failing blocks is reported, whichever thread comes to one first.
TEST(EmulatorErrors, FirstBlockIsReported) {
  Assembled kernel("S2R R0,SR_CTAID.X\nISETP.GE.AND P0,PT,R0,0x3,PT\n@P0 BPT.TRAP 0x1\nEXIT");
  kernel.grid(64);
  EmulationOptions how;
  for (const unsigned threads : {1U, 2U, 5U}) {
    how.threads = threads;
    EXPECT_EQ(error_of([&] { (void)kernel.run(how); }),
              "kernel: block (3,0,0) runs into a trap at address 0x0020 (kernel.cu:3)");
  }
}

TEST(EmulatorErrors, KindIsBadInput) {
  try {
    (void)Assembled("FROB R1\nEXIT").count();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  }
}

}  // namespace
}  // namespace perfmodel::sass::testing
