// Where an audit puts a kernel on the rooflines.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/page.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;

constexpr int product_blocks = 1056;

/// An audit of 16x16x64 products of fp16, one to a block, from the corpus.
ProgramResult audit_product(const std::string& architecture, const std::string& device,
                            const std::string& format) {
  const testing::TemporaryFolder folder;
  const std::string launch = (folder.path() / "launch.yaml").string();
  std::ofstream(launch) << "schema: perfmodel.launch/1\nkernel: tensor_product\ngrid: ["
                        << product_blocks
                        << "]\nblock: [32]\narguments:\n  - {buffer: 2048}\n  - {buffer: 2048}\n"
                           "  - {buffer: 1024}\n";
  const std::string code =
      (testing::source_specs().parent_path() / "tests/sass/corpus" / (architecture + ".json.gz"))
          .string();
  return run_perfmodel({"audit", "--cubin", code, "--launch", launch, "-d", device, "-f", format});
}

TEST(Rooflines, TensorCoresHaveTheirOwnRoof) {
  const ProgramResult page = audit_product("sm_90", "h200", "html");
  if (page.exit_code == 3) {
    GTEST_SKIP() << page.err;
  }
  ASSERT_EQ(page.exit_code, 0) << page.err;
  const json figures = testing::figures_of_page(page.out);
  const json& kernel = figures.at("kernels").at(0);
  const double seconds = kernel.at("audit").at("predictions").at(0).at("seconds");
  ASSERT_FALSE(kernel.at("points").empty());
  for (const json& point : kernel.at("points")) {
    EXPECT_EQ(point.at("type"), "tensor fp16");
    const double flop = 2.0 * 16 * 16 * 64 * product_blocks;
    EXPECT_NEAR(point.at("per_s").get<double>() / (flop / seconds), 1, 1e-4);
    for (const json& roof : point.at("roofs")) {
      EXPECT_TRUE(roof.at("limiter") == "tensor fp16" || roof.at("limiter") == point.at("level"));
    }
  }
  EXPECT_TRUE(kernel.at("uncounted_products").empty());
}

TEST(Rooflines, ThePictureNamesTheTypeAndItsRoof) {
  const ProgramResult picture = audit_product("sm_90", "h200", "svg");
  ASSERT_EQ(picture.exit_code, 0) << picture.err;
  EXPECT_NE(picture.out.find(">tensor_product (tensor fp16)</text>"), std::string::npos);
  EXPECT_NE(picture.out.find(">tensor fp16 "), std::string::npos);
  EXPECT_EQ(picture.out.find("is not known"), std::string::npos);
}

TEST(Rooflines, APeakThatIsNotKnownIsSaidToBe) {
  const ProgramResult picture = audit_product("sm_80", "a100-80", "svg");
  ASSERT_EQ(picture.exit_code, 0) << picture.err;
  EXPECT_NE(picture.out.find("; the peak of tensor fp16 is not known</text>"), std::string::npos);
  EXPECT_EQ(picture.out.find(">tensor fp16 "), std::string::npos);
}

}  // namespace
}  // namespace perfmodel
