#include "model/sass/find_function.hpp"

#include <gtest/gtest.h>

#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

using namespace testing;

const std::vector<std::string> names{
    "_Z5scaleIfEvPT_c",          // void scale<float>(float*, char)
    "_Z5scaleIiEvPT_c",          // void scale<int>(int*, char)
    "divide",                    // extern "C"
    "_Z4copyPfS_",               // copy(float*, float*)
    "_Z4copyPdS_",               // copy(double*, double*)
    "_ZN12_GLOBAL__N_14warpEi",  // (anonymous namespace)::warp(int)
};

std::string name_for(const std::string& wanted) { return names[find_name(names, wanted)]; }
std::string error_for(const std::string& wanted) {
  return error_of([&] { find_name(names, wanted); });
}

TEST(FindFunction, ShortNames) {
  EXPECT_EQ(short_name("_Z5scaleIfEvPT_c"), "scale<float>");
  EXPECT_EQ(short_name("divide"), "divide");
  EXPECT_EQ(short_name("_Z4copyPfS_"), "copy");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_14warpEi"), "(anonymous namespace)::warp");
  EXPECT_EQ(demangled("_Z4copyPfS_"), "copy(float*, float*)");
  EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
  EXPECT_EQ(short_name(""), "");
  EXPECT_EQ(short_name(")"), ")");
}

TEST(FindFunction, MangledDemangledShortAndPart) {
  EXPECT_EQ(name_for("_Z5scaleIiEvPT_c"), "_Z5scaleIiEvPT_c");
  EXPECT_EQ(name_for("void scale<int>(int*, char)"), "_Z5scaleIiEvPT_c");
  EXPECT_EQ(name_for("scale<float>"), "_Z5scaleIfEvPT_c");
  EXPECT_EQ(name_for("div"), "divide");
  EXPECT_EQ(name_for("<int"), "_Z5scaleIiEvPT_c");
  EXPECT_EQ(name_for("copy(float"), "_Z4copyPfS_");
  EXPECT_EQ(name_for("warp"), "_ZN12_GLOBAL__N_14warpEi");
}

TEST(FindFunction, AWholeNameComesBeforeAPart) {
  const std::vector<std::string> ladder{"_ZN3gpu8sgemm_k3Ei", "_ZN3gpu9sgemm_k3cEi"};
  EXPECT_EQ(find_name(ladder, "sgemm_k3"), 0U);
  EXPECT_EQ(find_name(ladder, "sgemm_k3c"), 1U);
  EXPECT_EQ(matching_names(ladder, "gemm_k3"), (std::vector<std::size_t>{0, 1}));
}

TEST(FindFunction, SeveralAndNone) {
  EXPECT_EQ(error_for("scale"),
            "'scale' means 2 kernels: scale<float>, scale<int>; give more of the name");
  EXPECT_EQ(error_for("copy"),
            "'copy' means 2 kernels: copy(float*, float*), copy(double*, double*); give more of "
            "the name");
  EXPECT_EQ(error_for("devide"),
            "no kernel 'devide' (did you mean 'divide'?); there are: scale<float>, scale<int>, "
            "divide, copy(float*, float*), copy(double*, double*), (anonymous namespace)::warp");
  EXPECT_EQ(error_for("").substr(0, 12), "no kernel ''");
}

TEST(FindFunction, LongListsAreCut) {
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back("kernel_" + std::to_string(i));
  }
  const std::string error = error_of([&] { find_name(many, "x"); });
  EXPECT_TRUE(error.ends_with("kernel_9 and 990 more")) << error;
  EXPECT_EQ(find_name(many, "kernel_7"), 7U) << "the exact name wins over parts";
}

TEST(FindFunction, KernelsOnly) {
  Module module;
  module.functions.resize(2);
  module.functions[0].name = "_Z6helperi";
  module.functions[0].kernel = false;
  module.functions[1].name = "_Z11with_helperi";
  EXPECT_EQ(find_function(module, "helper").name, "_Z11with_helperi");
  EXPECT_EQ(error_of([&] { find_function(module, "_Z6helperi"); }),
            "no kernel '_Z6helperi'; there are: with_helper");
}

}  // namespace
}  // namespace perfmodel::sass
