#include "model/sass/matrix_product.hpp"

#include <gtest/gtest.h>

#include <string>

namespace perfmodel::sass {
namespace {

/// "bf16 2048"; empty: not known.
std::string product_text(std::string_view opcode) {
  const std::optional<MatrixProduct> product = matrix_product(opcode);
  return product ? std::string(product->data_type) + " " +
                       std::to_string(static_cast<int>(product->fmas))
                 : "";
}

TEST(MatrixProduct, TypeAndSizeStandInTheOpcode) {
  EXPECT_EQ(product_text("HMMA.16816.F32"), "fp16 2048");
  EXPECT_EQ(product_text("HMMA.16816.F16"), "fp16 2048");
  EXPECT_EQ(product_text("HMMA.1688.F32"), "fp16 1024");
  EXPECT_EQ(product_text("HMMA.16816.F32.BF16"), "bf16 2048");
  EXPECT_EQ(product_text("HMMA.1688.F32.TF32"), "tf32 1024");
  EXPECT_EQ(product_text("HMMA.1684.F32.TF32"), "tf32 512");
  EXPECT_EQ(product_text("DMMA.884"), "fp64 256");
  EXPECT_EQ(product_text("DMMA.8x8x4"), "fp64 256");
  EXPECT_EQ(product_text("QMMA.16832.F32.E4M3.E5M2"), "fp8 4096");
}

TEST(MatrixProduct, AWarpDoesAQuarterOfItsGroup) {
  EXPECT_EQ(product_text("HGMMA.64x128x16.F32.BF16"), "bf16 32768");
  EXPECT_EQ(product_text("HGMMA.64x8x8.F32.TF32"), "tf32 1024");
  EXPECT_EQ(product_text("QGMMA.64x256x32.F32.E4M3.E4M3"), "fp8 131072");
}

TEST(MatrixProduct, WhatCannotBeKnownIsNotGuessed) {
  for (const char* opcode :
       {"UTCHMMA", "UTCHMMA.2CTA", "HMMA", "HMMA.F32", "HMMA.99.F32", "HMMA.SP.16832.F32",
        "HGMMA.SP.64x128x32.F32", "HGMMA.64x128.F32", "HGMMA.64x1y8x16.F32", "HGMMA..F32",
        "HGMMA.64x0x16.F32", "HGMMA.64x2048x16.F32", "QMMA.16832.F32.E2M1.E2M1", "IMMA.16832.S8.S8",
        "BMMA.168256.XOR.POPC"}) {
    EXPECT_EQ(product_text(opcode), "") << opcode;
    EXPECT_TRUE(is_matrix_product(opcode)) << opcode;
  }
}

TEST(MatrixProduct, OtherInstructionsAreNone) {
  for (const char* opcode : {"", ".", "FFMA", "HFMA2.MMA", "HFMA2.MMA.BF16_V2", "UTCBAR", "LDSM"}) {
    EXPECT_EQ(product_text(opcode), "") << opcode;
    EXPECT_FALSE(is_matrix_product(opcode)) << opcode;
  }
}

}  // namespace
}  // namespace perfmodel::sass
