#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <istream>
#include <streambuf>

#include "model/spec/tree_builder.hpp"

namespace perfmodel::spec {
namespace {

Mark to_mark(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// A stream over text that stays where it is.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    // The get area is only read; streambuf's interface is not const-correct.
    char* begin = const_cast<char*>(text.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    setg(begin, begin, begin + text.size());
  }
};

/// Feeds yaml-cpp's events to the builder. Building from events instead of YAML::Load is what
/// makes duplicate keys, aliases and depth visible.
class YamlHandler : public YAML::EventHandler {
 public:
  YamlHandler(Document& document, const Limits& limits)
      : document_(document), builder_(document, limits) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (builder_.expects_key()) {
      document_.fail_at(to_mark(mark), "a key is missing");
    }
    builder_.null(to_mark(mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    document_.fail_at(to_mark(mark), "aliases are not accepted; write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (builder_.expects_key()) {
      builder_.key(to_mark(mark), value);
    } else {
      builder_.scalar(to_mark(mark), value, tag == quoted_tag);
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(NodeKind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { builder_.end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(NodeKind::mapping, mark, tag, anchor);
  }
  void OnMapEnd() override { builder_.end(); }

  [[nodiscard]] bool complete() const { return builder_.complete(); }

 private:
  // What yaml-cpp reports for scalars without a tag of their own.
  static constexpr std::string_view plain_tag = "?";
  static constexpr std::string_view quoted_tag = "!";

  void begin(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    builder_.begin(kind, to_mark(mark));
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      document_.fail_at(to_mark(mark), "anchors are not accepted; write the value out");
    }
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != plain_tag && tag != quoted_tag) {
      document_.fail_at(to_mark(mark), "tags are not accepted");
    }
  }

  Document& document_;
  TreeBuilder builder_;
};

}  // namespace

Document parse_yaml(std::string_view text, std::string file, const Limits& limits) {
  Document document{std::move(file), {}};
  YamlHandler handler(document, limits);
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(handler) || !handler.complete()) {
      document.fail_at({1, 1}, "holds no YAML document");
    }
    Document trailing{document.file, {}};
    YamlHandler second(trailing, limits);
    if (parser.HandleNextDocument(second)) {
      document.fail_at({1, 1}, "holds more than one YAML document");
    }
  } catch (const YAML::Exception& error) {
    document.fail_at(to_mark(error.mark), "not valid YAML: " + error.msg);
  }
  return document;
}

Document read_yaml(const std::filesystem::path& path, const Limits& limits) {
  return parse_yaml(read_text(path, limits.bytes), path.string(), limits);
}

}  // namespace perfmodel::spec
