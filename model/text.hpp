#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// The candidate with the smallest edit distance to `word` (ASCII case ignored), or nothing when
/// none is near enough to be a plausible typing error.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// " (did you mean 'X'?)", or an empty string when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "a, b, c".
std::string join(std::span<const std::string> words, std::string_view separator = ", ");

/// Splits at every `separator`; empty fields are kept. "a,,b" gives {"a", "", "b"}.
std::vector<std::string> split(std::string_view text, char separator);

/// True for names that are safe as file names, table cells and command-line words:
/// a letter or digit, then up to 63 letters, digits, '_', '-', '.' or '+'.
bool is_plain_name(std::string_view text);

/// Makes text from outside harmless on a terminal: control characters become '?', and anything
/// beyond `max_bytes` is cut.
std::string printable(std::string_view text, std::size_t max_bytes = 80);

}  // namespace perfmodel
