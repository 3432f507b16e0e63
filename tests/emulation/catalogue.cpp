#include "tests/emulation/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "kernels/sgemm/kernels.hpp"
#include "kernels/spmv/matrix_market.hpp"
#include "kernels/spmv/problem.hpp"
#include "kernels/validate.hpp"
#include "model/sass/emulate.hpp"

namespace perfmodel::kernels::testing {
namespace {

struct Gemm {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

/// Rows of unequal length, one of them empty, more columns than rows.
constexpr std::string_view market_text =
    "%%MatrixMarket matrix coordinate real general\n"
    "8 11 13\n"
    "1 1 1.5\n1 11 -2\n2 3 0.25\n4 1 1\n4 2 2\n4 3 3\n4 5 -4\n4 10 5\n5 5 1\n6 6 -1\n7 7 0.5\n"
    "8 1 8\n8 11 -0.125\n";

Case shaped(const Kernel& kernel, const Shape& shape) {
  return {&kernel, std::string(kernel.name) + " " + shape.key(), make_problem(kernel, shape)};
}

std::vector<Case> spmv_cases(const Kernel& kernel) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& what, CsrMatrix matrix) {
    cases.push_back(
        {&kernel, std::string(kernel.name) + " " + what, make_spmv_problem(std::move(matrix))});
  };
  // spmv-ell4 takes multiples of four rows only.
  const bool any_rows = kernel.name != "spmv-ell4";
  add("stencil A", stencil_a(any_rows ? 17 : 18));
  add("stencil B", stencil_b(any_rows ? 33 : 34));
  add("Matrix Market", parse_matrix_market(market_text, "text"));
  return cases;
}

}  // namespace

std::vector<std::string> tested_kernels() {
  std::vector<std::string> names;
  for (const Kernel& kernel : catalog()) {
    if (kernel.name == "sweep") {
      names.insert(names.end(), {"sweep-128", "sweep-256", "sweep-512"});
    } else if (kernel.name != "K0") {
      names.emplace_back(kernel.name);
    }
  }
  return names;
}

std::vector<Case> cases_of(const std::string& name) {
  const bool sweep = name.starts_with("sweep-");
  const Kernel& kernel = find_kernel(sweep ? "sweep" : name);
  std::vector<Case> cases;
  if (kernel.family == "spmv") {
    return spmv_cases(kernel);
  }
  if (kernel.family == "gemv") {
    for (const auto& [m, n] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {301, 37}, {1029, 6}}) {
      cases.push_back(shaped(kernel, Shape({{"m", m}, {"n", n}})));
    }
    return cases;
  }
  std::vector<Gemm> shapes = {{1, 1, 1}, {35, 131, 37}, {67, 19, 45}};
  if (name == "K6") {
    shapes = {{1, 4, 4}, {35, 132, 36}, {67, 20, 44}};
  } else if (sweep) {
    shapes = {{1, 1, 1}, {35, 35, 19}, {67, 19, 9}};
  }
  for (const auto& [m, n, k] : shapes) {
    if (sweep) {
      for (const Shape& shape : sweep_shapes(m, n, k)) {
        if (name == "sweep-" + std::to_string(shape.extent("block"))) {
          cases.push_back(shaped(kernel, shape));
        }
      }
    } else if (name == "tiled") {
      cases.push_back(
          shaped(kernel,
                 Shape({{"m", m}, {"n", n}, {"k", k}, {"tile", 16}, {"block", m == 1 ? 16 : 64}})));
    } else {
      cases.push_back(shaped(kernel, Shape({{"m", m}, {"n", n}, {"k", k}})));
    }
  }
  return cases;
}

std::vector<MachineCode> code_of(const Case& one, std::span<const sass::Module> modules) {
  const std::string name = machine_function(*one.kernel, one.problem->shape());
  std::vector<MachineCode> found;
  for (const sass::Module& module : modules) {
    for (const sass::Function& function : module.functions) {
      if (function.name == name) {
        found.push_back({&module, &function});
      }
    }
  }
  return found;
}

sass::MachineLedger expect_reference(const Case& one, const MachineCode& code) {
  SCOPED_TRACE(one.name + " on " + code.module->arch);
  const std::vector<sass::Launch> launches =
      machine_launches(*one.kernel, *one.problem, Contents::all);
  EXPECT_EQ(launches.size(), 1U);
  const sass::EmulatedRun run = sass::run_launch(*code.module, *code.function, launches.front());
  const std::vector<std::byte>& bytes = run.outputs.at(one.kernel->inputs.size());
  std::vector<float> output(bytes.size() / sizeof(float));
  std::memcpy(output.data(), bytes.data(), bytes.size());
  const Validation validation =
      validate(output, one.problem->reference(), one.problem->output_columns(),
               {default_atol, default_rtol});
  EXPECT_EQ(validation.checked, one.problem->output_elements());
  if (validation.first) {
    ADD_FAILURE() << validation.failed << " elements are wrong, first (" << validation.first->row
                  << ", " << validation.first->column << "): " << validation.first->actual
                  << " for " << validation.first->expected;
  }
  for (const sass::Defect& defect : run.ledger.defects) {
    ADD_FAILURE() << sass::defect_kind_name(defect.kind) << ": " << defect.what;
  }
  EXPECT_TRUE(run.ledger.unknown.empty());
  EXPECT_TRUE(run.ledger.not_computed.empty());
  EXPECT_FALSE(run.ledger.results_affected);
  return run.ledger;
}

}  // namespace perfmodel::kernels::testing
