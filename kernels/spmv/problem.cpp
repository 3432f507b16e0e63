#include "kernels/spmv/problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "kernels/projection.hpp"
#include "kernels/sizes.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

class SpmvProblem final : public Problem {
 public:
  explicit SpmvProblem(CsrMatrix matrix)
      : matrix_(std::move(matrix)),
        shape_({{"rows", matrix_.rows},
                {"columns", matrix_.columns},
                {"nnz", matrix_.entries()},
                {"width", row_statistics(matrix_).max_length}}),
        x_(static_cast<std::size_t>(checked_extent(shape_, "columns"))) {
    checked_extent(shape_, "rows");
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = static_cast<float>(static_cast<int>(i % 17) - 8) * 0.25F;
    }
  }

  [[nodiscard]] const Shape& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t output_rows() const override { return matrix_.rows; }
  [[nodiscard]] std::int64_t output_columns() const override { return 1; }
  [[nodiscard]] std::int64_t fmas() const override { return matrix_.entries(); }

  std::span<const std::byte> input(std::string_view name) override {
    if (name == "row_pointers") {
      return std::as_bytes(std::span(matrix_.row_pointers));
    }
    if (name == "columns") {
      return std::as_bytes(std::span(matrix_.entry_columns));
    }
    if (name == "values") {
      return std::as_bytes(std::span(matrix_.values));
    }
    if (name == "ell_columns") {
      return std::as_bytes(std::span(ell().entry_columns));
    }
    if (name == "ell_values") {
      return std::as_bytes(std::span(ell().values));
    }
    if (name == "x") {
      return std::as_bytes(std::span(x_));
    }
    fail(
        fmt::format("a sparse product has the inputs row_pointers, columns, values, ell_columns, "
                    "ell_values and x, not '{}'",
                    printable(name)));
  }

  std::vector<double> reference() override {
    std::vector<double> y(static_cast<std::size_t>(matrix_.rows));
    for (std::int32_t row = 0; row < matrix_.rows; ++row) {
      y[static_cast<std::size_t>(row)] = row_of(row).sum;
    }
    return y;
  }

  /// A result with one column is its own projection: every row is compared with what fp32 rounding
  /// can do to a sum of so many terms, (terms + 1) * 2^-24 * sum of |term|.
  ProjectionCheck check_projections(std::span<const float> output) override {
    constexpr double rounding = 1.0 / (1 << 24);
    require_output_size(*this, output.size());
    ProjectionCheck check;
    for (std::int32_t row = 0; row < matrix_.rows; ++row) {
      const RowSum expected = row_of(row);
      add_projection(check, output[static_cast<std::size_t>(row)], expected.sum,
                     (matrix_.row_length(row) + 1) * rounding * expected.magnitude, "row", row);
    }
    return check;
  }

 private:
  struct RowSum {
    double sum = 0;
    double magnitude = 0;  ///< the same with |term|
  };

  [[nodiscard]] RowSum row_of(std::int32_t row) const {
    RowSum result;
    const auto at = static_cast<std::size_t>(row);
    for (std::int32_t i = matrix_.row_pointers[at]; i < matrix_.row_pointers[at + 1]; ++i) {
      const auto entry = static_cast<std::size_t>(i);
      const double term = double{matrix_.values[entry]} *
                          double{x_[static_cast<std::size_t>(matrix_.entry_columns[entry])]};
      result.sum += term;
      result.magnitude += std::abs(term);
    }
    return result;
  }

  const EllMatrix& ell() {
    if (!ell_) {
      ell_ = ell_from_csr(matrix_);
    }
    return *ell_;
  }

  CsrMatrix matrix_;
  Shape shape_;
  std::vector<float> x_;
  std::optional<EllMatrix> ell_;
};

}  // namespace

std::unique_ptr<Problem> make_spmv_problem(CsrMatrix matrix) {
  return std::make_unique<SpmvProblem>(std::move(matrix));
}

}  // namespace perfmodel::kernels
