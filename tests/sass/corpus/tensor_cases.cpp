#include "tests/sass/corpus/cases.hpp"

namespace corpus {
namespace {

bool add_tensor(const char* kernel, std::uint32_t threads, std::vector<Argument> arguments,
                std::size_t compared, int least_sm) {
  Case one;
  one.subject = "tensor";
  one.kernel = kernel;
  one.block = {threads, 1, 1};
  one.arguments = std::move(arguments);
  one.output = compared;
  one.least_sm = least_sm;
  one.computed = false;
  return add_case(std::move(one));
}

const bool tensor_added[] = {
    add_tensor("tensor_product", 32,
               {Buffer{Bytes(2048)}, Buffer{Bytes(2048)}, Buffer{Bytes(1024)}}, 2, 75),
    add_tensor("tensor_bulk_copy", 64, {Buffer{Bytes(1024)}, Buffer{Bytes(256)}}, 1, 90)};

}  // namespace
}  // namespace corpus
