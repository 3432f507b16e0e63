#include "model/spec/tree_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {

const Node* Node::find(std::string_view key) const {
  const auto found =
      std::ranges::find_if(members, [&](const Member& member) { return member.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

void Document::fail_at(Mark mark, const std::string& what) const {
  fail(fmt::format("{}:{}:{}: {}", file, mark.line, mark.column, what));
}

void TreeBuilder::null(Mark mark) {
  Node node;
  // Where nothing stands, the key is the place to point at.
  const bool has_key = !open_.empty() && open_.back().has_key;
  node.mark = has_key ? open_.back().key_mark : mark;
  add(std::move(node));
}

void TreeBuilder::scalar(Mark mark, std::string text, bool quoted) {
  check_text(mark, text);
  Node node;
  node.kind = NodeKind::scalar;
  node.mark = mark;
  node.scalar = std::move(text);
  node.quoted = quoted;
  add(std::move(node));
}

void TreeBuilder::key(Mark mark, std::string text) {
  check_text(mark, text);
  Open& mapping = open_.back();
  if (!mapping.keys.insert(text).second) {
    document_.fail_at(mark, fmt::format("key '{}' stands here twice", printable(text)));
  }
  mapping.has_key = true;
  mapping.key = std::move(text);
  mapping.key_mark = mark;
}

void TreeBuilder::begin(NodeKind kind, Mark mark) {
  if (expects_key()) {
    document_.fail_at(mark, "a key must be plain text");
  }
  if (open_.size() >= limits_.depth) {
    document_.fail_at(mark, fmt::format("nested deeper than {} levels", limits_.depth));
  }
  Open open;
  open.node.kind = kind;
  open.node.mark = mark;
  open_.push_back(std::move(open));
}

void TreeBuilder::end() {
  Node node = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(node));
}

bool TreeBuilder::expects_key() const {
  return !open_.empty() && open_.back().node.kind == NodeKind::mapping && !open_.back().has_key;
}

void TreeBuilder::add(Node node) {
  if (++nodes_ > limits_.nodes) {
    document_.fail_at(node.mark, fmt::format("holds more than {} values", limits_.nodes));
  }
  if (open_.empty()) {
    document_.root = std::move(node);
    has_root_ = true;
    return;
  }
  Open& parent = open_.back();
  if (parent.node.kind == NodeKind::sequence) {
    parent.node.items.push_back(std::move(node));
  } else {
    parent.node.members.push_back({std::move(parent.key), parent.key_mark, std::move(node)});
    parent.has_key = false;
  }
}

void TreeBuilder::check_text(Mark mark, const std::string& text) const {
  const bool harmless = std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t';
  });
  if (!harmless) {
    document_.fail_at(mark, "text holds a control character");
  }
}

std::string read_text(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code status;
  if (!std::filesystem::exists(path, status)) {
    fail(fmt::format("{}: no such file", path.string()));
  }
  if (std::filesystem::is_directory(path, status)) {
    fail(fmt::format("{}: is a folder, not a file", path.string()));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    fail(fmt::format("{}: cannot be opened for reading", path.string()));
  }
  // In pieces: a size asked for beforehand would be wrong for pipes and growing files.
  constexpr std::size_t piece_bytes = std::size_t{64} << 10;
  std::string text;
  std::size_t read_bytes = 0;
  do {
    text.resize(read_bytes + piece_bytes);
    stream.read(text.data() + read_bytes, static_cast<std::streamsize>(piece_bytes));
    read_bytes += static_cast<std::size_t>(stream.gcount());
  } while (stream && read_bytes <= max_bytes);
  text.resize(read_bytes);
  if (stream.bad()) {
    fail(fmt::format("{}: reading failed", path.string()));
  }
  if (text.size() > max_bytes) {
    fail(fmt::format("{}: larger than the limit of {} bytes", path.string(), max_bytes));
  }
  if (text.empty()) {
    fail(fmt::format("{}: the file is empty", path.string()));
  }
  return text;
}

}  // namespace perfmodel::spec
