// Decoder and emulator: any lines of machine code are either run or refused with an Error, and
// touch no memory but their own.

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/error.hpp"
#include "tests/sass/assembled.hpp"

namespace {

template <typename Run>
void attempt_launch_of(Run&& run) {
  try {
    run();
  } catch (const perfmodel::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  sass::testing::Assembled kernel(std::string(reinterpret_cast<const char*>(data), size));
  // Two warps, the second not full, and memory of every kind.
  kernel.block(48).shared(2048);
  kernel.buffer(512, sass::Fill::random_u32).buffer(512, sass::Fill::nothing).value(40);
  kernel.function().local_bytes = 64;
  sass::EmulationOptions options;
  options.instruction_budget = 2000;
  options.count_unknown = true;
  options.threads = 1;
  attempt_launch_of([&] { (void)kernel.count(options); });
  attempt_launch_of([&] { (void)kernel.run(options); });
  return 0;
}
