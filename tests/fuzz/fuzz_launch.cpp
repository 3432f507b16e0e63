// Launch descriptions, as files and as flags: any bytes are either a launch or refused with an
// Error.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/error.hpp"
#include "model/spec/launch_reader.hpp"
#include "model/text.hpp"

namespace {

/// A name in memory for the reader, which takes files.
std::filesystem::path launch_file(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::path("/dev/shm") / ("perfmodel-fuzz-launch-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

template <typename Read>
void attempt_launch(Read&& read) {
  try {
    read();
  } catch (const perfmodel::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  const std::filesystem::path file = launch_file(data, size);
  attempt_launch([&] { spec::read_launch(file); });
  const std::vector<std::string> words =
      split(std::string(reinterpret_cast<const char*>(data), size), '\n');
  attempt_launch([&] { spec::launch_from_flags({words.front(), words.back(), 0, {}}); });
  attempt_launch([&] { spec::launch_from_flags({"1", "32", 0, words}); });
  return 0;
}
