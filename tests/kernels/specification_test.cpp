// Every runnable kernel has a specification, and both say the same.

#include <filesystem>

#include "kernels/catalog.hpp"
#include "kernels/spmv/problem.hpp"
#include "model/source_ledger.hpp"
#include "model/spec/kernel_reader.hpp"
#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

/// As text, which GoogleTest can print.
std::string exact(const Rational& value) { return to_fraction(value); }

KernelSpec spec_of(const Kernel& kernel) {
  return spec::read_kernel(std::filesystem::path(PERFMODEL_SPECS) / "kernels" /
                           (std::string(kernel.name) + ".yaml"));
}

TEST(Specification, AgreesWithTheCatalogue) {
  for (const Kernel& kernel : catalog()) {
    SCOPED_TRACE(kernel.name);
    const KernelSpec spec = spec_of(kernel);
    EXPECT_EQ(spec.name, kernel.name);
    EXPECT_EQ(spec.family, kernel.family);
    EXPECT_EQ(spec.dimensions,
              std::vector<std::string>(kernel.dimensions.begin(), kernel.dimensions.end()));
    EXPECT_EQ(exact(evaluate_work(spec, spec.default_shape).required_bytes),
              std::to_string(kernel.required_bytes(spec.default_shape)));
    EXPECT_FALSE(kernel.plan(spec.default_shape, {}).skipped());
  }
}

TEST(Specification, WorkIsTheProblems) {
  for (const Kernel& kernel : catalog()) {
    SCOPED_TRACE(kernel.name);
    const KernelSpec spec = spec_of(kernel);
    const auto problem = kernel.family == "spmv" ? make_spmv_problem(stencil_a(1024))
                                                 : make_problem(kernel, spec.default_shape);
    const Work work = evaluate_work(spec, spec.default_shape);
    EXPECT_EQ(exact(work.fmas), std::to_string(problem->fmas()));
    EXPECT_EQ(exact(work.outputs), std::to_string(problem->output_elements()));
    EXPECT_EQ(recorded_shape(kernel, problem->shape()).key(), spec.default_shape.key());
  }
}

SourceLedger ledger_at(std::string_view name, const Shape& shape) {
  return evaluate_source_ledger(spec_of(find_kernel(name)), shape);
}

TEST(Specification, LedgersHoldAtOddSizes) {
  for (const Kernel& kernel : catalog()) {
    SCOPED_TRACE(kernel.name);
    const KernelSpec spec = spec_of(kernel);
    if (!spec.ledger || kernel.family == "spmv") {
      continue;
    }
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const auto& [name, value] : spec.default_shape.extents()) {
      const bool size = name == "m" || name == "n" || name == "k";
      extents.emplace_back(name, size ? value / 4 + 1 : value);
    }
    EXPECT_NO_THROW(evaluate_source_ledger(spec, Shape(extents)));
  }
}

TEST(Specification, SweepAndTiledLedgersCountedByHand) {
  const Shape sweep({{"m", 64}, {"n", 64}, {"k", 64}, {"block", 128}, {"tk", 8}, {"coarsen", 2}});
  const SourceLedger small = ledger_at("sweep", sweep);
  EXPECT_EQ(exact(small.dist), "1/2");
  EXPECT_EQ(exact(small.bcast), "1");
  // A stage: 8 x 8 of A and 8 x 32 of B for 8 x 32 x 8 FMAs.
  EXPECT_EQ(exact(small.ldg), "5/32");
  // In warps: two loads of A, each of four rows of eight, and eight of B for 64 FMAs.
  EXPECT_EQ(exact(small.requests_per_fma), "1/4");

  const Shape tiled({{"m", 64}, {"n", 64}, {"k", 64}, {"tile", 16}, {"block", 64}});
  const SourceLedger ledger = ledger_at("tiled", tiled);
  // A stage: 4 x 16 of A and 16 x 16 of B for 4 x 16 x 16 FMAs.
  EXPECT_EQ(exact(ledger.ldg), "5/16");
  // Traffic as the harness states it: 4 m n k (1 / tile + 1 / rows), and the store.
  EXPECT_EQ(exact(ledger.bytes_per_output), "84");
}

}  // namespace
}  // namespace perfmodel::kernels
