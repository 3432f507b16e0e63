#include "reports/doctor_report.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace perfmodel::reports {
namespace {

const std::vector<Finding> findings = {
    {"nvcc", FindingStatus::ok, "/usr/local/cuda/bin/nvcc", ""},
    {"driver", FindingStatus::missing, "none, \"really\"", "install it"},
    {"hardware counters", FindingStatus::refused, "administrators only", "run as root"},
};

TEST(DoctorReport, TableNamesTheStatusAndRemediesFollow) {
  const std::string text = render(doctor_report(findings), Format::table, {});
  EXPECT_EQ(text,
            "3 checks, 2 to look at\n"
            "\n"
            "check              status   found\n"
            "-----------------  -------  ------------------------\n"
            "nvcc               ok       /usr/local/cuda/bin/nvcc\n"
            "driver             missing  none, \"really\"\n"
            "hardware counters  refused  administrators only\n"
            "\n"
            "Remedies\n"
            "driver: install it\n"
            "hardware counters: run as root\n");
}

TEST(DoctorReport, CsvQuotes) {
  EXPECT_EQ(render(doctor_report(findings), Format::csv, {}),
            "check,status,detail,remedy\r\n"
            "nvcc,ok,/usr/local/cuda/bin/nvcc,\r\n"
            "driver,missing,\"none, \"\"really\"\"\",install it\r\n"
            "hardware counters,refused,administrators only,run as root\r\n");
}

TEST(DoctorReport, JsonHasOneObjectPerCheck) {
  const auto json = doctor_report(findings).json;
  EXPECT_EQ(json["schema"], "perfmodel.doctor/1");
  ASSERT_EQ(json["findings"].size(), 3U);
  EXPECT_EQ(json["findings"][2]["status"], "refused");
  EXPECT_EQ(json["findings"][2]["remedy"], "run as root");
}

TEST(DoctorReport, AllWell) {
  const Report report = doctor_report(std::span(findings).first(1));
  EXPECT_EQ(report.document.title, "1 checks, all ok");
  EXPECT_EQ(report.document.parts.size(), 1U) << "no remedies";
}

}  // namespace
}  // namespace perfmodel::reports
