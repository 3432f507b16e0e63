#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/node.hpp"

namespace perfmodel::spec {

/// The members of one mapping, read strictly: a key that is not listed, is listed without its
/// unit, or is missing where required is an Error with file:line:column and the nearest valid key.
/// The document and node must outlive it.
class Fields {
 public:
  struct Key {
    std::string_view name;
    bool required = true;
  };

  /// `what` names the mapping in messages ("device", "entry").
  Fields(const Document& document, const Node& node, std::string_view what,
         std::initializer_list<Key> keys);

  [[nodiscard]] bool has(std::string_view key) const { return node_.find(key) != nullptr; }
  [[nodiscard]] const Node& at(std::string_view key) const;

  [[nodiscard]] std::string text(std::string_view key) const;
  /// Text that may serve as a name: see `is_plain_name`.
  [[nodiscard]] std::string name(std::string_view key) const;
  /// A whole number of at least `minimum`; 2.52e9 is accepted as a whole number.
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t minimum = 1) const;
  /// A finite number above zero.
  [[nodiscard]] double positive(std::string_view key) const;

  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] const Node& node() const { return node_; }

 private:
  const Document& document_;
  const Node& node_;
  std::string what_;
};

// The same checks for a value on its own; `what` names it in messages.
std::string read_text_value(const Document& document, const Node& node, std::string_view what);
std::string read_name(const Document& document, const Node& node, std::string_view what);
std::int64_t read_integer(const Document& document, const Node& node, std::string_view what,
                          std::int64_t minimum);
double read_number(const Document& document, const Node& node, std::string_view what);
double read_positive(const Document& document, const Node& node, std::string_view what);
const std::vector<Node>& read_sequence(const Document& document, const Node& node,
                                       std::string_view what);

/// Checks that key `schema` of the root is "perfmodel.NAME/VERSION" with a version this program
/// reads. Called before the other keys are judged: a newer version may have keys unknown here.
void check_schema(const Document& document, std::string_view name, int version);

}  // namespace perfmodel::spec
