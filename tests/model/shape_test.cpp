#include "model/shape.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

const std::vector<std::string> dimensions = {"m", "n", "k"};

std::string parse_error(const std::string& text) {
  return error_of([&] { Shape::parse(text, dimensions); });
}

TEST(Shape, ReadsBothNotations) {
  const Shape by_position = Shape::parse("1x18944x3584", dimensions);
  const Shape by_name = Shape::parse("k=3584,m=1,n=18944", dimensions);
  EXPECT_EQ(by_position, by_name);
  EXPECT_EQ(by_name.to_string(), "1x18944x3584");
  EXPECT_EQ(by_name.extent("n"), 18944);
}

TEST(Shape, RefusesBadExtents) {
  EXPECT_EQ(parse_error("0x4x4"), "shape '0x4x4': extent 0 must be at least 1");
  EXPECT_EQ(parse_error("-1x4x4"), "shape '-1x4x4': extent -1 must be at least 1");
  EXPECT_EQ(parse_error("4x4x4.5"), "shape '4x4x4.5': '4.5' is not a whole number");
  EXPECT_EQ(parse_error("4x4x"), "shape '4x4x': '' is not a whole number");
  EXPECT_EQ(parse_error("4x4xnan"), "shape '4x4xnan': 'nan' is not a whole number");
  EXPECT_EQ(parse_error("9223372036854775808x1x1"),
            "shape '9223372036854775808x1x1': extent '9223372036854775808' overflows 64 bits");
}

TEST(Shape, RefusesWrongDimensions) {
  EXPECT_EQ(parse_error("4x4"), "shape '4x4' has 2 extents, but 3 are needed: m x n x k");
  EXPECT_EQ(parse_error(""), "shape '' has 1 extents, but 3 are needed: m x n x k");
  EXPECT_EQ(parse_error("m=1,n=2,j=3"),
            "shape j=3,m=1,n=2: there is no dimension 'j'; expected m, n, k");
  EXPECT_EQ(parse_error("m=1,m=2,k=3"), "shape 'm=1,m=2,k=3' gives 'm' twice");
  EXPECT_EQ(parse_error("m=1,2,k=3"), "shape 'm=1,2,k=3': write every extent as name=value");
}

}  // namespace
}  // namespace perfmodel
