#include "model/sass/register_use.hpp"

#include <gtest/gtest.h>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

using Reads = std::vector<RegisterRead>;
using Numbers = std::vector<std::uint16_t>;

RegisterUse use_of(const std::string& line) {
  Function function;
  function.name = "kernel";
  function.instructions = assemble(line + "\nEXIT");
  const Code code = decode(function, 90);
  return register_use(code.instructions.front(), code);
}

PredicateSet predicates(std::initializer_list<std::size_t> indices) {
  PredicateSet set;
  for (const std::size_t index : indices) {
    set.set(index);
  }
  return set;
}

constexpr std::size_t first_uniform_predicate = 8;

TEST(RegisterUse, OperandsAreReadInTheirSlots) {
  const RegisterUse use = use_of("FFMA R1,R2,R3,R4");
  EXPECT_EQ(use.reads, (Reads{{2, 0}, {3, 1}, {4, 2}}));
  EXPECT_EQ(use.writes, Numbers{1});
  EXPECT_TRUE(use.uniform_reads.empty());
  EXPECT_TRUE(use.uniform_writes.empty());
  EXPECT_TRUE(use.guard.none());
  EXPECT_TRUE(use.predicate_reads.none());
  EXPECT_TRUE(use.predicate_writes.none());
  EXPECT_TRUE(use.complete);
}

TEST(RegisterUse, ConstantsAndZeroAreNoRegisters) {
  EXPECT_EQ(use_of("FFMA R1,R2,c[0x0][0x210],R4").reads, (Reads{{2, 0}, {4, 2}}));
  EXPECT_EQ(use_of("IMAD.MOV.U32 R5,RZ,RZ,R7").reads, (Reads{{7, 2}}));
  EXPECT_TRUE(use_of("ISETP.GE.AND P0,PT,R0,0x8,PT").writes.empty());
  EXPECT_TRUE(use_of("IADD3 RZ,P0,R4,R6,RZ").writes.empty());
}

TEST(RegisterUse, SlotsOfTheEncoding) {
  EXPECT_EQ(use_of("FADD R1,R2,R3").reads, (Reads{{2, 0}, {3, 2}}));
  EXPECT_EQ(use_of("FMUL R1,R2,R3").reads, (Reads{{2, 0}, {3, 1}}));
  EXPECT_EQ(use_of("MOV R1,R2").reads, (Reads{{2, 1}}));
  EXPECT_EQ(use_of("MUFU.RCP R1,R2").reads, (Reads{{2, 1}}));
  EXPECT_EQ(use_of("R2UR UR4,R2").reads, (Reads{{2, 0}}));
}

TEST(RegisterUse, PairsShareASlot) {
  const RegisterUse sum = use_of("DADD R2,R4,R6");
  EXPECT_EQ(sum.reads, (Reads{{4, 0}, {5, 0}, {6, 2}, {7, 2}}));
  EXPECT_EQ(sum.writes, (Numbers{2, 3}));
  const RegisterUse wide = use_of("IMAD.WIDE R2,R4,R5,R6");
  EXPECT_EQ(wide.reads, (Reads{{4, 0}, {5, 1}, {6, 2}, {7, 2}}));
  EXPECT_EQ(wide.writes, (Numbers{2, 3}));
  const RegisterUse conversion = use_of("F2F.F32.F64 R2,R4");
  EXPECT_EQ(conversion.reads, (Reads{{4, 1}, {5, 1}}));
  EXPECT_EQ(conversion.writes, Numbers{2});
}

TEST(RegisterUse, MemoryInstructions) {
  const RegisterUse load = use_of("LDG.E.128 R8,desc[UR4][R2.64+0x10]");
  EXPECT_EQ(load.reads, (Reads{{2, address_slot}, {3, address_slot}}));
  EXPECT_EQ(load.writes, (Numbers{8, 9, 10, 11}));
  const RegisterUse store = use_of("STG.E.64 desc[UR4][R2.64],R6");
  EXPECT_EQ(store.reads, (Reads{{6, 1}, {7, 1}, {2, address_slot}, {3, address_slot}}));
  EXPECT_TRUE(store.writes.empty());
  const RegisterUse shared = use_of("LDS R4,[R0.X4+UR5]");
  EXPECT_EQ(shared.reads, (Reads{{0, address_slot}}));
  EXPECT_EQ(shared.uniform_reads, (Reads{{5, address_slot}}));
  const RegisterUse copy = use_of("LDGSTS.E.BYPASS.128 [R1],desc[UR4][R2.64]");
  EXPECT_EQ(copy.reads, (Reads{{1, address_slot}, {2, address_slot}, {3, address_slot}}));
  const RegisterUse exchange = use_of("ATOMG.E.CAS.STRONG.GPU PT,R9,desc[UR4][R2.64],R4,R5");
  EXPECT_EQ(exchange.reads, (Reads{{4, 1}, {5, 2}, {2, address_slot}, {3, address_slot}}));
  EXPECT_EQ(exchange.writes, Numbers{9});
  EXPECT_EQ(use_of("LDSM.16.M88.4 R4,[R1]").writes, (Numbers{4, 5, 6, 7}));
  EXPECT_EQ(use_of("STS.U8 [R1],R4").reads, (Reads{{4, 1}, {1, address_slot}}));
}

TEST(RegisterUse, UniformRegisters) {
  const RegisterUse product = use_of("IMAD R1,R2,UR4,R3");
  EXPECT_EQ(product.reads, (Reads{{2, 0}, {3, 2}}));
  EXPECT_EQ(product.uniform_reads, (Reads{{4, 1}}));
  const RegisterUse sum = use_of("UIADD3 UR6,UR4,UR5,URZ");
  EXPECT_TRUE(sum.reads.empty());
  EXPECT_EQ(sum.uniform_reads, (Reads{{4, 0}, {5, 1}}));
  EXPECT_TRUE(sum.writes.empty());
  EXPECT_EQ(sum.uniform_writes, Numbers{6});
}

TEST(RegisterUse, Predicates) {
  const RegisterUse compare = use_of("@!P3 ISETP.GE.AND P0,PT,R0,R1,P2");
  EXPECT_EQ(compare.guard, predicates({3}));
  EXPECT_EQ(compare.predicate_reads, predicates({2}));
  EXPECT_EQ(compare.predicate_writes, predicates({0}));
  EXPECT_EQ(use_of("@UP1 UMOV UR4,UR5").guard, predicates({first_uniform_predicate + 1}));
  const RegisterUse carry = use_of("IADD3.X R1,P4,R2,R3,RZ,P5,!PT");
  EXPECT_EQ(carry.predicate_reads, predicates({5}));
  EXPECT_EQ(carry.predicate_writes, predicates({4}));
  const PredicateSet all = predicates({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(use_of("P2R R1,PR,RZ,0x7f").predicate_reads, all);
  EXPECT_EQ(use_of("R2P PR,R1,0x7f").predicate_writes, all);
}

TEST(RegisterUse, TensorOperandsAreNotDecoded) {
  const RegisterUse use = use_of("HMMA.16816.F32 R4,R12,R28,RZ");
  EXPECT_FALSE(use.complete);
  EXPECT_EQ(use.writes, (Numbers{4, 5, 6, 7}));
}

}  // namespace
}  // namespace perfmodel::sass::testing
