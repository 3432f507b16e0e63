#include "profiling/counters/refusal.hpp"

#include <gtest/gtest.h>

namespace perfmodel::profiling {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Refusal, NamesTheRemedyOfEachPlace) {
  const Refusal host = refusal_of_cupti(35, "cuptiX", false);
  EXPECT_EQ(host.kind, RefusalKind::insufficient_privileges);
  EXPECT_TRUE(contains(host.explanation, "cuptiX: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
  for (const char* part : {"NVreg_RestrictProfilingToAdminUsers=0", "--cap-add=SYS_ADMIN",
                           "in a cloud", "run as root"}) {
    EXPECT_TRUE(contains(host.remedy, part)) << part;
  }
  const Refusal container = refusal_of_cupti(35, "cuptiX", true);
  EXPECT_TRUE(container.remedy.starts_with("Inside this container: start the container with"));
  EXPECT_TRUE(contains(container.remedy, "NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST(Refusal, TellsKindsApart) {
  EXPECT_EQ(refusal_of_cupti(40, "f", false).kind, RefusalKind::virtual_device);
  EXPECT_EQ(refusal_of_cupti(33, "f", false).kind, RefusalKind::virtual_device);
  EXPECT_EQ(refusal_of_cupti(39, "f", false).kind, RefusalKind::other_profiler);
  EXPECT_EQ(refusal_of_cupti(26, "f", false).kind, RefusalKind::other_profiler);
  EXPECT_EQ(refusal_of_cupti(43, "f", false).kind, RefusalKind::unsupported_device);
  EXPECT_EQ(refusal_of_cupti(46, "f", false).kind, RefusalKind::incompatible_library);
  const Refusal other = refusal_of_cupti(1234, "f", false);
  EXPECT_EQ(other.kind, RefusalKind::failed);
  EXPECT_EQ(other.explanation, "CUPTI failed (f: error 1234).");
}

TEST(Refusal, IsOneParagraph) {
  for (int code = 1; code < 50; ++code) {
    const std::string text = refusal_of_cupti(code, "f", false).paragraph();
    EXPECT_FALSE(contains(text, "\n"));
    EXPECT_TRUE(text.ends_with('.')) << text;
  }
  for (const RefusalKind kind :
       {RefusalKind::not_built, RefusalKind::no_library, RefusalKind::unknown_metric}) {
    EXPECT_FALSE(refusal_without_code(kind, "So.").remedy.empty());
    EXPECT_FALSE(to_string(kind).empty());
  }
}

TEST(Refusal, IsAnUnavailability) {
  const CounterRefused refused(refusal_of_cupti(35, "f", false));
  EXPECT_EQ(refused.kind(), ErrorKind::unavailable);
  EXPECT_EQ(refused.what(), refused.refusal().paragraph());
}

}  // namespace
}  // namespace perfmodel::profiling
