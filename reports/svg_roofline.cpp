#include "reports/svg_roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "model/text.hpp"

namespace perfmodel::reports {
namespace {

constexpr double picture_width = 960;
constexpr double picture_height = 600;
constexpr double picture_font_size = 13;
constexpr double mean_letter_width =
    7.2;  ///< of the common sans-serif fonts at that size, on average
constexpr std::size_t longest_shown_name = 40;
constexpr double marker_radius = 5;

struct Box {
  double left{};
  double top{};
  double right{};
  double bottom{};

  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  [[nodiscard]] bool is_inside(const Box& other) const {
    return left >= other.left && right <= other.right && top >= other.top && bottom <= other.bottom;
  }
};

constexpr Box plot_area = {76, 52, picture_width - 24, picture_height - 64};

/// A logarithmic axis between two positions on the page.
class LogAxis {
 public:
  LogAxis(double low, double high, double at_low, double at_high)
      : low_(std::log10(low)), high_(std::log10(high)), at_low_(at_low), at_high_(at_high) {}

  [[nodiscard]] double at(double value) const {
    return at_low_ + (at_high_ - at_low_) * (std::log10(value) - low_) / (high_ - low_);
  }
  [[nodiscard]] double low() const { return std::pow(10, low_); }
  [[nodiscard]] double high() const { return std::pow(10, high_); }
  /// Powers of ten inside.
  [[nodiscard]] std::vector<int> decades() const {
    std::vector<int> found;
    for (int i = static_cast<int>(std::ceil(low_ - 1e-9)); i <= high_ + 1e-9; ++i) {
      found.push_back(i);
    }
    return found;
  }

 private:
  double low_;
  double high_;
  double at_low_;
  double at_high_;
};

/// "66.1 TFLOP/s", "4.59 TB/s".
std::string scaled_rate(double per_s, std::string_view unit) {
  constexpr std::array<std::string_view, 5> prefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (per_s >= 1000 && prefix + 1 < prefixes.size()) {
    per_s /= 1000;
    ++prefix;
  }
  return fmt::format("{:.3g} {}{}", per_s, prefixes[prefix], unit);
}

/// 0.01, 1, 1000, then 10⁴ as "1e4".
std::string decade_text(int decade) {
  return decade >= -3 && decade <= 3 ? fmt::format("{:g}", std::pow(10, decade))
                                     : fmt::format("1e{}", decade);
}

constexpr std::string_view level_colour(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::l1:
      return "#0f766e";
    case MemoryLevel::l2:
      return "#b45309";
    case MemoryLevel::dram:
      break;
  }
  return "#1d4ed8";
}

/// The points of a kernel, one data type after the other.
std::vector<std::span<const RooflinePoint>> points_by_type(
    const std::vector<RooflinePoint>& points) {
  std::vector<std::span<const RooflinePoint>> groups;
  for (auto begin = points.begin(); begin != points.end();) {
    const auto end = std::find_if(begin, points.end(), [&](const RooflinePoint& point) {
      return point.data_type != begin->data_type;
    });
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

/// "saxpy", "gemm (tensor bf16)": fp32 goes without saying.
std::string label_of(const KernelFigures& kernel, const RooflinePoint& point) {
  const std::string name = printable(kernel.name, longest_shown_name);
  return point.data_type == "fp32" ? name : fmt::format("{} ({})", name, point.data_type);
}

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::ranges::find(all, one) == all.end()) {
    all.push_back(one);
  }
}

class Picture {
 public:
  explicit Picture(const PerformanceReport& report)
      : report_(report), set_(report.ceilings.at(report.first_ceiling)) {}

  std::string draw() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{2:g}\" "
        "fill=\"#1f2937\">\n",
        picture_width, picture_height, picture_font_size);
    out_ += fmt::format("<title>{}</title>\n", xml_text(report_.title));
    out_ += fmt::format("<rect width=\"{:g}\" height=\"{:g}\" fill=\"#ffffff\"/>\n", picture_width,
                        picture_height);
    text(plot_area.left, 26, report_.title, R"(font-size="16" font-weight="600")");
    text(plot_area.left, 44, fmt::format("roofs: {}{}", set_.name, types_without_roof()),
         R"(fill="#6b7280" font-size="12")");
    uncounted_products();
    legend();
    axes();
    roofs();
    points();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  void text(double x, double y, std::string_view content, std::string_view attributes) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes,
                        xml_text(content));
  }

  void line(double x1, double y1, double x2, double y2, std::string_view attributes) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                        y1, x2, y2, attributes);
  }

  void marker(double x, double y, MemoryLevel level) {
    const std::string style = fmt::format(R"(fill="{}" stroke="#ffffff")", level_colour(level));
    switch (level) {
      case MemoryLevel::l1:
        out_ += fmt::format("<path d=\"M{:.1f} {:.1f}l{r} {d}h-{d}z\" {}/>\n", x, y - marker_radius,
                            style, fmt::arg("r", marker_radius), fmt::arg("d", 2 * marker_radius));
        break;
      case MemoryLevel::l2:
        out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\" {}/>\n",
                            x - 4.5, y - 4.5, style);
        break;
      case MemoryLevel::dram:
        out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" {}/>\n", x, y,
                            marker_radius, style);
        break;
    }
  }

  void legend() {
    double x = plot_area.right - 230;
    for (const MemoryLevel level : {MemoryLevel::l1, MemoryLevel::l2, MemoryLevel::dram}) {
      marker(x, 40, level);
      text(x + 10, 44.5, to_string(level), "");
      x += level == MemoryLevel::l1 ? 100 : 60;
    }
  }

  void axes() {
    for (const int decade : x_.decades()) {
      const double at = x_.at(std::pow(10, decade));
      line(at, plot_area.top, at, plot_area.bottom, "stroke=\"#e5e7eb\"");
      text(at, plot_area.bottom + 18, decade_text(decade), "text-anchor=\"middle\"");
    }
    for (const int decade : y_.decades()) {
      const double at = y_.at(std::pow(10, decade));
      line(plot_area.left, at, plot_area.right, at, "stroke=\"#e5e7eb\"");
      text(plot_area.left - 8, at + 4, decade_text(decade - 9), "text-anchor=\"end\"");
    }
    out_ += fmt::format(
        "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"none\" "
        "stroke=\"#6b7280\"/>\n",
        plot_area.left, plot_area.top, plot_area.right - plot_area.left,
        plot_area.bottom - plot_area.top);
    text((plot_area.left + plot_area.right) / 2, picture_height - 18,
         "arithmetic intensity, FLOP per byte", "text-anchor=\"middle\"");
    const double middle = (plot_area.top + plot_area.bottom) / 2;
    text(20, middle, "performance, GFLOP/s",
         fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 20 {:.1f})\"", middle));
  }

  void roofs() {
    const double highest = highest_roof();
    for (const ComputeRoof& roof : compute_) {
      const double from = std::max(x_.low(), roof.flop_per_s / fastest_memory());
      line(x_.at(from), y_.at(roof.flop_per_s), plot_area.right, y_.at(roof.flop_per_s),
           R"(stroke="#374151" stroke-width="1.5")");
      const std::string label =
          fmt::format("{} {}", roof.data_type, scaled_rate(roof.flop_per_s, "FLOP/s"));
      text(plot_area.right - 6, y_.at(roof.flop_per_s) - 6, label, "text-anchor=\"end\"");
      taken_.push_back({plot_area.right - 6 - mean_letter_width * static_cast<double>(label.size()),
                        y_.at(roof.flop_per_s) - 20, plot_area.right, y_.at(roof.flop_per_s)});
    }
    for (const MemoryRoof& roof : set_.memory) {
      const double from = std::max(x_.low(), y_.low() / roof.bytes_per_s);
      const double to = std::min(x_.high(), highest / roof.bytes_per_s);
      if (from >= to) {
        continue;
      }
      line(x_.at(from), y_.at(from * roof.bytes_per_s), x_.at(to), y_.at(to * roof.bytes_per_s),
           fmt::format(R"(stroke="{}" stroke-width="1.5")", level_colour(roof.level)));
      slanted_label(roof, from);
    }
  }

  void slanted_label(const MemoryRoof& roof, double from) {
    const double x = x_.at(from) + 14;
    const double slope =
        (y_.at(10 * y_.low()) - y_.at(y_.low())) / (x_.at(10 * x_.low()) - x_.at(x_.low()));
    const double y = y_.at(from * roof.bytes_per_s) + slope * 14 - 7;
    const std::string label =
        fmt::format("{} {}", to_string(roof.level), scaled_rate(roof.bytes_per_s, "B/s"));
    text(x, y, label,
         fmt::format("fill=\"{}\" transform=\"rotate({:.1f} {:.1f} {:.1f})\"",
                     level_colour(roof.level), std::atan(slope) * 180 / std::numbers::pi, x, y));
    // What it covers, in a few steps along the slant.
    const double length = mean_letter_width * static_cast<double>(label.size());
    const double run = length / std::hypot(1, slope);
    constexpr int steps = 8;
    for (int i = 0; i < steps; ++i) {
      const double left = x + run * i / steps;
      const double bottom = y + slope * run * i / steps + 4;
      taken_.push_back({left, bottom - picture_font_size - 6, left + run / steps, bottom});
    }
  }

  void points() {
    for (const KernelFigures& kernel : report_.kernels) {
      for (const std::span<const RooflinePoint> of_type : points_by_type(kernel.points)) {
        connect(of_type);
      }
    }
    for (const KernelFigures& kernel : report_.kernels) {
      for (const RooflinePoint& point : kernel.points) {
        marker(x_.at(point.intensity), y_.at(point.per_s), point.level);
      }
    }
    for (const KernelFigures& kernel : report_.kernels) {
      for (const std::span<const RooflinePoint> of_type : points_by_type(kernel.points)) {
        const auto furthest = std::ranges::max_element(of_type, {}, &RooflinePoint::intensity);
        name(label_of(kernel, *furthest), x_.at(furthest->intensity), y_.at(furthest->per_s));
      }
    }
  }

  /// A dashed line through points of one kernel and type, which have one height.
  void connect(std::span<const RooflinePoint> of_type) {
    const double y = y_.at(of_type.front().per_s);
    double leftmost = std::numeric_limits<double>::infinity();
    double rightmost = 0;
    for (const RooflinePoint& point : of_type) {
      const double x = x_.at(point.intensity);
      taken_.push_back({x - 6, y - 6, x + 6, y + 6});
      leftmost = std::min(leftmost, x);
      rightmost = std::max(rightmost, x);
    }
    if (leftmost < rightmost) {
      line(leftmost, y, rightmost, y, R"(stroke="#9ca3af" stroke-dasharray="2 3")");
    }
  }

  /// Writes a name near its point where nothing else is written; farther away with a leader.
  void name(const std::string& label, double x, double y) {
    const double length = mean_letter_width * static_cast<double>(label.size());
    const auto steps = static_cast<int>((plot_area.bottom - plot_area.top) / picture_font_size);
    for (int step = 0; step < steps; ++step) {
      const double distance = step * picture_font_size;
      for (const double sign : {-1.0, 1.0}) {
        for (const double left : {x + 10, x - 10 - length, x - length / 2}) {
          const bool beside = left > x || left + length < x;
          const double middle = y + sign * (beside ? distance : distance + picture_font_size);
          const Box box = {left, middle - picture_font_size / 2, left + length,
                           middle + picture_font_size / 2};
          if (!box.is_inside(plot_area) || is_taken(box)) {
            continue;
          }
          taken_.push_back(box);
          if (distance > 2 * picture_font_size) {
            line(x, y, std::clamp(x, box.left, box.right), middle,
                 R"(stroke="#9ca3af" stroke-width="0.8")");
          }
          text(left, middle + picture_font_size / 3, label, "font-weight=\"600\"");
          return;
        }
      }
    }
  }

  [[nodiscard]] bool is_taken(const Box& box) const {
    return std::ranges::any_of(taken_, [&](const Box& other) { return box.overlaps(other); });
  }

  /// Compute roofs of the types that any kernel uses; fp32 where none uses any.
  [[nodiscard]] std::vector<ComputeRoof> used_roofs() const {
    std::vector<ComputeRoof> used;
    for (const ComputeRoof& roof : set_.compute) {
      const bool is_used = std::ranges::any_of(report_.kernels, [&](const KernelFigures& kernel) {
        return std::ranges::any_of(kernel.points, [&](const RooflinePoint& point) {
          return point.data_type == roof.data_type;
        });
      });
      if (is_used || roof.data_type == "fp32") {
        used.push_back(roof);
      }
    }
    return used;
  }

  [[nodiscard]] bool has_roof(const RooflinePoint& point) const {
    return std::ranges::find(set_.compute, point.data_type, &ComputeRoof::data_type) !=
           set_.compute.end();
  }

  /// "; the peak of tensor fp16 is not known".
  [[nodiscard]] std::string types_without_roof() const {
    std::vector<std::string> types;
    for (const KernelFigures& kernel : report_.kernels) {
      for (const RooflinePoint& point : kernel.points) {
        if (!has_roof(point)) {
          add_once(types, point.data_type);
        }
      }
    }
    return types.empty() ? "" : fmt::format("; the peak of {} is not known", join(types));
  }

  void uncounted_products() {
    std::vector<std::string> opcodes;
    for (const KernelFigures& kernel : report_.kernels) {
      for (const std::string& opcode : kernel.uncounted_products) {
        add_once(opcodes, opcode);
      }
    }
    constexpr std::size_t longest_list = 60;
    if (!opcodes.empty()) {
      text(plot_area.left, picture_height - 3,
           fmt::format("not drawn, because they are of integers, sparse or of a size that their "
                       "code does not tell: {}",
                       printable(join(opcodes), longest_list)),
           R"(fill="#6b7280" font-size="12")");
    }
  }

  /// Where memory roofs end: at the highest peak, and above points whose peak is not known.
  [[nodiscard]] double highest_roof() const {
    double highest = 0;
    for (const ComputeRoof& roof : compute_) {
      highest = std::max(highest, roof.flop_per_s);
    }
    for (const KernelFigures& kernel : report_.kernels) {
      for (const RooflinePoint& point : kernel.points) {
        highest = has_roof(point) ? highest : std::max(highest, 2 * point.per_s);
      }
    }
    return highest;
  }

  [[nodiscard]] double fastest_memory() const {
    double fastest = 0;
    for (const MemoryRoof& roof : set_.memory) {
      fastest = std::max(fastest, roof.bytes_per_s);
    }
    return fastest;
  }

  /// Extremes of the points and of the corners where roofs meet, with room around them.
  [[nodiscard]] LogAxis intensity_axis() const {
    double low = 0.1;
    double high = 10;
    for (const MemoryRoof& roof : set_.memory) {
      high = std::max(high, 4 * highest_roof() / roof.bytes_per_s);
    }
    for (const KernelFigures& kernel : report_.kernels) {
      for (const RooflinePoint& point : kernel.points) {
        low = std::min(low, point.intensity / 2);
        high = std::max(high, 4 * point.intensity);
      }
    }
    return {low, high, plot_area.left, plot_area.right};
  }

  [[nodiscard]] LogAxis performance_axis() const {
    const double high = 2.5 * highest_roof();
    double low = high / 1000;
    for (const KernelFigures& kernel : report_.kernels) {
      for (const RooflinePoint& point : kernel.points) {
        low = std::min(low, point.per_s / 2);
      }
    }
    return {low, high, plot_area.bottom, plot_area.top};
  }

  const PerformanceReport& report_;
  const CeilingSet& set_;
  std::vector<ComputeRoof> compute_ = used_roofs();
  LogAxis x_ = intensity_axis();
  LogAxis y_ = performance_axis();
  std::vector<Box> taken_;
  std::string out_;
};

/// The code point that begins at `text`, and its bytes; nothing where that is no UTF-8.
std::optional<std::pair<std::uint32_t, std::size_t>> code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80         ? 1
                           : first >> 5 == 0x6  ? 2
                           : first >> 4 == 0xe  ? 3
                           : first >> 3 == 0x1e ? 4
                                                : 0;
  if (size == 0 || size > text.size()) {
    return std::nullopt;
  }
  std::uint32_t code = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6 != 2) {
      return std::nullopt;
    }
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  return code < least[size] ? std::nullopt : std::optional(std::pair(code, size));
}

/// XML 1.0, production 2.
bool is_xml_character(std::uint32_t code) {
  return (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) ||
         (code >= 0x10000 && code <= 0x10ffff);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto found = code_point(text);
    const std::size_t size = found ? found->second : 1;
    const bool plain = found && found->first < 0x7f && found->first >= 0x20 &&
                       std::string_view("<>&\"'").find(text.front()) == std::string_view::npos;
    if (plain) {
      safe += text.front();
    } else if (found && is_xml_character(found->first)) {
      safe += fmt::format("&#{};", found->first);
    } else {
      safe += '?';
    }
    text.remove_prefix(size);
  }
  return safe;
}

std::string svg_roofline(const PerformanceReport& report) { return Picture(report).draw(); }

}  // namespace perfmodel::reports
