// Which loads from global memory find their sectors in L1, seen from the wavefronts they take.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

/// R2: an address 20 bytes behind the one of the lane before. A load from there touches five lines
/// and all of their sectors: one wavefront where all are in L1, otherwise two.
constexpr const char* addresses =
    "S2R R0,SR_TID.X\nLOP3.LUT R0,R0,0x1f,RZ,0xc0,!PT\nIMAD.WIDE R2,R0,0x14,c[0x0][0x210]\n";

/// Wavefronts of every load, in order.
std::vector<double> load_wavefronts(const std::string& text, std::uint32_t threads = 32) {
  Assembled kernel(std::string(addresses) + text + "EXIT");
  kernel.buffer(8192).block(threads);
  const MachineLedger counted = kernel.count();
  const MachineLedger run = kernel.run().ledger;
  std::vector<double> wavefronts;
  for (std::size_t i = 0; i < counted.lines.size(); ++i) {
    if (counted.lines[i].opcode == "LDG.E") {
      wavefronts.push_back(counted.lines[i].counts.wavefronts);
      EXPECT_EQ(run.lines[i].counts.wavefronts, wavefronts.back());
    }
  }
  return wavefronts;
}

using Wavefronts = std::vector<double>;

TEST(Misses, UntilTheResultIsUsed) {
  EXPECT_EQ(load_wavefronts("LDG.E R4,[R2.64]\nLDG.E R5,[R2.64+0x4]\nFADD R6,R4,R4\n"
                            "LDG.E R7,[R2.64+0x8]\n"),
            (Wavefronts{2, 2, 1}));
  EXPECT_EQ(load_wavefronts("LDG.E R4,[R2.64]\nMOV R4,RZ\nLDG.E R5,[R2.64+0x4]\n"),
            (Wavefronts{2, 1}))
      << "what is overwritten must have arrived";
}

TEST(Misses, UntilTheyHaveHadTime) {
  std::string others;
  for (int i = 0; i < 70; ++i) {
    others += "NOP\n";
  }
  EXPECT_EQ(load_wavefronts("LDG.E R4,[R2.64]\n" + others + "LDG.E R5,[R2.64+0x4]\n"),
            (Wavefronts{2, 1}));
}

TEST(Misses, AsMuchLaterAsTheyWereAskedForLater) {
  // The second load comes four instructions behind the first, and so does its data.
  const std::string two =
      "LDG.E R4,[R2.64]\nNOP\nNOP\nNOP\nLDG.E R5,[R2.64+0x1000]\nFADD R6,R4,R4\n";
  EXPECT_EQ(load_wavefronts(two + "LDG.E R7,[R2.64+0x1004]\n"), (Wavefronts{2, 2, 2}));
  EXPECT_EQ(load_wavefronts(two + "NOP\nNOP\nNOP\nLDG.E R7,[R2.64+0x1004]\n"),
            (Wavefronts{2, 2, 1}));
}

TEST(Misses, InALoop) {
  // Every turn reads the sectors of the one before, whose result it has used.
  EXPECT_EQ(load_wavefronts("MOV R8,0x3\nagain:\nLDG.E R4,[R2.64]\nIADD3 R8,R8,-0x1,RZ\n"
                            "ISETP.NE.AND P0,PT,R8,RZ,PT\nFADD R6,R6,R4\n@P0 BRA again\n"),
            (Wavefronts{4}));
  // The result is used in the next turn, behind the load of that.
  EXPECT_EQ(
      load_wavefronts("MOV R8,0x3\nagain:\nLDG.E R5,[R2.64]\nFADD R6,R6,R4\nLDG.E R4,[R2.64]\n"
                      "IADD3 R8,R8,-0x1,RZ\nISETP.NE.AND P0,PT,R8,RZ,PT\n@P0 BRA again\n"),
      (Wavefronts{4, 4}));
}

TEST(Misses, OtherWarpsFindWhatTheFirstAskedFor) {
  EXPECT_EQ(load_wavefronts("LDG.E R4,[R2.64]\nFADD R6,R4,R4\n", 96), (Wavefronts{2 + 1 + 1}));
}

TEST(Misses, ThreadIndicesTakeAWavefrontOfTheLsu) {
  Assembled kernel("S2R R0,SR_TID.X\nS2R R1,SR_CTAID.X\nS2R R2,SR_LANEID\nEXIT");
  kernel.block(64);
  const MachineTotals totals = kernel.count().totals;
  EXPECT_EQ(totals.lsu_wavefronts, 2);
  EXPECT_EQ(totals.by_pipe[static_cast<std::size_t>(Pipe::lsu)], 2);
}

}  // namespace
}  // namespace perfmodel::sass::testing
