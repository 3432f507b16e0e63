// Expressions and shapes: any text is either parsed and evaluated or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/error.hpp"
#include "model/expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> dimensions = {"m", "n", "k"};
  const Shape shape({{"m", 4097}, {"n", 33}, {"k", 1}});
  try {
    (void)Expression::parse(text, dimensions).evaluate(shape);
  } catch (const Error&) {
  }
  try {
    (void)Shape::parse(text, dimensions);
  } catch (const Error&) {
  }
  return 0;
}
