// JSON reader: any text is either a tree with places or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/error.hpp"
#include "profiling/recording_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    (void)profiling::parse_recording(text, "f.json");
  } catch (const Error&) {
  }
  return 0;
}
