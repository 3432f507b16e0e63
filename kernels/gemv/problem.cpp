#include "kernels/gemv/problem.hpp"

#include <fmt/format.h>

#include "kernels/gemv/tiles.hpp"
#include "kernels/inputs.hpp"
#include "kernels/projection.hpp"
#include "kernels/sizes.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

class GemvProblem final : public Problem {
 public:
  explicit GemvProblem(const Shape& shape)
      : shape_(shape), m_(checked_extent(shape, "m")), n_(checked_extent(shape, "n")) {
    float_bytes(gemv_pitch(static_cast<int>(m_)), n_, "A in bytes");
  }

  [[nodiscard]] const Shape& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t output_rows() const override { return m_; }
  [[nodiscard]] std::int64_t output_columns() const override { return 1; }
  [[nodiscard]] std::int64_t fmas() const override { return m_ * n_; }

  std::span<const std::byte> input(std::string_view name) override {
    if (name == "A") {
      if (rows_.empty()) {
        rows_.resize(static_cast<std::size_t>(m_ * n_));
        for (std::size_t i = 0; i < rows_.size(); ++i) {
          rows_[i] = left_element(i);
        }
      }
      return std::as_bytes(std::span(rows_));
    }
    if (name == "A_columns") {
      return std::as_bytes(std::span(columns()));
    }
    if (name == "x") {
      return std::as_bytes(std::span(x()));
    }
    fail(fmt::format("a matrix-vector product has the inputs A, A_columns and x, not '{}'",
                     printable(name)));
  }

  std::vector<double> reference() override {
    std::vector<double> y(static_cast<std::size_t>(m_));
    for (std::int64_t row = 0; row < m_; ++row) {
      double sum = 0;
      for (std::int64_t column = 0; column < n_; ++column) {
        sum += element(row, column) * double{x()[static_cast<std::size_t>(column)]};
      }
      y[static_cast<std::size_t>(row)] = sum;
    }
    return y;
  }

  /// A result with one column is its own projection: every row is compared, to half a quantum.
  ProjectionCheck check_projections(std::span<const float> output) override {
    require_output_size(*this, output.size());
    const std::vector<double> expected = reference();
    ProjectionCheck check;
    for (std::size_t row = 0; row < expected.size(); ++row) {
      add_projection(check, output[row], expected[row], product_quantum / 2, "row",
                     static_cast<std::int64_t>(row));
    }
    return check;
  }

 private:
  [[nodiscard]] double element(std::int64_t row, std::int64_t column) const {
    return left_element(static_cast<std::uint64_t>(row * n_ + column));
  }

  const std::vector<float>& columns() {
    if (columns_.empty()) {
      const std::int64_t pitch = gemv_pitch(static_cast<int>(m_));
      columns_.resize(static_cast<std::size_t>(pitch * n_));
      for (std::int64_t column = 0; column < n_; ++column) {
        for (std::int64_t row = 0; row < m_; ++row) {
          columns_[static_cast<std::size_t>(column * pitch + row)] =
              static_cast<float>(element(row, column));
        }
      }
    }
    return columns_;
  }

  const std::vector<float>& x() {
    if (x_.empty()) {
      x_.resize(static_cast<std::size_t>(n_));
      for (std::size_t i = 0; i < x_.size(); ++i) {
        x_[i] = right_element(i);
      }
    }
    return x_;
  }

  Shape shape_;
  std::int64_t m_;
  std::int64_t n_;
  std::vector<float> rows_;
  std::vector<float> columns_;
  std::vector<float> x_;
};

}  // namespace

std::unique_ptr<Problem> make_gemv_problem(const Shape& shape) {
  return std::make_unique<GemvProblem>(shape);
}

}  // namespace perfmodel::kernels
