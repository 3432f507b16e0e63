#include "model/sass/slice.hpp"

#include <gtest/gtest.h>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

struct Sliced {
  SliceResult result;
  std::string needed;  ///< "x" for every instruction that is, "." otherwise
};

Sliced slice(const std::string& text) {
  Function function;
  function.name = "kernel";
  function.instructions = assemble(text);
  Code code = decode(function, 90);
  Sliced sliced;
  sliced.result = slice_for_counting(code);
  for (const Instruction& instruction : code.instructions) {
    sliced.needed += instruction.needed ? 'x' : '.';
  }
  return sliced;
}

bool data_independent(const std::string& text) { return slice(text).result.data_independent; }

TEST(Slice, ValuesThatNothingCountedDependsOnAreLeftOut) {
  const Sliced sliced = slice(
      "S2R R0,SR_TID.X\n"                    // x: address
      "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\n"  // x: address
      "LDG.E R4,[R2.64]\n"                   // value
      "FFMA R5,R4,R4,R4\n"                   // value
      "STG.E [R2.64],R5\n"                   // nothing needs what it stores
      "EXIT");
  EXPECT_EQ(sliced.needed, "xx...x");
  EXPECT_TRUE(sliced.result.data_independent);
  EXPECT_FALSE(sliced.result.depends_on_not_computed);
}

TEST(Slice, LoadedValuesThatMatter) {
  const std::string load = "LDG.E R4,[R2.64]\n";
  EXPECT_FALSE(data_independent(load + "LDG.E R6,[R4.64]\nEXIT")) << "an address";
  EXPECT_FALSE(data_independent(load + "ISETP.NE.AND P0,PT,R4,RZ,PT\n@P0 EXIT\nNOP\nEXIT"))
      << "a branch";
  EXPECT_FALSE(data_independent(load + "ISETP.NE.AND P0,PT,R4,RZ,PT\n@P0 NOP\n@P0 STS [RZ],RZ\n"
                                       "EXIT"))
      << "a guard";
  EXPECT_FALSE(data_independent(load + "BAR.SYNC R4\nEXIT")) << "a barrier's number";
  EXPECT_FALSE(data_independent("ATOMG.E.ADD R4,[R2.64],R0\nSTG.E [R4.64],R0\nEXIT"))
      << "an atomic's result";
  EXPECT_TRUE(data_independent("ATOMG.E.ADD R4,[R2.64],R0\nSTG.E [R2.64],R4\nEXIT"));
  EXPECT_TRUE(data_independent(load + "MOV R4,RZ\nLDS R6,[R4]\nEXIT")) << "overwritten first";
  EXPECT_TRUE(data_independent("LDC R4,c[0x0][0x210]\nLDS R6,[R4]\nEXIT")) << "a parameter";
}

TEST(Slice, ThroughSharedMemory) {
  // The index goes through shared memory, computed or loaded.
  const std::string read_back = "BAR.SYNC 0x0\nLDS R5,[RZ]\nLDS R6,[R5]\nEXIT";
  const Sliced computed = slice("S2R R4,SR_TID.X\nSTS [RZ],R4\n" + read_back);
  EXPECT_TRUE(computed.result.data_independent);
  EXPECT_EQ(computed.needed, "xxxx.x");
  EXPECT_FALSE(data_independent("LDG.E R4,[R2.64]\nSTS [RZ],R4\n" + read_back));
  // LDGSTS brings global memory into shared.
  EXPECT_FALSE(data_independent("LDGSTS.E [R0],[R2.64]\n" + read_back));
  EXPECT_TRUE(data_independent("LDGSTS.E [R0],[R2.64]\nBAR.SYNC 0x0\nLDS R5,[RZ]\nEXIT"));
  // Through local memory, as spilled registers go.
  EXPECT_TRUE(data_independent("S2R R4,SR_TID.X\nSTL [R1],R4\nLDL R5,[R1]\nLDS R6,[R5]\nEXIT"));
  EXPECT_FALSE(data_independent("LDG.E R4,[R2.64]\nSTL [R1],R4\nLDL R5,[R1]\nLDS R6,[R5]\nEXIT"));
}

TEST(Slice, AroundALoop) {
  // R4 is an address only in the next round.
  EXPECT_FALSE(
      data_independent("MOV R4,RZ\nagain:\nLDS R6,[R4]\nLDG.E R4,[R2.64]\nIADD3 R0,R0,0x1,RZ\n"
                       "ISETP.LT.AND P0,PT,R0,0x9,PT\n@P0 BRA again\nEXIT"));
  EXPECT_TRUE(
      data_independent("MOV R4,RZ\nagain:\nFADD R6,R6,R4\nLDG.E R4,[R2.64]\nIADD3 R0,R0,0x1,RZ\n"
                       "ISETP.LT.AND P0,PT,R0,0x9,PT\n@P0 BRA again\nEXIT"));
}

TEST(Slice, GuardsWithTheSameAndOppositePredicates) {
  const std::string load = "LDG.E R4,[R2.64]\n";
  // The address is written under the guard of the load that uses it: what R4 held does not matter.
  EXPECT_TRUE(data_independent(load + "@P0 MOV R4,RZ\n@P0 LDS R6,[R4]\nEXIT"));
  EXPECT_TRUE(data_independent(load + "@!P0 MOV R4,RZ\n@!P0 LDS R6,[R4]\nEXIT"));
  EXPECT_FALSE(data_independent(load + "@P0 MOV R4,RZ\n@!P0 LDS R6,[R4]\nEXIT"));
  EXPECT_FALSE(data_independent(load + "@P0 MOV R4,RZ\n@P1 LDS R6,[R4]\nEXIT"));
  EXPECT_FALSE(data_independent(load + "@P0 MOV R4,RZ\nLDS R6,[R4]\nEXIT"));
  // Both halves of the warp are served.
  EXPECT_TRUE(data_independent(load + "@P0 MOV R4,RZ\n@!P0 MOV R4,0x4\nLDS R6,[R4]\nEXIT"));
  // The guard means something else by the time of the load.
  EXPECT_FALSE(data_independent(load + "@P0 MOV R4,RZ\nISETP.LT.AND P0,PT,R0,0x9,PT\n"
                                       "@P0 LDS R6,[R4]\nEXIT"));
  EXPECT_TRUE(data_independent("@P0 LDG.E R4,[R2.64]\n@!P0 LDS R6,[R4]\nEXIT"));
}

TEST(Slice, PredicatesFromLoadedValues) {
  // Selecting between values is data; selecting between addresses is not.
  const std::string condition = "LDG.E R4,[R2.64]\nISETP.NE.AND P0,PT,R4,RZ,PT\n";
  EXPECT_TRUE(data_independent(condition + "SEL R5,R6,R7,P0\nSTG.E [R2.64],R5\nEXIT"));
  EXPECT_FALSE(data_independent(condition + "SEL R5,R6,R7,P0\nSTS [R5],R6\nEXIT"));
  EXPECT_FALSE(data_independent(condition + "P2R R5,PR,RZ,0x1\nSTS [R5],R6\nEXIT"));
  EXPECT_FALSE(data_independent(condition + "VOTE.ANY P1,P0\n@P1 EXIT\nNOP\nEXIT"));
  EXPECT_FALSE(data_independent(condition + "@P0 FADD R5,R5,R4\nSTG.E [R2.64],R5\nEXIT"))
      << "lanes are counted by their guards";
}

TEST(Slice, AcrossLanes) {
  EXPECT_FALSE(data_independent("LDG.E R4,[R2.64]\nSHFL.IDX PT,R5,R4,RZ,0x1f\nLDS R6,[R5]\nEXIT"));
  EXPECT_FALSE(data_independent("LDG.E R4,[R2.64]\nR2UR UR4,R4\nLDS R6,[UR4]\nEXIT"));
  EXPECT_TRUE(
      data_independent("LDG.E R4,[R2.64]\nSHFL.BFLY PT,R5,R4,0x1,0x1f\nFADD R4,R4,R5\n"
                       "STG.E [R2.64],R4\nEXIT"));
}

TEST(Slice, NotComputedResults) {
  const std::string mma = "HMMA.16816.F32 R4,R8,R12,RZ\n";
  EXPECT_FALSE(slice(mma + "STG.E.128 [R2.64],R4\nEXIT").result.depends_on_not_computed);
  EXPECT_TRUE(slice(mma + "LDS R6,[R7]\nEXIT").result.depends_on_not_computed);
}

TEST(Slice, ATensorResultHasNoMoreRegistersThanItsType) {
  // With 16-bit sums the result takes R4 and R5 alone; R6 still holds an address.
  const std::string half = "HMMA.16816.F16 R4,R8,R12,RZ\n";
  EXPECT_TRUE(slice(half + "LDS R9,[R5]\nEXIT").result.depends_on_not_computed);
  EXPECT_FALSE(slice(half + "LDS R9,[R6]\nEXIT").result.depends_on_not_computed);
  const std::string single = "HMMA.16816.F32 R4,R8,R12,RZ\n";
  EXPECT_TRUE(slice(single + "LDS R9,[R7]\nEXIT").result.depends_on_not_computed);
}

TEST(Slice, NothingIsProvedOfIndirectJumps) {
  const Sliced sliced = slice("MOV R2,RZ\nMOV R3,RZ\nFADD R4,R4,R5\nBRX R2,-0x40\nEXIT");
  EXPECT_FALSE(sliced.result.data_independent);
  EXPECT_EQ(sliced.needed, "xxxxx");
}

TEST(Slice, RunsOfUnneededInstructionsAreSkippedTogether) {
  Function function;
  function.instructions =
      assemble("FADD R4,R4,R5\nFADD R4,R4,R5\nNOP\n@P0 FADD R4,R4,R5\nNOP\nBAR.SYNC 0x0\nEXIT");
  Code code = decode(function, 90);
  (void)slice_for_counting(code);
  std::vector<int> skips;
  for (const Instruction& instruction : code.instructions) {
    skips.push_back(instruction.skip);
  }
  EXPECT_EQ(skips, (std::vector<int>{3, 2, 1, 0, 1, 0, 0}));
}

/// Loads of several registers, and which of those nothing reads.
std::vector<unsigned> unread_of(const std::string& text) {
  Function function;
  function.instructions = assemble(text);
  Code code = decode(function, 90);
  find_unread_loads(code);
  std::vector<unsigned> masks;
  for (const Instruction& instruction : code.instructions) {
    if (instruction.op == Op::load) {
      masks.push_back(instruction.unread_rows);
    }
  }
  return masks;
}

TEST(UnreadLoads, Registers) {
  EXPECT_EQ(unread_of("LDS.128 R4,[RZ]\nFFMA R0,R4,R5,R6\nSTS [RZ],R0\nEXIT"),
            std::vector<unsigned>{8});
  EXPECT_EQ(unread_of("LDS.128 R4,[RZ]\nSTS.128 [RZ],R4\nEXIT"), std::vector<unsigned>{0});
  EXPECT_EQ(unread_of("LDS.64 R4,[RZ]\nSTS [RZ],R5\nEXIT"), std::vector<unsigned>{1});
  EXPECT_EQ(unread_of("LDS.64 R4,[RZ]\nDADD R6,R4,R4\nSTS.64 [RZ],R6\nEXIT"),
            std::vector<unsigned>{0});
  EXPECT_EQ(unread_of("LDS R4,[RZ]\nEXIT"), std::vector<unsigned>{1});
  EXPECT_EQ(unread_of("LDS.128 RZ,[RZ]\nEXIT"), std::vector<unsigned>{15}) << "a prefetch";
}

TEST(UnreadLoads, ValuesMatterNotOnlyCounts) {
  // A value that nothing counted depends on is read all the same.
  EXPECT_EQ(unread_of("LDG.E.128 R4,[R2.64]\nFADD R9,R4,R7\nEXIT"), std::vector<unsigned>{6});
}

TEST(UnreadLoads, NothingIsSaidWhereControlOrReadsAreUnknown) {
  EXPECT_EQ(unread_of("LDS.128 R4,[RZ]\nHMMA.16816.F32 R12,R20,R24,RZ\nEXIT"),
            std::vector<unsigned>{0});
  EXPECT_EQ(unread_of("LDS.128 R4,[RZ]\nBRX R2,-0x20\nEXIT"), std::vector<unsigned>{0});
}

}  // namespace
}  // namespace perfmodel::sass::testing
