#include "model/spec/shape_reader.hpp"

#include <fmt/format.h>

#include "model/spec/fields.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {

Shape read_shape(const Document& document, const Node& node) {
  if (node.kind != NodeKind::mapping || node.members.empty()) {
    document.fail_at(node.mark, "shape must be a mapping of extents such as {m: 4096, n: 4096}");
  }
  std::vector<std::pair<std::string, std::int64_t>> extents;
  for (const Node::Member& member : node.members) {
    if (!is_plain_name(member.key)) {
      document.fail_at(member.mark,
                       fmt::format("'{}' is no name for a dimension", printable(member.key)));
    }
    extents.emplace_back(member.key,
                         read_integer(document, member.value, "extent " + member.key, 1));
  }
  return Shape(std::move(extents));
}

}  // namespace perfmodel::spec
