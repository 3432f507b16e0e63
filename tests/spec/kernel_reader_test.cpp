#include "model/spec/kernel_reader.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;
using testing::replaced;

constexpr const char* good = R"(schema: perfmodel.kernel/1
name: dot
family: vector
summary: a dot product
dimensions: [n]
default_shape: {n: 1024}
work:
  outputs: 1
  fmas: n
  required_bytes: 8 * n + 4
ledger:
  element_bytes: 4
  threads: round_up(n, 32) / 2
  outputs_per_thread: 1
  loops:
    - name: pair
      trips: 2
      fmas: 1
      shared_reads: {dist: 1/4}
      global_loads:
        - {array: x, per_thread: 1, width: 1, lane_stride: gather, elements: n}
  global_stores:
    - {array: y, per_thread: 1/2, width: 1, lane_stride: 1, elements: 1}
)";

struct Bad {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  ///< after "file:"

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }
};

class KernelReader : public ::testing::TestWithParam<Bad> {
 protected:
  testing::TemporaryFolder folder_;
};

TEST(KernelReaderGood, ReadsCountsExactly) {
  const testing::TemporaryFolder folder;
  const KernelSpec kernel = read_kernel(folder.write("dot.yaml", good));
  ASSERT_TRUE(kernel.ledger);
  const Loop& loop = kernel.ledger->loops.front();
  EXPECT_EQ(loop.shared_dist, Rational(1, 4));
  EXPECT_EQ(loop.shared_bcast, 0);
  EXPECT_FALSE(loop.global_loads.front().lane_stride);
  EXPECT_EQ(kernel.ledger->global_stores.front().per_thread, Rational(1, 2));
  EXPECT_EQ(kernel.default_shape.extent("n"), 1024);
}

TEST_P(KernelReader, RefusesBadFile) {
  const Bad& bad = GetParam();
  const auto file = folder_.write("dot.yaml", replaced(good, bad.from, bad.to));
  EXPECT_EQ(error_of([&] { read_kernel(file); }), file.string() + ":" + bad.message);
}

INSTANTIATE_TEST_SUITE_P(
    Bad, KernelReader,
    ::testing::Values(
        Bad{"UnknownKey", "shared_reads:", "shared_loads:",
            "19:7: loop: unknown key 'shared_loads' (did you mean 'shared_reads'?)"},
        Bad{"UnknownClass", "{dist: 1/4}", "{conflict: 1}",
            "19:22: shared_reads: unknown key 'conflict'; valid keys are dist, bcast"},
        Bad{"MissingKey", "  outputs_per_thread: 1\n", "",
            "12:3: ledger: key 'outputs_per_thread' is missing"},
        Bad{"UnitlessKey", "element_bytes:", "element:",
            "12:3: ledger: key 'element' names no unit; write 'element_bytes'"},
        Bad{"BadExpression", "threads: round_up(n, 32) / 2", "threads: round_up(n, 32",
            "13:12: expression 'round_up(n, 32', column 15: expected ')'"},
        Bad{"UnknownDimension", "fmas: n\n", "fmas: m\n",
            "9:9: expression 'm', column 1: 'm' is not one of the dimensions n (did you mean "
            "'n'?)"},
        Bad{"NegativeCount", "fmas: 1\n", "fmas: -1\n",
            "18:13: fmas must be a count such as 8 or 1/4, not '-1'"},
        Bad{"ZeroCount", "fmas: 1\n", "fmas: 0\n", "18:13: fmas must be above zero, not '0'"},
        Bad{"CountOfAShape", "fmas: 1\n", "fmas: n\n",
            "18:13: fmas must be a count such as 8 or 1/4, not 'n'"},
        Bad{"ZeroWidth", "per_thread: 1, width: 1", "per_thread: 1, width: 0",
            "21:44: width must be at least 1, not '0'"},
        Bad{"DimensionTwice", "dimensions: [n]", "dimensions: [n, n]",
            "5:17: dimension 'n' stands here twice"},
        Bad{"DimensionName", "dimensions: [n]", "dimensions: [N]",
            "5:14: dimension 'N' must be lower-case letters, digits and '_', beginning with a "
            "letter"},
        Bad{"ShapeOfOtherDimensions", "{n: 1024}", "{m: 1024}",
            "6:16: shape m=1024: there is no dimension 'm'; expected n"},
        Bad{"ZeroShape", "{n: 1024}", "{n: 0}", "6:20: extent n must be at least 1, not '0'"},
        Bad{"LedgerAndLibrary", "family: vector", "family: vector\nlibrary: cuBLAS",
            "1:1: kernel: give either 'ledger', or 'library' for one without source"},
        Bad{"EmptyLoops", "  loops:\n", "  loops: []\n  lops:\n",
            "16:3: ledger: unknown key 'lops' (did you mean 'loops'?)"}),
    [](const auto& test) { return test.param.what; });

}  // namespace
}  // namespace perfmodel::spec
