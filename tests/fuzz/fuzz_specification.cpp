// YAML readers: any file is either a valid specification or refused with an Error.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "model/error.hpp"
#include "model/source_ledger.hpp"
#include "model/spec/cost_table_file.hpp"
#include "model/spec/device_reader.hpp"
#include "model/spec/kernel_reader.hpp"

namespace {

/// A name in memory for the readers, which take files.
std::filesystem::path input_file(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::path("/dev/shm") / ("perfmodel-fuzz-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

template <typename Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const perfmodel::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  const std::filesystem::path file = input_file(data, size);
  attempt([&] { spec::read_device(file); });
  attempt([&] {
    const KernelSpec kernel = spec::read_kernel(file);
    if (kernel.ledger) {
      (void)evaluate_source_ledger(kernel, kernel.default_shape);
    }
  });
  attempt([&] { spec::read_cost_tables(file); });
  return 0;
}
