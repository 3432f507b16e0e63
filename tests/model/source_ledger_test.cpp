#include "model/source_ledger.hpp"

#include <gtest/gtest.h>

#include "model/spec/catalog.hpp"
#include "model/spec/kernel_reader.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;
using testing::replaced;

SourceLedger ledger_of(const std::string& kernel, const std::string& shape) {
  spec::Catalog catalog(testing::source_specs());
  const KernelSpec& spec = catalog.kernel(kernel);
  return evaluate_source_ledger(spec, Shape::parse(shape, spec.dimensions));
}

/// a / b in lowest terms, which the constructor of two numbers does not see to.
Rational fraction(std::int64_t a, std::int64_t b) { return Rational(a) / b; }

struct Expected {
  const char* kernel;
  Rational dist, bcast, ldg, bytes_per_output, requests;
};

// Counted by hand from the table of the ladder: one inner iteration, one stage, 128 stages.
TEST(SourceLedger, LadderAt4096) {
  const std::vector<Expected> ladder = {
      {"K1", 0, 0, 2, 32772, 33},
      {"K2", 0, 0, 2, 32772, 2},
      {"K3", 1, 1, {1, 16}, 1028, {1, 16}},
      {"K3c", 1, 1, {5, 128}, 644, {5, 128}},
      {"K4", {1, 8}, 1, {1, 16}, 1028, {1, 16}},
      {"K5", {1, 8}, {1, 4}, {5, 128}, 644, {5, 128}},
      {"K6", {1, 32}, {1, 16}, {5, 512}, 644, {5, 128}},
  };
  for (const Expected& expected : ladder) {
    SCOPED_TRACE(expected.kernel);
    const SourceLedger ledger = ledger_of(expected.kernel, "4096x4096x4096");
    EXPECT_EQ(ledger.dist, expected.dist);
    EXPECT_EQ(ledger.bcast, expected.bcast);
    EXPECT_EQ(ledger.ldg, expected.ldg);
    EXPECT_EQ(ledger.bytes_per_output, expected.bytes_per_output);
    EXPECT_EQ(ledger.requests_per_fma, expected.requests);
    EXPECT_EQ(ledger.executed_fmas, ledger.work.fmas);
    // AI = 2K / bytes per output.
    EXPECT_EQ(ledger.arithmetic_intensity, Rational(8192) / expected.bytes_per_output);
  }
}

// 33 x 31 outputs need 2 x 1 tiles of 32 x 32, K = 5 one stage of 32: 2 blocks x 1024 threads x 32
// iterations = 65536 executed FMAs for 33 x 31 x 5 = 5115 useful ones.
TEST(SourceLedger, TiledKernelAtAnOddShape) {
  const SourceLedger ledger = ledger_of("K3", "33x31x5");
  EXPECT_EQ(ledger.work.fmas, 5115);
  EXPECT_EQ(ledger.executed_fmas, 65536);
  EXPECT_EQ(ledger.dist, fraction(65536, 5115));
  EXPECT_EQ(ledger.bcast, fraction(65536, 5115));
  // Two loads per thread and stage.
  EXPECT_EQ(ledger.ldg, fraction(2 * 2048, 5115));
  // Existing elements only: A 33 x 5 once (one tile column), B 5 x 31 twice, C 33 x 31 once.
  EXPECT_EQ(ledger.bytes_per_output, fraction(4 * (165 + 2 * 155 + 1023), 1023));
}

// Warps of 32 columns: 33 columns take two warps per row, 64 threads, 7 rows.
TEST(SourceLedger, UntiledKernelAtAnOddShape) {
  const SourceLedger ledger = ledger_of("K2", "7x33x3");
  EXPECT_EQ(ledger.threads, 7 * 64);
  EXPECT_EQ(ledger.ldg, fraction(2 * 7 * 64 * 3, 7 * 33 * 3));
  EXPECT_EQ(ledger.requests_per_fma, ledger.ldg);
  EXPECT_EQ(ledger.bytes_per_output, 2 * 3 * 4 + 4);
}

// A row of K = 4 floats is 16 bytes: a warp of 32 rows spans 512 bytes, 4 lines, not 32.
TEST(SourceLedger, StrideDecidesTheRequests) {
  EXPECT_EQ(ledger_of("K1", "32x32x4").requests_per_fma, 4 + 1);
  EXPECT_EQ(ledger_of("K1", "32x32x1").requests_per_fma, 1 + 1);
  EXPECT_EQ(ledger_of("K1", "32x32x32").requests_per_fma, 32 + 1);
  EXPECT_EQ(ledger_of("K1", "32x32x32").uncoalesced_requests_per_fma(), 31);
}

TEST(SourceLedger, SmallestShape) {
  const SourceLedger ledger = ledger_of("K4", "1x1x1");
  EXPECT_EQ(ledger.executed_fmas, 128 * 32 * 8);
  EXPECT_EQ(ledger.bytes_per_output, 4 + 4 + 4);
}

// y = A x with 64 rows of 10: one thread a row reads A 32 lines apart (stride 40 bytes: 31 x 40 + 4
// bytes = 10 lines) and broadcasts x.
TEST(SourceLedger, Gemv) {
  const SourceLedger ledger = ledger_of("gemv-row", "64x10");
  EXPECT_EQ(ledger.ldg, 2);
  EXPECT_EQ(ledger.requests_per_fma, 10 + 1);
  EXPECT_EQ(ledger.bytes_per_output, 10 * 4 * 2 + 4);
  EXPECT_EQ(ledger.work.required_bytes, 4 * (640 + 10 + 64));
}

// 100 rows, 250 entries: per FMA one column, one value and one x, and 2 row pointers per row.
TEST(SourceLedger, SparseMatrixWithAFractionalRowLength) {
  const SourceLedger ledger = ledger_of("spmv-csr", "100x250");
  EXPECT_EQ(ledger.ldg, 3 + fraction(200, 250));
  EXPECT_EQ(ledger.work.required_bytes, 8 * 250 + 4 * 101 + 8 * 100);
  // x is gathered: 32 lines; columns and values have a stride of 10 bytes: 3 lines each.
  EXPECT_EQ(ledger.requests_per_fma, 32 + 3 + 3 + fraction(200, 250));
}

TEST(SourceLedger, Stencil) {
  const SourceLedger ledger = ledger_of("stencil-5pt", "10x64");
  EXPECT_EQ(ledger.ldg, 1);
  EXPECT_EQ(ledger.bytes_per_output, fraction(4 * (640 + 2 * 10 * 63 + 2 * 9 * 64 + 640), 640));
}

TEST(SourceLedger, RefusesOverflow) {
  EXPECT_EQ(error_of([] { ledger_of("K3", "4000000000x4000000000x4"); }),
            "kernel K3 at k=4,m=4000000000,n=4000000000: outputs = 16000000000000000000 overflows "
            "64 bits");
  EXPECT_EQ(error_of([] { ledger_of("K3", "3000000x3000000x3000000"); }),
            "kernel K3 at k=3000000,m=3000000,n=3000000: fmas = 27000000000000000000 overflows 64 "
            "bits");
}

TEST(SourceLedger, RefusesAKernelWithoutSource) {
  EXPECT_EQ(error_of([] { ledger_of("K0", "4x4x4"); }),
            "kernel K0 has no source ledger: it is cuBLAS's");
}

class Contradiction : public ::testing::Test {
 protected:
  std::string error_with(std::string_view from, std::string_view to) {
    const std::string good = testing::read_file(testing::source_specs() / "kernels/K4.yaml");
    const auto file = folder_.write("K4.yaml", replaced(good, from, to));
    const KernelSpec spec = spec::read_kernel(file);
    return error_of([&] { evaluate_source_ledger(spec, spec.default_shape); });
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Contradiction, FewerFmasThanTheWork) {
  EXPECT_EQ(error_with("fmas: 8", "fmas: 4"),
            "kernel K4 at k=4096,m=4096,n=4096: its loops execute 34359738368 FMAs, but the work "
            "needs 68719476736");
}

TEST_F(Contradiction, MoreElementsThanTheLoadsCarry) {
  EXPECT_EQ(error_with("{array: A, per_thread: 8", "{array: A, per_thread: 4"),
            "kernel K4 at k=4096,m=4096,n=4096: 2147483648 elements of A are more than its "
            "1073741824 accesses of 1 carry; check 'elements', 'per_thread' and 'threads'");
}

TEST_F(Contradiction, FewerOutputsThanTheWork) {
  EXPECT_EQ(error_with("outputs_per_thread: 8", "outputs_per_thread: 7"),
            "kernel K4 at k=4096,m=4096,n=4096: 2097152 threads with 7 outputs each do not cover "
            "16777216 outputs");
}

TEST_F(Contradiction, AFractionOfAThread) {
  EXPECT_EQ(error_with("threads: 128 * ceil_div(m, 32) * ceil_div(n, 32)", "threads: m / 3"),
            "kernel K4 at k=4096,m=4096,n=4096: threads = 4096/3 must be a whole number");
}

TEST_F(Contradiction, NegativeTrips) {
  EXPECT_EQ(error_with("trips: ceil_div(k, 32)", "trips: 1 - k"),
            "kernel K4 at k=4096,m=4096,n=4096: loop 'stage' makes -4095 trips");
}

TEST(LinesPerWarp, OfTheCommonAccesses) {
  EXPECT_EQ(lines_per_warp(0, 4), 1);     // broadcast
  EXPECT_EQ(lines_per_warp(4, 4), 1);     // 32 consecutive floats
  EXPECT_EQ(lines_per_warp(16, 16), 4);   // 32 consecutive float4
  EXPECT_EQ(lines_per_warp(8, 4), 2);     // every other float
  EXPECT_EQ(lines_per_warp(128, 4), 32);  // one lane a line
  EXPECT_EQ(lines_per_warp(16384, 4), 32);
  EXPECT_EQ(lines_per_warp(0, 16), 1);  // broadcast float4
}

}  // namespace
}  // namespace perfmodel
