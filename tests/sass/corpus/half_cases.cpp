#define CORPUS_SUBJECT "half"
#include "tests/sass/corpus/each_half.hpp"

namespace {

/// Results are pairs of halves, which may not be numbers; bfloat16 and rectifying came with sm_80.
const bool described = [] {
  for (corpus::Case& one : corpus::cases()) {
    if (one.subject == CORPUS_SUBJECT) {
      const bool brain = one.kernel == "brain_arithmetic";
      one.element = brain ? corpus::Element::bf16 : corpus::Element::f16;
      one.least_sm = brain || one.kernel == "half_rectified" ? 80 : one.least_sm;
    }
  }
  return true;
}();

}  // namespace
