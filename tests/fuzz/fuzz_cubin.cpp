// Reader of cubins: any bytes are either described or refused with an Error.

#include <cstddef>
#include <cstdint>

#include "model/error.hpp"
#include "model/sass/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  try {
    (void)sass::read_cubin(std::as_bytes(std::span(data, size)), "f.cubin");
  } catch (const Error&) {
  }
  return 0;
}
