#include "reports/text_roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/text.hpp"

namespace perfmodel::reports {
namespace {

constexpr std::size_t grid_columns = 66;
constexpr std::size_t grid_rows = 15;
constexpr std::string_view kernel_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Where a value lies among `count` places, of a logarithmic axis.
struct LogPlaces {
  double low;
  double high;
  std::size_t count;

  [[nodiscard]] std::size_t place(double value) const {
    const double share = std::log(value / low) / std::log(high / low);
    return static_cast<std::size_t>(std::clamp(std::round(share * static_cast<double>(count - 1)),
                                               0.0, static_cast<double>(count - 1)));
  }
  [[nodiscard]] double value(std::size_t at) const {
    return low * std::pow(high / low, static_cast<double>(at) / static_cast<double>(count - 1));
  }
};

/// The kernels on a grid of characters.
class Grid {
 public:
  Grid(const Analysis& analysis, std::vector<const KernelAnalysis*> kernels)
      : kernels_(std::move(kernels)),
        bandwidth_(analysis.device.dram_bytes_per_s.value),
        peak_(analysis.device.peak_flop_per_s(analysis.clock.hz)),
        x_{peak_ / bandwidth_ / 8, peak_ / bandwidth_ * 4, grid_columns},
        y_{peak_ / 8, peak_ * 1.5, grid_rows},
        cells_(grid_rows, std::string(grid_columns, ' ')) {
    constexpr double margin = 1.3;
    for (const KernelAnalysis* kernel : kernels_) {
      x_.low = std::min(x_.low, kernel->roofline->arithmetic_intensity / margin);
      x_.high = std::max(x_.high, kernel->roofline->arithmetic_intensity * margin);
      y_.low = std::min(y_.low, kernel->flop_per_s / margin);
      y_.high = std::max(y_.high, kernel->flop_per_s * margin);
    }
    draw_roofs();
    draw_kernels();
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (std::size_t row = grid_rows; row-- > 0;) {
      const bool labelled = row == grid_rows - 1 || row == 0 || row == grid_rows / 2;
      const std::string_view cells = cells_[row];
      lines.push_back(fmt::format("{:>8} |{}",
                                  labelled ? fmt::format("{:.3g}", y_.value(row) / 1e9) : "",
                                  cells.substr(0, cells.find_last_not_of(' ') + 1)));
    }
    lines.push_back(fmt::format("{:>8} +{}", "GFLOP/s", std::string(grid_columns, '-')));
    const std::string low = fmt::format("{:.3g}", x_.low);
    const std::string high = fmt::format("{:.3g}", x_.high);
    const std::size_t middle = grid_columns - low.size() - high.size();
    lines.push_back(fmt::format("{:10}{}{:^{}}{}", "", low, "FLOP/byte", middle, high));
    return lines;
  }

 private:
  void draw_roofs() {
    for (std::size_t column = 0; column < grid_columns; ++column) {
      const double slanted = x_.value(column) * bandwidth_;
      const double roof = std::min(peak_, slanted);
      if (roof >= y_.low) {
        cells_[y_.place(roof)][column] = slanted < peak_ ? '/' : '-';
      }
    }
  }

  void draw_kernels() {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      char& cell = cells_[y_.place(kernels_[i]->flop_per_s)]
                         [x_.place(kernels_[i]->roofline->arithmetic_intensity)];
      const bool is_free = std::string_view(" /-").find(cell) != std::string_view::npos;
      cell = is_free ? kernel_letters[i] : '*';
    }
  }

  std::vector<const KernelAnalysis*> kernels_;
  double bandwidth_;
  double peak_;
  LogPlaces x_;
  LogPlaces y_;
  std::vector<std::string> cells_;  ///< from the bottom row up
};

}  // namespace

std::optional<Drawing> text_roofline(const Analysis& analysis) {
  std::vector<const KernelAnalysis*> kernels;
  std::vector<std::string> names;
  const bool several_shapes = std::ranges::any_of(analysis.kernels, [&](const auto& kernel) {
    return kernel.shape != analysis.kernels.front().shape;
  });
  for (const KernelAnalysis& kernel : analysis.kernels) {
    if (kernel.roofline) {
      if (kernels.size() == kernel_letters.size()) {
        return std::nullopt;
      }
      names.push_back(fmt::format("{} {}{}", kernel_letters[kernels.size()], printable(kernel.name),
                                  several_shapes ? " " + kernel.shape.to_string() : ""));
      kernels.push_back(&kernel);
    }
  }
  if (kernels.empty()) {
    return std::nullopt;
  }
  return Drawing{"DRAM roofline in characters", Grid(analysis, std::move(kernels)).lines(),
                 fmt::format("/ DRAM roof, - fp32 peak, * several kernels; {}", join(names))};
}

}  // namespace perfmodel::reports
