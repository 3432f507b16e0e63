#include "profiling/diagnosis.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "model/error.hpp"

namespace perfmodel::profiling {
namespace {

namespace fs = std::filesystem;

/// A machine made of files in a folder of its own.
class DiagnosisTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_ / "work");
    sources_.driver_version = root_ / "version";
    sources_.driver_params = root_ / "params";
    sources_.process_status = root_ / "status";
    sources_.container_marks = {root_ / "dockerenv"};
    sources_.tools.program_folders = {root_ / "bin"};
    sources_.libraries = {{root_ / "lib"}, {root_ / "cuda"}, {root_ / "venv"}};
    sources_.tools.toolkit_roots = {root_ / "cuda"};
    sources_.tools.python_roots = {root_ / "venv"};
    sources_.current_folder = root_ / "work";
    sources_.cache_folder = root_ / "home" / ".cache" / "perfmodel";
    sources_.open_nvml = [] { return Absence{AbsenceKind::no_library, "no NVML here"}; };
    sources_.devices = [] { return Absence{AbsenceKind::not_built, "no CUDA in this build"}; };
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& below, const std::string& text) const {
    fs::create_directories((root_ / below).parent_path());
    std::ofstream(root_ / below) << text;
  }
  void write_program(const fs::path& below) const {
    write(below, "");
    fs::permissions(root_ / below, fs::perms::owner_all);
  }
  [[nodiscard]] Finding finding(const std::string& check) const {
    for (const Finding& found : diagnose(sources_)) {
      if (found.check == check) {
        return found;
      }
    }
    ADD_FAILURE() << "no check " << check;
    return {};
  }

  fs::path root_ = fs::path(testing::TempDir()) / ("diagnosis_test_" + std::to_string(getpid()));
  DiagnosisSources sources_;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(DiagnosisTest, BareMachineHasARemedyForEverythingMissing) {
  for (const Finding& found : diagnose(sources_)) {
    EXPECT_EQ(found.status == FindingStatus::ok, found.remedy.empty()) << found.check;
    EXPECT_FALSE(found.detail.empty()) << found.check;
  }
  EXPECT_EQ(finding("driver").status, FindingStatus::missing);
  EXPECT_EQ(finding("CUDA devices").detail, "no CUDA in this build");
  EXPECT_EQ(finding("current folder").status, FindingStatus::ok);
  EXPECT_EQ(finding("cache folder").status, FindingStatus::ok);
}

TEST_F(DiagnosisTest, DriverVersionFromTheKernelModule) {
  write("version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 09:55:41 UTC 2025\n"
        "GCC version:  gcc version 12.3.0\n");
  EXPECT_EQ(finding("driver").status, FindingStatus::ok);
  EXPECT_TRUE(finding("driver").detail.starts_with("580.95.05 ("));
}

TEST_F(DiagnosisTest, DevicesAreListed) {
  sources_.devices = [] {
    LiveDevices live;
    live.driver_cuda_version = "13.0";
    live.runtime_version = "13.0";
    DeviceAttributes device;
    device.name = "NVIDIA H200";
    device.compute_capability = "9.0";
    device.sm_count = 132;
    device.clock_rate_hz = 1.98e9;
    live.devices = {{0, device}, {1, device}};
    return Answer<LiveDevices>(live);
  };
  EXPECT_EQ(finding("CUDA devices").detail,
            "2 found; the driver supports CUDA 13.0, the runtime is 13.0");
  EXPECT_EQ(finding("device 1").detail,
            "NVIDIA H200, compute capability 9.0, 132 SMs, up to 1980 MHz");
}

TEST_F(DiagnosisTest, RefusalsAndErrorsOfCudaAreFindings) {
  sources_.devices = [] { return Absence{AbsenceKind::refused, "operation not permitted"}; };
  EXPECT_EQ(finding("CUDA devices").status, FindingStatus::refused);
  sources_.devices = []() -> Answer<LiveDevices> {
    throw Error(ErrorKind::unavailable, "cudaGetDeviceProperties failed");
  };
  EXPECT_EQ(finding("CUDA devices").status, FindingStatus::refused);
  EXPECT_EQ(finding("CUDA devices").detail, "cudaGetDeviceProperties failed");
}

TEST_F(DiagnosisTest, ProgramsOnPathInToolkitAndInWheels) {
  write_program("venv/lib/python3.11/site-packages/nvidia/cu13/bin/nvdisasm");
  EXPECT_TRUE(contains(finding("nvdisasm").detail, "cu13/bin/nvdisasm"));
  write_program("cuda/bin/nvcc");
  EXPECT_TRUE(contains(finding("nvcc").detail, "cuda/bin/nvcc"));
  write_program("bin/nvcc");
  EXPECT_EQ(finding("nvcc").detail, (root_ / "bin" / "nvcc").string()) << "PATH comes first";
  write("bin/cuobjdump", "");
  const std::string locked = (root_ / "bin" / "cuobjdump").string();
  EXPECT_EQ(finding("cuobjdump").status, FindingStatus::missing);
  EXPECT_EQ(finding("cuobjdump").detail, locked + " may not be executed");
  EXPECT_EQ(finding("cuobjdump").remedy, "chmod +x '" + locked + "'");
}

TEST_F(DiagnosisTest, ToolsAreLookedUpAsTheReaderOfMachineCodeDoes) {
  EXPECT_EQ(finding("nvdisasm").remedy, sass::tool_remedy(sass::CudaTool::nvdisasm));
  EXPECT_EQ(finding("cuobjdump").remedy, sass::tool_remedy(sass::CudaTool::cuobjdump));
  write_program("elsewhere");
  sources_.tools.nvdisasm = root_ / "elsewhere";
  EXPECT_EQ(finding("nvdisasm").detail, (root_ / "elsewhere").string());
}

TEST_F(DiagnosisTest, Libraries) {
  write("lib/libcublas.so.13", "");
  write("cuda/extras/CUPTI/lib64/libcupti.so.13", "");
  EXPECT_EQ(finding("cuBLAS").status, FindingStatus::ok);
  EXPECT_EQ(finding("CUPTI").status, FindingStatus::ok);
}

TEST_F(DiagnosisTest, CountersAreOpenRestrictedOrUnknown) {
  EXPECT_EQ(finding("hardware counters").status, FindingStatus::missing);
  write("params", "Mobile: 4294967295\nRmProfilingAdminOnly: 0\n");
  EXPECT_EQ(finding("hardware counters").status, FindingStatus::ok);

  write("params", "Mobile: 4294967295\nRmProfilingAdminOnly: 1\n");
  write("status", "Name:\tperfmodel\nCapEff:\t000001ffffffffff\n");
  EXPECT_EQ(finding("hardware counters").status, FindingStatus::ok) << "an administrator";

  write("status", "Name:\tperfmodel\nCapEff:\t00000000a80425fb\n");
  EXPECT_EQ(finding("hardware counters").status, FindingStatus::refused)
      << "root of an ordinary container has no CAP_SYS_ADMIN";
  EXPECT_TRUE(contains(finding("hardware counters").remedy, "or run as root"));
  write("dockerenv", "");
  EXPECT_TRUE(contains(finding("hardware counters").remedy, "--cap-add=SYS_ADMIN"));
  EXPECT_TRUE(
      contains(finding("hardware counters").remedy, "NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(contains(finding("driver").remedy, "docker run --gpus all"));
}

TEST_F(DiagnosisTest, FoldersThatCannotBeWritten) {
  sources_.cache_folder.clear();
  EXPECT_EQ(finding("cache folder").status, FindingStatus::missing);
  write("file", "");
  sources_.current_folder = root_ / "file";
  EXPECT_EQ(finding("current folder").status, FindingStatus::refused);
}

TEST_F(DiagnosisTest, ThisMachineAnswersEveryCheck) {
  const std::vector<Finding> findings = diagnose(this_machine(sources_.devices));
  EXPECT_GE(findings.size(), 11U);
}

}  // namespace
}  // namespace perfmodel::profiling
