#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::spec {

/// A place in a file, counted from 1.
struct Mark {
  int line = 1;
  int column = 1;
};

enum class NodeKind : std::uint8_t { null, scalar, sequence, mapping };

/// A node of a YAML or JSON document that remembers where it stood, so that every complaint can
/// name file:line:column.
struct Node {
  struct Member;

  NodeKind kind = NodeKind::null;
  Mark mark;
  std::string scalar;           ///< text of a scalar
  bool quoted = false;          ///< a scalar written as a string, which is not a number
  std::vector<Node> items;      ///< of a sequence
  std::vector<Member> members;  ///< of a mapping, in file order, keys unique

  [[nodiscard]] const Node* find(std::string_view key) const;
};

struct Node::Member {
  std::string key;
  Mark mark;
  Node value;
};

/// What a document may hold before it is refused. Aliases, anchors and tags are always refused, so
/// a small file cannot expand.
struct Limits {
  std::size_t bytes;
  std::size_t nodes;
  std::size_t depth;
};
inline constexpr Limits specification_limits{std::size_t{256} << 10, 20'000, 24};
inline constexpr Limits recording_limits{std::size_t{64} << 20, 5'000'000, 24};

/// A parsed file and its name for messages.
struct Document {
  std::string file;
  Node root;

  /// Throws Error "file:line:column: what".
  [[noreturn]] void fail_at(Mark mark, const std::string& what) const;
};

/// Reads one YAML document; throws Error on anything malformed, duplicate keys, aliases, anchors,
/// tags, control characters or a limit exceeded.
Document read_yaml(const std::filesystem::path& path, const Limits& limits = specification_limits);
Document parse_yaml(std::string_view text, std::string file, const Limits& limits);

/// The same for JSON.
Document read_json(const std::filesystem::path& path, const Limits& limits = recording_limits);
Document parse_json(std::string_view text, std::string file, const Limits& limits);

}  // namespace perfmodel::spec
