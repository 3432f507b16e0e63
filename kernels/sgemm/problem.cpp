#include "kernels/sgemm/problem.hpp"

#include <fmt/format.h>

#include "kernels/inputs.hpp"
#include "kernels/projection.hpp"
#include "kernels/sizes.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

class GemmProblem final : public Problem {
 public:
  explicit GemmProblem(const Shape& shape)
      : shape_(shape),
        m_(checked_extent(shape, "m")),
        n_(checked_extent(shape, "n")),
        k_(checked_extent(shape, "k")) {
    float_bytes(m_, k_, "A in bytes");
    float_bytes(k_, n_, "B in bytes");
    float_bytes(m_, n_, "C in bytes");
    const std::int64_t fmas =
        checked_product(checked_product(m_, n_, "m x n"), k_, "the number of FMAs");
    checked_product(fmas, 2, "the number of FLOPs");
  }

  [[nodiscard]] const Shape& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t output_rows() const override { return m_; }
  [[nodiscard]] std::int64_t output_columns() const override { return n_; }
  [[nodiscard]] std::int64_t fmas() const override { return m_ * n_ * k_; }

  std::span<const std::byte> input(std::string_view name) override {
    if (name == "A") {
      return std::as_bytes(std::span(a()));
    }
    if (name == "B") {
      return std::as_bytes(std::span(b()));
    }
    fail(fmt::format("a matrix product has the inputs A and B, not '{}'", printable(name)));
  }

  std::vector<double> reference() override {
    std::vector<double> c(size(m_ * n_));
    for (std::int64_t row = 0; row < m_; ++row) {
      double* const out = c.data() + row * n_;
      for (std::int64_t inner = 0; inner < k_; ++inner) {
        const double left = a()[size(row * k_ + inner)];
        const float* const right = b().data() + inner * n_;
        for (std::int64_t column = 0; column < n_; ++column) {
          out[column] += left * double{right[column]};
        }
      }
    }
    return c;
  }

  /// Freivalds' check with signs, from both sides: C v = A (B v) row by row, and u C = (u A) B
  /// column by column. One wrong element shows in its row and in its column. With inputs on a grid
  /// every sum is exact in double, so that half a quantum separates right from wrong.
  ProjectionCheck check_projections(std::span<const float> output) override {
    require_output_size(*this, output.size());
    ProjectionCheck check;
    if (output.empty()) {
      return check;
    }
    const std::vector<double> v = signs(n_, 0);
    const std::vector<double> u = signs(m_, 1);
    const std::vector<double> expected_rows = times(a(), m_, k_, times(b(), k_, n_, v));
    const std::vector<double> actual_rows = times(output, m_, n_, v);
    for (std::int64_t row = 0; row < m_; ++row) {
      add_projection(check, actual_rows[size(row)], expected_rows[size(row)], product_quantum / 2,
                     "row", row);
    }
    const std::vector<double> expected_columns =
        times_left(times_left(u, a(), m_, k_), b(), k_, n_);
    const std::vector<double> actual_columns = times_left(u, output, m_, n_);
    for (std::int64_t column = 0; column < n_; ++column) {
      add_projection(check, actual_columns[size(column)], expected_columns[size(column)],
                     product_quantum / 2, "column", column);
    }
    return check;
  }

 private:
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  static std::vector<double> signs(std::int64_t count, std::uint64_t salt) {
    std::vector<double> result(size(count));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = sign_of(2 * i + salt);
    }
    return result;
  }

  /// matrix[rows x columns] * vector[columns].
  static std::vector<double> times(std::span<const float> matrix, std::int64_t rows,
                                   std::int64_t columns, const std::vector<double>& vector) {
    std::vector<double> result(size(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* const line = matrix.data() + row * columns;
      double sum = 0;
      for (std::int64_t column = 0; column < columns; ++column) {
        sum += double{line[column]} * vector[size(column)];
      }
      result[size(row)] = sum;
    }
    return result;
  }

  /// vector[rows] * matrix[rows x columns].
  static std::vector<double> times_left(const std::vector<double>& vector,
                                        std::span<const float> matrix, std::int64_t rows,
                                        std::int64_t columns) {
    std::vector<double> result(size(columns));
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* const line = matrix.data() + row * columns;
      for (std::int64_t column = 0; column < columns; ++column) {
        result[size(column)] += vector[size(row)] * double{line[column]};
      }
    }
    return result;
  }

  const std::vector<float>& a() {
    if (a_.empty()) {
      a_.resize(size(m_ * k_));
      for (std::size_t i = 0; i < a_.size(); ++i) {
        a_[i] = left_element(i);
      }
    }
    return a_;
  }

  const std::vector<float>& b() {
    if (b_.empty()) {
      b_.resize(size(k_ * n_));
      for (std::size_t i = 0; i < b_.size(); ++i) {
        b_[i] = right_element(i);
      }
    }
    return b_;
  }

  Shape shape_;
  std::int64_t m_;
  std::int64_t n_;
  std::int64_t k_;
  std::vector<float> a_;
  std::vector<float> b_;
};

}  // namespace

std::unique_ptr<Problem> make_gemm_problem(const Shape& shape) {
  return std::make_unique<GemmProblem>(shape);
}

}  // namespace perfmodel::kernels
