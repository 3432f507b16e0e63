#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "model/error.hpp"
#include "profiling/device_query.hpp"

namespace perfmodel::profiling {
namespace {

/// Multiply-adds per clock and SM by compute capability: CUDA C++ Programming Guide, arithmetic
/// throughput of 32-bit floating-point operations.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> fma_per_clk_per_sm = {{
    {"7.0", 64},
    {"7.5", 64},
    {"8.0", 64},
    {"8.6", 128},
    {"8.7", 128},
    {"8.9", 128},
    {"9.0", 128},
    {"10.0", 128},
    {"10.3", 128},
    {"12.0", 128},
}};

/// The figures may be rounded in the specification; the variants of one product that differ in
/// nothing but memory are 5 % apart and more.
constexpr double bandwidth_tolerance = 0.02;

/// Two transfers per clock, on every memory that CUDA reports a clock of.
std::optional<double> dram_bytes_per_s(const DeviceAttributes& device) {
  if (!device.memory_clock_hz || !device.memory_bus_bits) {
    return std::nullopt;
  }
  return *device.memory_clock_hz * 2.0 * static_cast<double>(*device.memory_bus_bits) / 8.0;
}

/// Lower-case runs of letters and digits.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0) {
      in_word = false;
      continue;
    }
    if (!in_word) {
      words.emplace_back();
      in_word = true;
    }
    words.back() += static_cast<char>(std::tolower(byte));
  }
  return words;
}

/// A device's name taken apart: what product it is, and in which form.
struct ProductName {
  std::vector<std::string> product;  ///< "h100"; "rtx", "4090"
  std::string form;                  ///< "sxm", "pcie" or empty

  explicit ProductName(std::string_view text) {
    static constexpr std::array<std::string_view, 3> brands = {"nvidia", "tesla", "geforce"};
    const auto is_number = [](std::string_view word) {
      return !word.empty() && std::ranges::all_of(word, [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
      });
    };
    const std::vector<std::string> words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      // "80 GB", "80GB" and "HBM3": the size and kind of memory; its bandwidth is compared instead.
      const bool size_before_unit = is_number(word) && i + 1 < words.size() && words[i + 1] == "gb";
      const bool size =
          word.ends_with("gb") &&
          (word.size() == 2 || is_number(std::string_view(word).substr(0, word.size() - 2)));
      if (word.starts_with("sxm") || word == "pcie") {
        form = word.starts_with("sxm") ? "sxm" : "pcie";
      } else if (!size_before_unit && !size && !word.starts_with("hbm") &&
                 std::ranges::find(brands, word) == brands.end()) {
        product.push_back(word);
      }
    }
  }

  [[nodiscard]] bool may_be(const ProductName& other) const {
    return product == other.product && (form.empty() || other.form.empty() || form == other.form);
  }
};

bool describes(const Device& specification, const DeviceAttributes& device) {
  const std::optional<double> bandwidth = dram_bytes_per_s(device);
  const double specified = specification.dram_bytes_per_s.value;
  return ProductName(specification.title).may_be(ProductName(device.name)) &&
         (!device.compute_capability || specification.architecture == architecture_of(device)) &&
         (!device.sm_count || specification.sm_count.value == *device.sm_count) &&
         (!bandwidth || std::abs(*bandwidth - specified) <= bandwidth_tolerance * specified);
}

}  // namespace

std::string architecture_of(const DeviceAttributes& device) {
  std::string digits = device.compute_capability.value_or("");
  std::erase(digits, '.');
  return digits.empty() ? "" : "sm_" + digits;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Device device_from_attributes(const DeviceAttributes& attributes,
                              const std::string& catalogue_name) {
  const auto require = [&](const auto& figure, std::string_view what) {
    if (!figure) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("{} does not tell its {}; use a device specification",
                              attributes.name, what));
    }
    return *figure;
  };
  const std::string capability = require(attributes.compute_capability, "compute capability");
  const auto* known = std::ranges::find_if(
      fma_per_clk_per_sm, [&](const auto& row) { return row.first == capability; });
  if (known == fma_per_clk_per_sm.end()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{} has compute capability {}, whose multiply-adds per clock are not "
                            "known here; write a device specification",
                            attributes.name, capability));
  }
  const auto measured = [&](auto value) {
    return Sourced<decltype(value)>{value, Origin::measured, "attribute of the live device"};
  };
  Device device;
  device.name = catalogue_name;
  device.title = attributes.name;
  device.architecture = architecture_of(attributes);
  device.sm_count = measured(require(attributes.sm_count, "number of SMs"));
  device.fma_per_clk_per_sm = {
      known->second, Origin::datasheet,
      fmt::format("CUDA C++ Programming Guide, arithmetic throughput for compute capability {}",
                  capability)};
  device.dram_bytes_per_s = {
      require(dram_bytes_per_s(attributes), "memory clock and bus width"), Origin::derived,
      "memory clock x 2 x bus width / 8, both attributes of the live device"};
  if (attributes.l2_bytes) {
    device.l2_bytes = measured(*attributes.l2_bytes);
  }
  device.threads_per_sm = measured(require(attributes.threads_per_sm, "threads per SM"));
  device.shared_bytes_per_sm =
      measured(require(attributes.shared_bytes_per_sm, "shared memory per SM"));
  device.clocks = {{"device-reported", measured(require(attributes.clock_rate_hz, "clock rate"))}};
  return device;
}

std::optional<std::string> catalogue_name(const DeviceAttributes& attributes,
                                          std::span<const Device> catalogue) {
  std::optional<std::string> found;
  for (const Device& device : catalogue) {
    if (!describes(device, attributes)) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = device.name;
  }
  return found;
}

}  // namespace perfmodel::profiling
