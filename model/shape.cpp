#include "model/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

std::int64_t parse_extent(std::string_view text, std::string_view whole, std::int64_t minimum) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc::result_out_of_range) {
    fail(fmt::format("shape '{}': extent '{}' overflows 64 bits", printable(whole),
                     printable(text)));
  }
  if (status != std::errc() || stop != end) {
    fail(fmt::format("shape '{}': '{}' is not a whole number", printable(whole), printable(text)));
  }
  if (value < minimum) {
    fail(
        fmt::format("shape '{}': extent {} must be at least {}", printable(whole), value, minimum));
  }
  return value;
}

}  // namespace

Shape::Shape(std::vector<std::pair<std::string, std::int64_t>> extents)
    : extents_(std::move(extents)) {}

Shape Shape::parse(std::string_view text, std::span<const std::string> dimensions,
                   std::int64_t minimum) {
  std::vector<std::pair<std::string, std::int64_t>> extents;
  const bool named = text.find('=') != std::string_view::npos;
  const std::vector<std::string> fields = split(text, named ? ',' : 'x');
  if (fields.size() != dimensions.size()) {
    fail(fmt::format("shape '{}' has {} extents, but {} are needed: {}", printable(text),
                     fields.size(), dimensions.size(), join(dimensions, " x ")));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& field = fields[i];
    const std::size_t equals = field.find('=');
    if (!named) {
      extents.emplace_back(dimensions[i], parse_extent(field, text, minimum));
      continue;
    }
    if (equals == std::string::npos) {
      fail(fmt::format("shape '{}': write every extent as name=value", printable(text)));
    }
    const std::string name = field.substr(0, equals);
    const bool repeated =
        std::ranges::any_of(extents, [&](const auto& extent) { return extent.first == name; });
    if (repeated) {
      fail(fmt::format("shape '{}' gives '{}' twice", printable(text), printable(name)));
    }
    extents.emplace_back(name,
                         parse_extent(std::string_view(field).substr(equals + 1), text, minimum));
  }
  return Shape(std::move(extents)).ordered_as(dimensions);
}

bool Shape::has(std::string_view dimension) const {
  return std::ranges::any_of(extents_,
                             [&](const auto& extent) { return extent.first == dimension; });
}

std::int64_t Shape::extent(std::string_view dimension) const {
  for (const auto& [name, value] : extents_) {
    if (name == dimension) {
      return value;
    }
  }
  fail(fmt::format("shape {} has no dimension '{}'", key(), dimension));
}

Shape Shape::ordered_as(std::span<const std::string> dimensions) const {
  std::vector<std::pair<std::string, std::int64_t>> ordered;
  for (const auto& [name, value] : extents_) {
    if (std::ranges::find(dimensions, name) == dimensions.end()) {
      fail(fmt::format("shape {}: there is no dimension '{}'; expected {}", key(), printable(name),
                       join(dimensions)));
    }
  }
  for (const std::string& dimension : dimensions) {
    ordered.emplace_back(dimension, extent(dimension));
  }
  return Shape(std::move(ordered));
}

std::string Shape::to_string() const {
  std::string out;
  for (const auto& [name, value] : extents_) {
    out += (out.empty() ? "" : "x") + std::to_string(value);
  }
  return out;
}

std::string Shape::key() const {
  auto sorted = extents_;
  std::ranges::sort(sorted);
  std::string out;
  for (const auto& [name, value] : sorted) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, value);
  }
  return out;
}

}  // namespace perfmodel
