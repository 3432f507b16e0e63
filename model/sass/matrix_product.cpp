#include "model/sass/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

struct WrittenShape {
  std::string_view text;
  double fmas;
};
/// Rows, columns and depth in one number.
constexpr std::array written_shapes = {
    WrittenShape{"884", 8 * 8 * 4}, WrittenShape{"1684", 16 * 8 * 4},
    WrittenShape{"1688", 16 * 8 * 8}, WrittenShape{"16816", 16 * 8 * 16},
    WrittenShape{"16832", 16 * 8 * 32}};

/// Of any instruction known; more is no code that a compiler wrote.
constexpr unsigned most_extent = 1024;

/// "64x128x16".
std::optional<double> product_of_extents(std::string_view text) {
  double product = 1;
  const std::vector<std::string> extents = split(text, 'x');
  for (const std::string& extent : extents) {
    unsigned value = 0;
    const auto [end, status] = std::from_chars(extent.data(), extent.data() + extent.size(), value);
    if (status != std::errc() || end != extent.data() + extent.size() || value == 0 ||
        value > most_extent) {
      return std::nullopt;
    }
    product *= value;
  }
  return extents.size() == 3 ? std::optional(product) : std::nullopt;
}

std::optional<double> multiply_adds(std::string_view shape) {
  const auto* const found = std::ranges::find(written_shapes, shape, &WrittenShape::text);
  return found == written_shapes.end() ? product_of_extents(shape) : std::optional(found->fmas);
}

}  // namespace

std::optional<MatrixProduct> matrix_product(std::string_view opcode) {
  const std::vector<std::string> parts = split(opcode, '.');
  const auto has = [&](std::string_view modifier) {
    return std::ranges::find(parts, modifier) != parts.end();
  };
  const std::string& base = parts.front();
  const bool of_warpgroup = base == "HGMMA" || base == "QGMMA";
  MatrixProduct product;
  if (base == "HMMA" || base == "HGMMA") {
    product.data_type = has("BF16") ? "bf16" : has("TF32") ? "tf32" : "fp16";
  } else if (base == "DMMA") {
    product.data_type = "fp64";
  } else if ((base == "QMMA" || base == "QGMMA") && (has("E4M3") || has("E5M2"))) {
    product.data_type = "fp8";
  } else {
    return std::nullopt;
  }
  const std::optional<double> fmas =
      parts.size() > 1 && !has("SP") ? multiply_adds(parts[1]) : std::nullopt;
  if (!fmas) {
    return std::nullopt;
  }
  constexpr double warps_of_group = 4;
  product.fmas = of_warpgroup ? *fmas / warps_of_group : *fmas;
  return product;
}

bool is_matrix_product(std::string_view opcode) {
  return opcode.substr(0, opcode.find('.')).ends_with("MMA");
}

}  // namespace perfmodel::sass
