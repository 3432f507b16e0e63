#include "model/text.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace perfmodel {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t longest_compared = 64;  // bounds the work on hostile input
  if (word.empty() || word.size() > longest_compared) {
    return std::nullopt;
  }
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t allowed =
        std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance <= allowed && (best == nullptr || distance < best_distance)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto near = nearest(word, candidates);
  return near ? " (did you mean '" + *near + "'?)" : std::string();
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) {
      out += separator;
    }
    out += word;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    fields.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return fields;
    }
    begin = end + 1;
  }
}

bool is_plain_name(std::string_view text) {
  constexpr std::size_t longest = 64;
  const auto alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && text.size() <= longest && alphanumeric(text.front()) &&
         std::ranges::all_of(text, [&](char c) {
           return alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '+';
         });
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues_character = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  std::size_t end = std::min(text.size(), max_bytes);
  while (end > 0 && end < text.size() && continues_character(end)) {
    --end;
  }
  std::string out;
  for (std::size_t i = 0; i < end; ++i) {
    // U+0080 to U+009F, in UTF-8 two bytes, control some terminals too.
    const bool is_c1 = byte(i) == 0xC2 && i + 1 < end && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0;
    const bool is_control = byte(i) < 0x20 || byte(i) == 0x7f || is_c1;
    out += is_control ? '?' : text[i];
    i += is_c1 ? 1 : 0;
  }
  return end < text.size() ? out + "..." : out;
}

}  // namespace perfmodel
