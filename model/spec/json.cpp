#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "model/spec/tree_builder.hpp"

namespace perfmodel::spec {
namespace {

/// Where the JSON lexer is, and where the token it is reading began.
struct Position {
  Mark here;
  Mark token;
  bool in_string = false;
  bool escaped = false;
  bool after_delimiter = true;

  void advance(char c) {
    if (in_string) {
      if (escaped) {
        escaped = false;
      } else if (c == '\\') {
        escaped = true;
      } else if (c == '"') {
        in_string = false;
      }
    } else {
      const bool opens = c == '{' || c == '[' || c == '"';
      const bool delimiter = std::string_view(" \t\r\n,:]}").find(c) != std::string_view::npos;
      if (opens || (after_delimiter && !delimiter)) {
        token = here;
      }
      in_string = c == '"';
      after_delimiter = delimiter || c == '{' || c == '[';
    }
    if (c == '\n') {
      ++here.line;
      here.column = 1;
    } else {
      ++here.column;
    }
  }
};

/// An input iterator that tells `Position` about every character the lexer takes; nlohmann's SAX
/// events carry no position of their own.
class TrackingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  TrackingIterator& operator++() {
    position_->advance(*at_);
    ++at_;
    return *this;
  }
  TrackingIterator operator++(int) {
    TrackingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const TrackingIterator& a, const TrackingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const TrackingIterator& a, const TrackingIterator& b) { return !(a == b); }

 private:
  const char* at_;
  Position* position_;
};

class JsonHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonHandler(Document& document, const Limits& limits, const Position& position)
      : document_(document), builder_(document, limits), position_(position) {}

  bool null() override {
    builder_.null(position_.token);
    return true;
  }
  bool boolean(bool value) override { return plain(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return plain(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return plain(std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override { return plain(text); }
  bool string(string_t& value) override {
    builder_.scalar(position_.token, std::move(value), true);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override {
    builder_.begin(NodeKind::mapping, position_.token);
    return true;
  }
  bool key(string_t& value) override {
    builder_.key(position_.token, std::move(value));
    return true;
  }
  bool end_object() override {
    builder_.end();
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    builder_.begin(NodeKind::sequence, position_.token);
    return true;
  }
  bool end_array() override {
    builder_.end();
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const nlohmann::detail::exception& error) override {
    const std::string what = error.what();
    // A string that a line break ends is another mistake.
    const bool truncated = what.find("unexpected end of input") != std::string::npos ||
                           what.find("missing closing quote") != std::string::npos;
    // nlohmann's text begins with its own error number and position; ours stands before it.
    const std::size_t detail = what.find(": ");
    document_.fail_at(
        position_.here,
        truncated ? "the file is truncated: it ends in the middle of a value"
                  : "not valid JSON: " + what.substr(detail == std::string::npos ? 0 : detail + 2));
  }

 private:
  bool plain(std::string text) {
    builder_.scalar(position_.token, std::move(text), false);
    return true;
  }

  Document& document_;
  TreeBuilder builder_;
  const Position& position_;
};

}  // namespace

Document parse_json(std::string_view text, std::string file, const Limits& limits) {
  Document document{std::move(file), {}};
  Position position;
  JsonHandler handler(document, limits, position);
  nlohmann::json::sax_parse(TrackingIterator(text.data(), &position),
                            TrackingIterator(text.data() + text.size(), &position), &handler);
  return document;
}

Document read_json(const std::filesystem::path& path, const Limits& limits) {
  return parse_json(read_text(path, limits.bytes), path.string(), limits);
}

}  // namespace perfmodel::spec
