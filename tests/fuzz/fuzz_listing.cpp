// Reader of stored listings, plain or compressed: any bytes are either modules or refused with an
// Error; what is read is written and read again unchanged.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/error.hpp"
#include "model/sass/listing_file.hpp"

namespace {

constexpr std::size_t most_text_bytes = 4U << 20;

/// What a file of these bytes holds.
std::string text_of_file(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::path("/dev/shm") / ("perfmodel-fuzz-listing-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return perfmodel::sass::read_plain_or_gzip(path, most_text_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  std::vector<sass::Module> modules;
  try {
    modules = sass::parse_listing(text_of_file(data, size), "f.json");
  } catch (const Error&) {
    return 0;
  }
  if (sass::parse_listing(sass::write_listing(modules), "again") != modules) {
    std::abort();
  }
  return 0;
}
