#include "model/sass/control_flow.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

/// "first-last depth [body]" of each loop.
std::string loops(const std::string& text) {
  Function function;
  function.name = "kernel";
  function.instructions = assemble(text);
  std::string found;
  for (const Loop& loop : find_loops(decode(function, 90))) {
    found += fmt::format("{}{}-{} depth {}:", found.empty() ? "" : "; ", loop.first, loop.last,
                         loop.depth);
    for (const std::uint32_t position : loop.body) {
      found += fmt::format(" {}", position);
    }
  }
  return found;
}

TEST(Loops, InEachOther) {
  EXPECT_EQ(loops("NOP\n"
                  "outer:\nNOP\n"
                  "inner:\nNOP\n@P0 BRA inner\n"
                  "@P1 BRA outer\n"
                  "EXIT"),
            "1-4 depth 1: 1 2 3 4; 2-3 depth 2: 2 3");
}

TEST(Loops, TwoJumpsBackMakeOne) {
  EXPECT_EQ(loops("NOP\nhead:\nNOP\n@P0 BRA head\nNOP\n@P1 BRA head\nEXIT"),
            "1-4 depth 1: 1 2 3 4");
}

TEST(Loops, ABranchOfItsBodyMayLieFarBehind) {
  // The compiler puts what rarely runs behind the end.
  EXPECT_EQ(loops("NOP\nhead:\n@P0 BRA rare\nback:\nNOP\n@P1 BRA head\nEXIT\nrare:\nNOP\nBRA back"),
            "1-3 depth 1: 1 2 3 5 6");
}

TEST(Loops, NoneWhereThereIsAnotherWayIn) {
  EXPECT_EQ(loops("@P0 BRA middle\nhead:\nNOP\nmiddle:\nNOP\n@P1 BRA head\nEXIT"), "");
}

TEST(Loops, OfOneInstruction) {
  EXPECT_EQ(loops("NOP\nhead:\n@P0 BRA head\nEXIT"), "1-1 depth 1: 1");
}

TEST(Loops, TheWholeFunction) {
  EXPECT_EQ(loops("head:\nNOP\n@P0 BRA head\nEXIT"), "0-1 depth 1: 0 1");
}

}  // namespace
}  // namespace perfmodel::sass::testing
