#include <gtest/gtest.h>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

/// "kind @address file:line xoccurrences: what", one a line.
std::string defects_of(const Assembled& kernel) {
  std::string text;
  for (const Defect& defect : kernel.defects()) {
    text += std::string(defect_kind_name(defect.kind)) + " @" + std::to_string(defect.address) +
            " " + defect.source_file + ":" + std::to_string(defect.source_line) + " x" +
            std::to_string(defect.occurrences) + ": " + defect.what + "\n";
  }
  return text;
}

/// R2, R3: the address of argument 1, plus 4 bytes for each thread of the block.
const std::string thread_address = "S2R R0,SR_TID.X\nIMAD.WIDE R2,R0,0x4,c[0x0][0x210]\n";

// --- out of bounds -------------------------------------------------------------------------------

TEST(Defects, GlobalOutOfBounds) {
  EXPECT_EQ(defects_of(
                Assembled(thread_address + "LDG.E R4,[R2.64]\nSTG.E [R2.64],R4\nEXIT").buffer(128)),
            "");
  EXPECT_EQ(defects_of(
                Assembled(thread_address + "LDG.E R4,[R2.64]\nSTG.E [R2.64],R4\nEXIT").buffer(120)),
            "out of bounds @32 kernel.cu:3 x2: block (0,0,0), thread (30,0,0) reads 4 bytes at "
            "0x200000078, 0 bytes behind the end of buffer 1\n"
            "out of bounds @48 kernel.cu:4 x2: block (0,0,0), thread (30,0,0) writes 4 bytes at "
            "0x200000078, 0 bytes behind the end of buffer 1\n");
  EXPECT_EQ(defects_of(Assembled(thread_address + "LDG.E R4,[R2.64+-0x8]\nEXIT").buffer(1024)),
            "out of bounds @32 kernel.cu:3 x2: block (0,0,0), thread (0,0,0) reads 4 bytes at "
            "0x1fffffff8, 8 bytes before buffer 1\n");
  // Eight bytes of which the buffer has only four.
  EXPECT_EQ(defects_of(Assembled("S2R R0,SR_TID.X\nIMAD.WIDE R2,R0,0x8,c[0x0][0x210]\n"
                                 "LDG.E.64 R4,[R2.64]\nEXIT")
                           .buffer(252)),
            "out of bounds @32 kernel.cu:3 x1: block (0,0,0), thread (31,0,0) reads 8 bytes at "
            "0x2000000f8, across the end of buffer 1\n");
  // The nearest of two buffers is named, and no lane's value is taken from elsewhere.
  Assembled far(
      "MOV R2,c[0x0][0x218]\nMOV R3,c[0x0][0x21c]\nLDG.E R4,[R2.64+0x100]\n"
      "MOV R2,c[0x0][0x210]\nMOV R3,c[0x0][0x214]\nSTG.E [R2.64],R4\nEXIT");
  far.buffer(4, Fill::iota_i32).buffer(64);
  EXPECT_EQ(defects_of(far.block(1)),
            "out of bounds @32 kernel.cu:3 x1: block (0,0,0), thread (0,0,0) reads 4 bytes at "
            "0x200400100, 192 bytes behind the end of buffer 2\n");
  EXPECT_EQ(values_of<std::uint32_t>(far.run().outputs[0]), std::vector<std::uint32_t>{0});
}

TEST(Defects, GlobalWithoutAnyBuffer) {
  EXPECT_EQ(defects_of(Assembled("MOV R2,RZ\nMOV R3,RZ\nLDG.E R4,[R2.64]\nEXIT").block(1)),
            "out of bounds @32 kernel.cu:3 x1: block (0,0,0), thread (0,0,0) reads 4 bytes at "
            "0x0\n");
}

TEST(Defects, GuardedLanesAccessNothing) {
  EXPECT_EQ(
      defects_of(Assembled(thread_address + "ISETP.LT.AND P0,PT,R0,0x10,PT\n@P0 LDG.E R4,[R2.64]\n"
                                            "@!P0 LDG.E R4,[R2.64+-0x40]\nEXIT")
                     .buffer(64)),
      "");
}

TEST(Defects, SharedLocalAndConstantOutOfBounds) {
  EXPECT_EQ(defects_of(Assembled("S2R R0,SR_TID.X\nSHF.L.U32 R0,R0,0x2,RZ\nSTS [R0+0x4],R0\n"
                                 "LDS R1,[R0+0x8]\nSTS [R0],R1\nEXIT")
                           .shared(128)),
            "out of bounds @32 kernel.cu:3 x1: block (0,0,0), thread (31,0,0) writes 4 bytes at "
            "0x80 of 128 bytes of shared memory\n"
            "out of bounds @48 kernel.cu:4 x2: block (0,0,0), thread (30,0,0) reads 4 bytes at "
            "0x80 of 128 bytes of shared memory\n");
  EXPECT_EQ(defects_of(Assembled("LDS R1,[RZ+-0x4]\nSTS [RZ],R1\nEXIT").shared(128).block(1)),
            "out of bounds @0 kernel.cu:1 x1: block (0,0,0), thread (0,0,0) reads 4 bytes at "
            "0xfffffffc of 128 bytes of shared memory\n");
  // Dynamic shared memory lies behind the static.
  Assembled dynamic("STS [RZ+0x80],R1\nEXIT");
  dynamic.shared(128).block(1).launch.dynamic_shared_bytes = 4;
  EXPECT_EQ(defects_of(dynamic), "");
  Assembled local("STL [RZ+0x8],R1\nSTL [RZ+0x10],R1\nEXIT");
  local.function().local_bytes = 16;
  EXPECT_EQ(defects_of(local),
            "out of bounds @16 kernel.cu:2 x32: block (0,0,0), thread (0,0,0) writes 4 bytes at "
            "0x10 of 16 bytes of local memory\n");
  Assembled constant("S2R R0,SR_TID.X\nSHF.L.U32 R0,R0,0x2,RZ\nLDC R1,c[0x3][R0]\nEXIT");
  constant.module.banks.push_back({3, std::vector<std::byte>(124), ""});
  EXPECT_EQ(defects_of(constant),
            "out of bounds @32 kernel.cu:3 x1: block (0,0,0), thread (31,0,0) reads 4 bytes at "
            "0x7c of 124 bytes of constant bank 3\n");
}

TEST(Defects, NamesTheThreadAndTheBlock) {
  EXPECT_EQ(defects_of(Assembled("S2R R0,SR_CTAID.Y\nISETP.EQ.AND P0,PT,R0,0x1,PT\n"
                                 "S2R R0,SR_TID.Y\nISETP.EQ.AND P0,PT,R0,0x2,P0\n"
                                 "@P0 STS [RZ],R0\nEXIT")
                           .grid(1, 2, 1)
                           .block(4, 3, 4)),
            "out of bounds @64 kernel.cu:5 x16: block (0,1,0), thread (0,2,0) writes 4 bytes at "
            "0x0 of 0 bytes of shared memory\n");
}

TEST(Defects, OccurrencesAddUpOverBlocks) {
  Assembled kernel(thread_address + "LDG.E R4,[R2.64]\nEXIT");
  kernel.buffer(64).grid(7, 3);
  EmulationOptions how;
  how.threads = 3;
  const std::vector<Defect> defects = kernel.run(how).ledger.defects;
  ASSERT_EQ(defects.size(), 1U);
  EXPECT_EQ(defects[0].occurrences, 16U * 21);
  EXPECT_TRUE(defects[0].what.starts_with("block (0,0,0), thread (16,0,0)"));
  EXPECT_EQ(kernel.count().defects[0].occurrences, 16U * 21) << "counting sees addresses, too";
}

// --- misaligned ----------------------------------------------------------------------------------

TEST(Defects, Misaligned) {
  EXPECT_EQ(defects_of(Assembled(thread_address + "LDG.E.64 R4,[R2.64]\nEXIT").buffer(256)),
            "misaligned @32 kernel.cu:3 x16: block (0,0,0), thread (1,0,0) reads 8 bytes at "
            "0x200000004, which is not aligned to them\n");
  EXPECT_EQ(defects_of(Assembled("MOV R4,RZ\nSTS.128 [RZ+0x8],R4\nEXIT").shared(64).block(1)),
            "misaligned @16 kernel.cu:2 x1: block (0,0,0), thread (0,0,0) writes 16 bytes at 0x8, "
            "which is not aligned to them\n");
}

TEST(Defects, MisalignedAccessIsNotRemembered) {
  // The same offsets, first misaligned and then not: one line, not two lines of a gather.
  const MachineLedger ledger =
      Assembled(
          "S2R R0,SR_TID.X\nIMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nIADD3 R2,R2,0x1,RZ\n"
          "MOV R5,0x2\nagain:\nLDG.E R4,[R2.64]\nIADD3 R2,R2,-0x1,RZ\n"
          "IADD3 R5,R5,-0x1,RZ\nISETP.NE.AND P0,PT,R5,RZ,PT\n@P0 BRA again\nEXIT")
          .buffer(132)
          .count();
  const InstructionCounts& counts = ledger.lines[4].counts;
  EXPECT_EQ(counts.requests, 2);
  EXPECT_EQ(counts.sectors, 8);
  EXPECT_EQ(counts.by_access[static_cast<std::size_t>(AccessClass::coalesced)], 1);
  ASSERT_EQ(ledger.defects.size(), 1U);
  EXPECT_EQ(ledger.defects[0].occurrences, 32U);
}

// --- unwritten memory ----------------------------------------------------------------------------

TEST(Defects, UnwrittenGlobalMemory) {
  const std::string read_write = thread_address +
                                 "LDG.E R4,[R2.64]\nSTG.E [R2.64],R4\nLDG.E R4,[R2.64]\n"
                                 "STG.E [R2.64],R4\nEXIT";
  EXPECT_EQ(defects_of(Assembled(read_write).buffer(128, Fill::nothing)),
            "uninitialised read @32 kernel.cu:3 x32: block (0,0,0), thread (0,0,0) reads 4 bytes "
            "at offset 0 of buffer 1, which nothing wrote\n");
  EXPECT_EQ(defects_of(Assembled(read_write).buffer(128, Fill::random_f32)), "");
  // An atomic reads, too.
  EXPECT_EQ(defects_of(
                Assembled(thread_address + "RED.E.ADD [R2.64],R0\nEXIT").buffer(128, Fill::nothing))
                .substr(0, 39),
            "uninitialised read @32 kernel.cu:3 x32:");
}

TEST(Defects, UnwrittenSharedMemory) {
  EXPECT_EQ(defects_of(Assembled("S2R R0,SR_TID.X\nSHF.L.U32 R1,R0,0x2,RZ\n"
                                 "ISETP.LT.AND P0,PT,R0,0x1e,PT\n@P0 STS [R1],R0\nWARPSYNC.ALL\n"
                                 "LDS R2,[R1]\nSTS [R1],R2\nEXIT")
                           .shared(128)),
            "uninitialised read @80 kernel.cu:6 x2: block (0,0,0), thread (30,0,0) reads shared "
            "memory at 0x78 that nothing wrote\n");
  // Nothing is left over from the block before.
  EXPECT_EQ(defects_of(Assembled("S2R R0,SR_CTAID.X\nISETP.EQ.AND P0,PT,R0,RZ,PT\n"
                                 "@P0 STS [RZ],R0\nLDS R2,[RZ]\nSTS [RZ],R2\nEXIT")
                           .shared(4)
                           .grid(2)
                           .block(1)),
            "uninitialised read @48 kernel.cu:4 x1: block (1,0,0), thread (0,0,0) reads shared "
            "memory at 0x0 that nothing wrote\n");
  // By the byte.
  EXPECT_EQ(defects_of(Assembled("STS.U8 [RZ+0x1],R0\nLDS.U8 R1,[RZ+0x1]\nLDS.U16 R2,[RZ]\n"
                                 "STS.U8 [RZ],R1\nSTS.U8 [RZ],R2\nLDS.U16 R2,[RZ]\n"
                                 "STS.U8 [RZ],R2\nEXIT")
                           .shared(4)
                           .block(1)),
            "uninitialised read @32 kernel.cu:3 x1: block (0,0,0), thread (0,0,0) reads shared "
            "memory at 0x0 that nothing wrote\n");
}

/// One thread reads 16 bytes of which only the first 12 were written, and stores `used`.
std::string padded_read(const std::string& load, const std::string& behind) {
  return defects_of(Assembled("STS.64 [RZ],R8\nSTS [RZ+0x8],R8\nMOV R2,c[0x0][0x210]\n"
                              "MOV R3,c[0x0][0x214]\nSTG.E.64 [R2.64],R8\nSTG.E [R2.64+0x8],R8\n" +
                              load + "\n" + behind + "\nEXIT")
                        .shared(16)
                        .buffer(64, Fill::nothing)
                        .block(1));
}

TEST(Defects, PaddingThatNothingUsesMayBeRead) {
  const std::string shared_load = "LDS.128 R4,[RZ]";
  const std::string global_load = "LDG.E.128 R4,[R2.64]";
  const std::string first_three = "IADD3 R4,R4,R5,R6\nSTG.E [R2.64+0x20],R4";
  const std::string shared_defect =
      "uninitialised read @96 kernel.cu:7 x1: block (0,0,0), thread (0,0,0) reads shared memory "
      "at 0xc that nothing wrote\n";
  const std::string global_defect =
      "uninitialised read @96 kernel.cu:7 x1: block (0,0,0), thread (0,0,0) reads 16 bytes at "
      "offset 0 of buffer 1, which nothing wrote\n";
  EXPECT_EQ(padded_read(shared_load, first_three), "");
  EXPECT_EQ(padded_read(global_load, first_three), "");
  EXPECT_EQ(padded_read(shared_load, "STG.E [R2.64+0x20],R7"), shared_defect);
  EXPECT_EQ(padded_read(global_load, "STG.E [R2.64+0x20],R7"), global_defect);
  // As part of a wide store, or of an address.
  EXPECT_EQ(padded_read(shared_load, "STG.E.128 [R2.64+0x20],R4"), shared_defect);
  EXPECT_EQ(padded_read(shared_load, "LDS R6,[R7]"), shared_defect);
  // Overwritten first, in any case or only perhaps.
  EXPECT_EQ(padded_read(shared_load, "MOV R7,RZ\nSTG.E [R2.64+0x20],R7"), "");
  EXPECT_EQ(padded_read(shared_load, "@P0 MOV R7,RZ\nSTG.E [R2.64+0x20],R7"), shared_defect);
  EXPECT_EQ(padded_read(shared_load, "@P0 MOV R7,RZ\n@P0 STG.E [R2.64+0x20],R7"), "");
  // On one of two ways, or around a loop.
  EXPECT_EQ(padded_read(shared_load,
                        "@P0 BRA other\nMOV R7,RZ\nBRA end\nother:\nSTG.E [R2.64+0x20],R7\nend:\n"
                        "NOP"),
            shared_defect);
  EXPECT_EQ(padded_read("again:\n" + shared_load,
                        "IADD3 R9,R9,0x1,RZ\nISETP.LT.AND P1,PT,R9,0x2,PT\n@P1 BRA again\n"
                        "STG.E [R2.64+0x20],R6"),
            "");
  EXPECT_EQ(padded_read("again:\nSTG.E [R2.64+0x20],R7\n" + shared_load,
                        "IADD3 R9,R9,0x1,RZ\nISETP.LT.AND P1,PT,R9,0x2,PT\n@P1 BRA again\nNOP"),
            "uninitialised read @112 kernel.cu:8 x2: block (0,0,0), thread (0,0,0) reads shared "
            "memory at 0xc that nothing wrote\n");
}

TEST(Defects, WhatMayReadAnythingKeepsTheCheck) {
  const std::string shared_load = "LDS.128 R4,[RZ]";
  const auto checked = [&](const std::string& behind) {
    return padded_read(shared_load, behind).starts_with("uninitialised read");
  };
  EXPECT_TRUE(checked("HMMA.16816.F32 R12,R4,R8,RZ")) << "its sources are not followed";
  EXPECT_TRUE(checked("MOV R10,0xa0\nMOV R11,RZ\nBRX R10,-0xa0\nNOP"))
      << "where it goes is not known";
}

// --- races ---------------------------------------------------------------------------------------

/// R0: the thread, R1: its warp, R2: 4 bytes for each thread.
const std::string thread_and_warp =
    "S2R R0,SR_TID.X\nSHF.R.U32.HI R1,RZ,0x5,R0\nSHF.L.U32 R2,R0,0x2,RZ\n";
/// R3: the place of the same lane in the other of two warps.
const std::string other_warp = "LOP3.LUT R3,R2,0x80,RZ,0x3c,!PT\n";

std::string races_of(const std::string& code, std::uint32_t threads = 64) {
  return defects_of(Assembled(thread_and_warp + other_warp + code + "\nEXIT")
                        .shared(1024)
                        .block(threads)
                        .buffer(1024));
}

TEST(Defects, SharedRaceBetweenWarps) {
  // Warp 1 reads what warp 0 wrote, and warp 0 what warp 1 will write.
  EXPECT_EQ(races_of("STS [R2],R0\nNOP\nLDS R4,[R3]\nSTS [R2+0x200],R4"),
            "uninitialised read @96 kernel.cu:7 x32: block (0,0,0), thread (0,0,0) reads shared "
            "memory at 0x80 that nothing wrote\n"
            "shared-memory race @64 kernel.cu:5 x32: block (0,0,0), thread (32,0,0) writes shared "
            "memory at 0x80 that warp 0 read since the last barrier between them\n"
            "shared-memory race @96 kernel.cu:7 x32: block (0,0,0), thread (32,0,0) reads shared "
            "memory at 0x0 that warp 0 wrote since the last barrier between them\n");
  // Two warps write the same words.
  EXPECT_EQ(races_of("LOP3.LUT R5,R2,0x7f,RZ,0xc0,!PT\nSTS [R5],R0"),
            "shared-memory race @80 kernel.cu:6 x32: block (0,0,0), thread (32,0,0) writes shared "
            "memory at 0x0 that warp 0 wrote since the last barrier between them\n");
  // A missing second barrier: the next round's writes meet the last one's reads.
  EXPECT_EQ(races_of("STS [R2],R0\nBAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4,[R3]\nSTS [R2],R4\n"
                     "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4,[R3]\nSTS [R2+0x200],R4"),
            "shared-memory race @96 kernel.cu:7 x32: block (0,0,0), thread (32,0,0) reads shared "
            "memory at 0x0 that warp 0 wrote since the last barrier between them\n"
            "shared-memory race @112 kernel.cu:8 x32: block (0,0,0), thread (32,0,0) writes "
            "shared memory at 0x80 that warp 0 read since the last barrier between them\n");
}

TEST(Defects, NoRaceWithBarriers) {
  const std::string exchange =
      "STS [R2],R0\nBAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4,[R3]\nBAR.SYNC.DEFER_BLOCKING 0x0\n"
      "STS [R2],R4\nBAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4,[R3]\nSTG.E [R6.64],R4";
  EXPECT_EQ(races_of("IMAD.WIDE R6,R0,0x4,c[0x0][0x210]\n" + exchange), "");
  // A reducing barrier orders as well.
  EXPECT_EQ(races_of("STS [R2],R0\nBAR.RED.POPC.DEFER_BLOCKING 0x0,P0\nLDS R4,[R3]\n"
                     "STS [R3+0x200],R4"),
            "");
}

TEST(Defects, NoRaceWithNamedBarriers) {
  // Warp 0 produces and arrives; warp 1 waits and consumes.
  const std::string produce =
      "ISETP.NE.AND P0,PT,R1,RZ,PT\n@!P0 STS [R2],R0\n@!P0 BAR.ARV 0x1,0x40\n";
  EXPECT_EQ(races_of(produce + "@P0 BAR.SYNC.DEFER_BLOCKING 0x1,0x40\n@P0 LDS R4,[R3]\n"
                               "@P0 STS [R2],R4"),
            "");
  EXPECT_EQ(races_of(produce + "@P0 LDS R4,[R3]\n@P0 BAR.SYNC.DEFER_BLOCKING 0x1,0x40\n"
                               "@P0 STS [R2],R4"),
            "shared-memory race @112 kernel.cu:8 x32: block (0,0,0), thread (32,0,0) reads shared "
            "memory at 0x0 that warp 0 wrote since the last barrier between them\n");
  // Two pairs of warps with a barrier each: 0 and 1 exchange, and so do 2 and 3.
  const std::string pairs =
      "SHF.R.U32.HI R5,RZ,0x1,R1\nIADD3 R5,R5,0x1,RZ\nSTS [R2],R0\n"
      "BAR.SYNC.DEFER_BLOCKING R5,0x40\n";
  EXPECT_EQ(races_of(pairs + "LDS R4,[R3]\nSTS [R3+0x200],R4", 128), "");
  // Across the pairs, nothing orders them.
  EXPECT_TRUE(races_of(pairs + "LOP3.LUT R3,R2,0x100,RZ,0x3c,!PT\nLDS R4,[R3]\n"
                               "STS [R2+0x200],R4",
                       128)
                  .starts_with("shared-memory race @144"));
}

TEST(Defects, NoRaceBetweenAtomics) {
  EXPECT_EQ(races_of("ISETP.NE.AND P0,PT,R0,RZ,PT\n@!P0 STS [RZ],RZ\n"
                     "BAR.SYNC.DEFER_BLOCKING 0x0\nATOMS.ADD RZ,[RZ],R0\n"
                     "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4,[RZ]\nSTS [R2+0x200],R4"),
            "");
  // Without the second barrier, a plain read races.
  EXPECT_EQ(races_of("ISETP.NE.AND P0,PT,R0,RZ,PT\n@!P0 STS [RZ],RZ\n"
                     "BAR.SYNC.DEFER_BLOCKING 0x0\nATOMS.ADD RZ,[RZ],R0\nLDS R4,[RZ]\n"
                     "STS [R2+0x200],R4"),
            "shared-memory race @112 kernel.cu:8 x1: block (0,0,0), thread (32,0,0) writes "
            "shared memory at 0x0 that warp 0 read since the last barrier between them\n");
}

TEST(Defects, NoRaceWithinAWarp) {
  // Lanes exchange through memory, in step.
  EXPECT_EQ(races_of("LOP3.LUT R3,R2,0x4,RZ,0x3c,!PT\nSTS [R2],R0\nWARPSYNC.ALL\nLDS R4,[R3]\n"
                     "WARPSYNC.ALL\nSTS [R2],R4"),
            "");
}

TEST(Defects, BytesOfOneWordDoNotRace) {
  // Each warp has a flag of one byte; the flags share a word.
  EXPECT_EQ(races_of("STS.U8 [R1],R0\nLDS.U8 R4,[R1]\nSTS.U8 [R1],R4\n"
                     "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS.U16 R4,[RZ]\nSTS [R2+0x200],R4"),
            "");
  EXPECT_EQ(races_of("STS.U16 [RZ],R0\nNOP"),
            "shared-memory race @64 kernel.cu:5 x1: block (0,0,0), thread (32,0,0) writes shared "
            "memory at 0x0 that warp 0 wrote since the last barrier between them\n");
}

TEST(Defects, NotLookedForOnRequest) {
  EmulationOptions how;
  how.find_defects = false;
  const Assembled race = Assembled("STS [RZ],R0\nEXIT").shared(4).block(64);
  EXPECT_EQ(race.defects().size(), 1U);
  EXPECT_TRUE(race.run(how).ledger.defects.empty());
}

}  // namespace
}  // namespace perfmodel::sass::testing
