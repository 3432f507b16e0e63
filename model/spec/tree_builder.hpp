#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "model/spec/node.hpp"

namespace perfmodel::spec {

/// Turns parser events into a Node tree and enforces what YAML and JSON have in common: the limits
/// on depth and nodes, unique keys, and text without control characters.
class TreeBuilder {
 public:
  TreeBuilder(Document& document, const Limits& limits) : document_(document), limits_(limits) {}

  void null(Mark mark);
  void scalar(Mark mark, std::string text, bool quoted);
  void key(Mark mark, std::string text);
  void begin(NodeKind kind, Mark mark);
  void end();

  /// Whether the next value belongs to a mapping that still waits for its key.
  [[nodiscard]] bool expects_key() const;
  [[nodiscard]] bool complete() const { return has_root_ && open_.empty(); }

 private:
  struct Open {
    Node node;
    bool has_key = false;
    std::string key;
    Mark key_mark;
    std::unordered_set<std::string> keys;
  };

  void add(Node node);
  void check_text(Mark mark, const std::string& text) const;

  Document& document_;
  Limits limits_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
  bool has_root_ = false;
};

/// The whole file; throws Error if it cannot be read, is not a regular file or exceeds the limit.
std::string read_text(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace perfmodel::spec
