// Files of constants: any text is read or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/error.hpp"
#include "profiling/constants_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    (void)profiling::parse_constants(text, "f.json");
  } catch (const Error&) {
  }
  return 0;
}
