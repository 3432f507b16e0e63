// What a person may get wrong, each with the exit code and the message that helps.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::ProgramResult;
using testing::run_perfmodel;

/// Runs, checks that nothing went to standard output, and returns the message without its prefix.
std::string complaint(const std::vector<std::string>& arguments, int exit_code = 2) {
  const ProgramResult result = run_perfmodel(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  const std::string prefix = "perfmodel: ";
  EXPECT_TRUE(result.err.starts_with(prefix)) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  return result.err.substr(prefix.size(), result.err.size() - prefix.size() - 1);
}

TEST(BadInput, UnknownCommand) {
  EXPECT_EQ(complaint({"analyse", "-d", "rtx4090"}),
            "unexpected argument 'analyse' (did you mean 'analyze'?); see perfmodel --help");
}

TEST(BadInput, UnknownOption) {
  EXPECT_EQ(complaint({"analyze", "--devise", "rtx4090"}),
            "unexpected argument '--devise' (did you mean '--device'?); see perfmodel --help");
}

TEST(BadInput, UnknownDevice) {
  EXPECT_EQ(complaint({"analyze", "--device", "rtx4900"}),
            "there is no device 'rtx4900' (did you mean 'rtx4090'?); 'perfmodel list devices' "
            "shows all 12");
}

TEST(BadInput, UnknownKernel) {
  const std::string message = complaint({"ledger", "K33"});
  EXPECT_TRUE(message.starts_with("there is no kernel 'K33' (did you mean 'K3'?)")) << message;
  EXPECT_EQ(complaint({"audit", "K33", "-d", "rtx4090"}), message);
}

TEST(BadInput, HostileNamesCannotTouchTheTerminal) {
  EXPECT_EQ(complaint({"ledger", "\x1b[31mK"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(complaint({"\x1b[31m"}).find('\x1b'), std::string::npos);
}

TEST(BadInput, MissingDevice) {
  EXPECT_TRUE(complaint({"analyze"}).starts_with("name a device with --device; there are a100-40"));
}

TEST(BadInput, DeviceWithoutRecording) {
  const std::string message = complaint({"analyze", "-d", "t4"}, 3);
  EXPECT_TRUE(message.starts_with("there is no recording of t4; recorded are")) << message;
}

TEST(BadInput, KernelWithNeitherCodeNorMeasurement) {
  const std::string message = complaint({"audit", "K5", "-d", "v100"}, 3);
  EXPECT_TRUE(message.starts_with("there is neither machine code of K5 for sm_70 nor a recorded"))
      << message;
}

TEST(BadInput, AuditOfNothing) {
  EXPECT_TRUE(complaint({"audit", "-d", "h200"}).starts_with("name a kernel of the catalogue"));
  EXPECT_TRUE(complaint({"audit", "K5", "-d", "h200", "--measured", "fast"})
                  .starts_with("--measured 'fast' must be a time such as 5.79ms"));
  EXPECT_TRUE(complaint({"audit", "K5", "-d", "h200", "--measured", "-3ms"})
                  .starts_with("--measured '-3ms' must be a time"));
}

TEST(BadInput, ConstantsOfAnotherDevice) {
  const std::string file = (testing::source_specs() / "constants/h200.json").string();
  const std::string message =
      complaint({"audit", "K5", "-d", "rtx4090", "--constants", file, "--strict"});
  EXPECT_NE(message.find("the constants were measured on h200, not on rtx4090"), std::string::npos)
      << message;
}

TEST(BadInput, ValidateWithoutRecordings) {
  EXPECT_TRUE(complaint({"validate", "-d", "t4"}, 3).starts_with("there is no such recording"));
}

TEST(BadInput, RecordingOfAnotherDevice) {
  const std::string file = (testing::source_specs() / "recordings/rtx4090/ladder.json").string();
  EXPECT_EQ(complaint({"analyze", "-d", "h200", "--recording", file}),
            "recording ladder was made on rtx4090, not on h200");
}

TEST(BadInput, UnknownRecording) {
  EXPECT_EQ(complaint({"analyze", "-d", "rtx4090", "--recording", "lader"}),
            "rtx4090 has no recording 'lader' (did you mean 'ladder'?); it has ladder");
}

TEST(BadInput, References) {
  EXPECT_EQ(complaint({"analyze", "-d", "rtx4090", "--references", "K2,K3"}),
            "2 references (K2, K3) cannot determine 3 prices (dist, bcast, ldg); give at least 3");
  EXPECT_EQ(complaint({"analyze", "-d", "rtx4090", "--references", "K2,K2,K3"}),
            "reference K2 is given twice; each may stand once");
  EXPECT_TRUE(complaint({"calibrate", "-d", "rtx4090", "--references", "K1,K2,K3"})
                  .starts_with("references K1, K2, K3 cannot tell dist and bcast apart"));
}

TEST(BadInput, Shapes) {
  EXPECT_EQ(complaint({"ledger", "K3", "--shape", "0x4x4"}),
            "shape '0x4x4': extent 0 must be at least 1");
  EXPECT_EQ(complaint({"ledger", "K3", "--shape", "99999999999999999999x1x1"}),
            "shape '99999999999999999999x1x1': extent '99999999999999999999' overflows 64 bits");
  EXPECT_EQ(complaint({"ledger", "K3", "--shape", "3000000x3000000x3000000"}),
            "kernel K3 at k=3000000,m=3000000,n=3000000: fmas = 27000000000000000000 overflows 64 "
            "bits");
}

TEST(BadInput, Clock) {
  EXPECT_TRUE(complaint({"analyze", "-d", "rtx4090", "--clock", "2.64"})
                  .starts_with("clock '2.64' is not a frequency"));
}

TEST(BadInput, Format) {
  const std::string message = complaint({"list", "devices", "--format", "yml"});
  EXPECT_NE(message.find("yml not in"), std::string::npos) << message;
}

TEST(BadInput, EmptyFile) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("empty.yaml", "").string();
  EXPECT_EQ(complaint({"ledger", file}), file + ": the file is empty");
}

TEST(BadInput, TruncatedRecording) {
  const testing::TemporaryFolder folder;
  std::string text = testing::read_file(testing::source_specs() / "recordings/rtx4090/ladder.json");
  const std::string file = folder.write("cut.json", text.substr(0, text.size() / 2)).string();
  const std::string message = complaint({"analyze", "--recording", file});
  EXPECT_NE(message.find("the file is truncated"), std::string::npos) << message;
}

TEST(BadInput, SpecsFolder) {
  EXPECT_EQ(complaint({"--specs", "/nowhere", "list", "devices"}),
            "/nowhere: holds no 'devices' and 'kernels' folders; --specs must name a folder of "
            "specifications");
}

TEST(CannotWrite, FolderThatIsMissing) {
  EXPECT_EQ(complaint({"analyze", "-d", "rtx4090", "--out", "/nowhere/r.json"}),
            "/nowhere/r.json: cannot be written: No such file or directory");
}

TEST(CannotWrite, LeavesNothingBehindAndKeepsTheOldFile) {
  const testing::TemporaryFolder folder;
  // A folder in the way makes the final rename fail after the content was written.
  std::filesystem::create_directories(folder.path() / "r.json");
  const std::string file = (folder.path() / "r.json").string();
  EXPECT_EQ(complaint({"analyze", "-d", "rtx4090", "--out", file}),
            file + ": cannot be written: it is a folder");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);

  const auto kept = folder.write("kept.json", "old");
  complaint({"analyze", "-d", "rtx4090", "--references", "K2,K3", "--out", kept.string()});
  EXPECT_EQ(testing::read_file(kept), "old");
}

TEST(CannotWrite, FullDisk) {
  EXPECT_EQ(complaint({"analyze", "-d", "rtx4090", "--out", "/dev/full"}),
            "/dev/full: cannot be written: No space left on device");
  const ProgramResult result = run_perfmodel({"list", "devices"}, {{}, "/dev/full", {}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "perfmodel: standard output cannot be written: No space left on device\n");
}

}  // namespace
}  // namespace perfmodel
