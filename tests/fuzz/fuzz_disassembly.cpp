// Reader of what nvdisasm prints: any text is either a module or refused with an Error; what is
// read is written and read again unchanged.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/sass/disassembler.hpp"
#include "model/sass/listing_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  std::vector<sass::Module> modules;
  try {
    modules = {sass::parse_disassembly({reinterpret_cast<const char*>(data), size}, "f.json")};
  } catch (const Error&) {
    return 0;
  }
  if (sass::parse_listing(sass::write_listing(modules), "again") != modules) {
    std::abort();
  }
  return 0;
}
