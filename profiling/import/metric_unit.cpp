#include "profiling/import/metric_unit.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace perfmodel::profiling {
namespace {

struct NamedUnit {
  std::string_view name;
  double factor;
};

constexpr std::array<NamedUnit, 21> durations = {{
    {"s", 1.0},           {"sec", 1.0},      {"second", 1.0},       {"seconds", 1.0},
    {"ms", 1e-3},         {"msec", 1e-3},    {"msecond", 1e-3},     {"us", 1e-6},
    {"usec", 1e-6},       {"usecond", 1e-6}, {"ns", 1e-9},          {"nsec", 1e-9},
    {"nsecond", 1e-9},    {"ps", 1e-12},     {"psecond", 1e-12},    {"\xC2\xB5s", 1e-6},
    {"\xCE\xBCs", 1e-6},  {"minute", 60.0},  {"millisecond", 1e-3}, {"microsecond", 1e-6},
    {"nanosecond", 1e-9},
}};

// Spellings that the rule for prefixes below would misread.
constexpr std::array<NamedUnit, 14> others = {{
    {"B", 1.0},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", 1024.0},
    {"MiB", 1048576.0},
    {"GiB", 1073741824.0},
    {"Hz", 1.0},
    {"kHz", 1e3},
    {"KHz", 1e3},
    {"MHz", 1e6},
    {"GHz", 1e9},
}};

constexpr std::array<std::pair<char, double>, 5> prefixes = {
    {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};

bool is_lower(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

template <std::size_t Count>
const NamedUnit* find_unit(const std::array<NamedUnit, Count>& units, std::string_view name) {
  const auto* found = std::ranges::find(units, name, &NamedUnit::name);
  return found == units.end() ? nullptr : found;
}

std::optional<UnitScale> one_unit(std::string_view text) {
  if (const NamedUnit* duration = find_unit(durations, text)) {
    // Nanoseconds are the profiler's base unit.
    const bool scaled = duration->factor != 1.0 && duration->factor != 1e-9;
    return UnitScale{duration->factor, scaled, true, false};
  }
  if (const NamedUnit* other = find_unit(others, text)) {
    return UnitScale{other->factor, other->factor != 1.0, false, text.ends_with("Hz")};
  }
  if (text.empty() || text == "%" || text == "n/a") {
    return UnitScale{};
  }
  // Things that are counted, in small letters, perhaps many of them: "inst", "Minst".
  UnitScale scale;
  const auto* prefix = std::ranges::find(prefixes, text.front(), &std::pair<char, double>::first);
  if (prefix != prefixes.end() && text.size() > 1 && is_lower(text[1])) {
    scale.factor = prefix->second;
    scale.scaled = true;
    text.remove_prefix(1);
  }
  scale.is_hertz = text == "hz";
  if (std::ranges::all_of(text, is_lower)) {
    return scale;
  }
  // "SM", "SMs", "TPC".
  const bool abbreviation =
      text.size() > 1 && is_upper(text[0]) && is_upper(text[1]) &&
      std::ranges::all_of(text, [](char c) { return is_upper(c) || c == 's'; });
  return abbreviation ? std::optional(scale) : std::nullopt;
}

}  // namespace

std::optional<UnitScale> parse_unit(std::string_view text) {
  if (text == "n/a") {
    return UnitScale{};
  }
  const std::size_t slash = text.find('/');
  std::optional<UnitScale> scale = one_unit(text.substr(0, slash));
  if (slash == std::string_view::npos || !scale) {
    return scale;
  }
  const std::optional<UnitScale> divisor = one_unit(text.substr(slash + 1));
  if (!divisor || text.substr(slash + 1).empty()) {
    return std::nullopt;
  }
  return UnitScale{scale->factor / divisor->factor, scale->scaled || divisor->factor != 1.0, false,
                   divisor->is_time};
}

}  // namespace perfmodel::profiling
