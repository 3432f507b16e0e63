#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfmodel::profiling {

/// The character between the whole part and the fraction of a number.
enum class DecimalMark : std::uint8_t { point, comma };

/// "1,234,567.5" with a decimal point, "1.234.567,5" with a comma. Thousands may also be parted by
/// blanks of any width, underscores or apostrophes; an exponent is allowed. Nothing for other text,
/// for groups that are not of three digits, and for figures that are not finite.
std::optional<double> parse_number(std::string_view text, DecimalMark mark);

/// Finds the decimal mark of a file from all of its figures: "1,234" may be 1234 or 1.234, but not
/// both in one file.
class DecimalMarkFinder {
 public:
  /// Looks at one cell. `where` names it in messages: "file.csv:3: gpu__time_duration.sum".
  template <typename Where>
  void look_at(std::string_view text, Where where) {
    std::optional<Example>* const slot = slot_for(text);
    if (slot != nullptr && !*slot) {
      slot->emplace(Example{std::string(text), where()});
    }
  }

  /// Throws Error that names two cells where they contradict each other, or the first one that
  /// could be read both ways where nothing decides.
  [[nodiscard]] DecimalMark decide() const;

 private:
  struct Example {
    std::string text;
    std::string where;
  };

  /// Which example `text` would be; null where it decides nothing.
  std::optional<Example>* slot_for(std::string_view text);

  std::optional<Example> point_;
  std::optional<Example> comma_;
  std::optional<Example> ambiguous_;
};

}  // namespace perfmodel::profiling
