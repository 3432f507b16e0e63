#include "kernels/spmv/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

constexpr std::int64_t most_entries = std::numeric_limits<std::int32_t>::max();
/// Rows and columns that a byte of the file may claim: empty ones are legal, but a header must not
/// be able to make a short file take gigabytes.
constexpr std::int64_t extent_per_byte = 16;

struct Entry {
  std::int32_t row;
  std::int32_t column;
  float value;
  std::int64_t line;
};

enum class Values : std::uint8_t { real, integer, pattern };
enum class Symmetry : std::uint8_t { general, symmetric, skew };

class MatrixMarketReader {
 public:
  MatrixMarketReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  CsrMatrix read() {
    read_banner();
    read_sizes();
    read_entries();
    return assemble();
  }

 private:
  [[noreturn]] void error_at(std::int64_t line, const std::string& what) const {
    fail(fmt::format("{}:{}: {}", printable(name_, 200), line, what));
  }
  [[noreturn]] void error(const std::string& what) const { error_at(line_, what); }

  /// The next line without its end, or nothing after the last.
  std::optional<std::string_view> next_line() {
    if (at_ >= text_.size()) {
      return std::nullopt;
    }
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return line;
  }

  /// The words of the next line that is neither empty nor a comment.
  std::optional<std::vector<std::string_view>> next_words() {
    while (const std::optional<std::string_view> line = next_line()) {
      if (line->starts_with('%')) {
        continue;
      }
      std::vector<std::string_view> words = words_of(*line);
      if (!words.empty()) {
        return words;
      }
    }
    return std::nullopt;
  }

  /// At most a handful: a line that goes on longer is wrong anyway, and is cut there.
  static std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::size_t most_words = 8;
    constexpr std::string_view blanks = " \t";
    std::vector<std::string_view> words;
    std::size_t begin = line.find_first_not_of(blanks);
    while (begin != std::string_view::npos && words.size() < most_words) {
      const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(blanks, end);
    }
    return words;
  }

  static std::string lower(std::string_view word) {
    std::string result(word);
    for (char& c : result) {
      if (c >= 'A' && c <= 'Z') {
        c = static_cast<char>(c - 'A' + 'a');
      }
    }
    return result;
  }

  void read_banner() {
    const std::vector<std::string_view> words = words_of(next_line().value_or(""));
    line_ = 1;
    if (words.size() != 5 || lower(words[0]) != "%%matrixmarket") {
      error("expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
    }
    if (lower(words[1]) != "matrix") {
      error(fmt::format("holds a '{}', not a matrix", printable(words[1])));
    }
    if (lower(words[2]) != "coordinate") {
      error(fmt::format("the format '{}' is not supported; only 'coordinate' is sparse",
                        printable(words[2])));
    }
    const std::string field = lower(words[3]);
    if (field == "real") {
      values_ = Values::real;
    } else if (field == "integer") {
      values_ = Values::integer;
    } else if (field == "pattern") {
      values_ = Values::pattern;
    } else {
      error(fmt::format("values of the field '{}' are not supported; use real, integer or pattern",
                        printable(words[3])));
    }
    const std::string symmetry = lower(words[4]);
    if (symmetry == "general") {
      symmetry_ = Symmetry::general;
    } else if (symmetry == "symmetric") {
      symmetry_ = Symmetry::symmetric;
    } else if (symmetry == "skew-symmetric") {
      symmetry_ = Symmetry::skew;
    } else {
      error(
          fmt::format("the symmetry '{}' is not supported; use general, symmetric or "
                      "skew-symmetric",
                      printable(words[4])));
    }
    if (symmetry_ == Symmetry::skew && values_ == Values::pattern) {
      error("a pattern has no signs and cannot be skew-symmetric");
    }
  }

  [[nodiscard]] std::int64_t whole_number(std::string_view word, std::string_view what) const {
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, status] = std::from_chars(word.data(), end, value);
    if (status == std::errc::result_out_of_range) {
      error(fmt::format("{} '{}' overflows 64 bits", what, printable(word)));
    }
    if (status != std::errc() || stop != end) {
      error(fmt::format("{} '{}' is not a whole number", what, printable(word)));
    }
    return value;
  }

  void read_sizes() {
    const auto words = next_words();
    if (!words) {
      error("the file ends before the line 'ROWS COLUMNS ENTRIES'");
    }
    if (words->size() != 3) {
      error("expected 'ROWS COLUMNS ENTRIES'");
    }
    rows_ = size_of((*words)[0], "rows");
    columns_ = size_of((*words)[1], "columns");
    stored_ = whole_number((*words)[2], "entries");
    if (symmetry_ != Symmetry::general && rows_ != columns_) {
      error(fmt::format("a symmetric matrix is square, not {} x {}", rows_, columns_));
    }
    // The shortest entry is "1 1" and its line end, with a value "1 1 1".
    const std::int64_t entry_bytes = values_ == Values::pattern ? 4 : 6;
    const std::int64_t room = (static_cast<std::int64_t>(text_.size()) + 1) / entry_bytes;
    if (stored_ < 0 || stored_ > std::min(room, most_entries)) {
      error(fmt::format("{} entries do not fit a file of {} bytes", stored_, text_.size()));
    }
  }

  [[nodiscard]] std::int64_t size_of(std::string_view word, std::string_view what) const {
    const std::int64_t value = whole_number(word, what);
    const std::int64_t most =
        std::min(static_cast<std::int64_t>(text_.size()) * extent_per_byte, most_entries);
    if (value < 0 || value > most) {
      error(fmt::format("{} {} are more than a file of {} bytes can justify (0 to {})", value, what,
                        text_.size(), most));
    }
    return value;
  }

  [[nodiscard]] std::int32_t index(std::string_view word, std::int64_t extent,
                                   std::string_view what) const {
    const std::int64_t value = whole_number(word, what);
    if (value < 1 || value > extent) {
      error(fmt::format("{} {} is not between 1 and {}", what, value, extent));
    }
    return static_cast<std::int32_t>(value - 1);
  }

  [[nodiscard]] float value_of(std::string_view word) const {
    if (values_ == Values::integer) {
      return static_cast<float>(whole_number(word, "value"));
    }
    double value = 0;
    std::string_view digits = word;
    if (digits.starts_with('+') && !digits.starts_with("+-")) {
      digits.remove_prefix(1);  // which from_chars does not know
    }
    const char* const end = digits.data() + digits.size();
    const auto [stop, status] = std::from_chars(digits.data(), end, value);
    if (status == std::errc::result_out_of_range) {
      error(fmt::format("value '{}' is out of range", printable(word)));
    }
    if (status != std::errc() || stop != end) {
      error(fmt::format("value '{}' is not a number", printable(word)));
    }
    if (!(std::abs(value) <= double{std::numeric_limits<float>::max()})) {
      error(fmt::format("value '{}' does not fit a float", printable(word)));
    }
    return static_cast<float>(value);
  }

  void read_entries() {
    const std::size_t words_wanted = values_ == Values::pattern ? 2 : 3;
    entries_.reserve(static_cast<std::size_t>(stored_));
    std::int64_t read = 0;
    while (const auto words = next_words()) {
      if (read == stored_) {
        error(fmt::format("there are more entries than the {} of the header", stored_));
      }
      if (words->size() != words_wanted) {
        error(values_ == Values::pattern ? "expected 'ROW COLUMN'" : "expected 'ROW COLUMN VALUE'");
      }
      const std::int32_t row = index((*words)[0], rows_, "row");
      const std::int32_t column = index((*words)[1], columns_, "column");
      const float value = values_ == Values::pattern ? 1.0F : value_of((*words)[2]);
      if (symmetry_ == Symmetry::skew && row == column) {
        error("a skew-symmetric matrix stores no diagonal");
      }
      entries_.push_back({row, column, value, line_});
      if (symmetry_ != Symmetry::general && row != column) {
        entries_.push_back({column, row, symmetry_ == Symmetry::skew ? -value : value, line_});
      }
      ++read;
    }
    if (read < stored_) {
      error(fmt::format("the file ends after {} of {} entries", read, stored_));
    }
    if (static_cast<std::int64_t>(entries_.size()) > most_entries) {
      error(fmt::format("more than {} entries once mirrored", most_entries));
    }
  }

  CsrMatrix assemble() {
    std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
      return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
    });
    CsrMatrix matrix;
    matrix.rows = static_cast<std::int32_t>(rows_);
    matrix.columns = static_cast<std::int32_t>(columns_);
    matrix.row_pointers.assign(static_cast<std::size_t>(rows_) + 1, 0);
    matrix.entry_columns.reserve(entries_.size());
    matrix.values.reserve(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      if (i > 0 && entries_[i - 1].row == entry.row && entries_[i - 1].column == entry.column) {
        error_at(entry.line, fmt::format("row {}, column {} stands already on line {}",
                                         entry.row + 1, entry.column + 1, entries_[i - 1].line));
      }
      ++matrix.row_pointers[static_cast<std::size_t>(entry.row) + 1];
      matrix.entry_columns.push_back(entry.column);
      matrix.values.push_back(entry.value);
    }
    for (std::size_t row = 1; row < matrix.row_pointers.size(); ++row) {
      matrix.row_pointers[row] += matrix.row_pointers[row - 1];
    }
    return matrix;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0;
  Values values_ = Values::real;
  Symmetry symmetry_ = Symmetry::general;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t stored_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace

CsrMatrix parse_matrix_market(std::string_view text, std::string_view name) {
  return MatrixMarketReader(text, name).read();
}

CsrMatrix read_matrix_market(const std::filesystem::path& path) {
  std::error_code status;
  if (!std::filesystem::is_regular_file(path, status)) {
    fail(fmt::format("{}: not a file that can be read", printable(path.string(), 200)));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  std::ifstream file(path, std::ios::binary);
  std::string text(status ? 0 : static_cast<std::size_t>(size), '\0');
  if (status || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    fail(fmt::format("{}: cannot be read", printable(path.string(), 200)));
  }
  return parse_matrix_market(text, path.string());
}

}  // namespace perfmodel::kernels
