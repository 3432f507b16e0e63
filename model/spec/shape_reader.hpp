#pragma once

#include "model/shape.hpp"
#include "model/spec/node.hpp"

namespace perfmodel::spec {

/// Reads {m: 4096, n: 4096, k: 4096}: names with whole numbers of at least 1. Throws Error.
Shape read_shape(const Document& document, const Node& node);

}  // namespace perfmodel::spec
