#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;

class Compare : public ::testing::Test {
 protected:
  /// A recording of one board; each kernel takes `seconds` with a little noise.
  std::string recorded(const std::string& name,
                       const std::vector<std::pair<std::string, double>>& kernels,
                       const std::string& skipped = "[]", bool complete = true) {
    json entries = json::array();
    for (const auto& [kernel, seconds] : kernels) {
      json samples = json::array();
      for (int i = 0; i < 30; ++i) {
        samples.push_back(seconds * (1.0 + 1e-4 * (i % 7)));
      }
      entries.push_back({{"kernel", kernel},
                         {"shape", {{"m", 512}, {"n", 512}, {"k", 512}}},
                         {"samples_s", std::move(samples)}});
    }
    const json whole = {{"schema", "perfmodel.recording/1"},
                        {"device", "h200"},
                        {"clock", {{"basis", "measured"}, {"clock_hz", 1.98e9}}},
                        {"source", {{"kind", "measured"}, {"description", "test"}}},
                        {"device_attributes", {{"name", "NVIDIA H200"}, {"uuid", "GPU-1"}}},
                        {"complete", complete},
                        {"entries", std::move(entries)},
                        {"skipped", json::parse(skipped)}};
    return folder_.write(name, whole.dump()).string();
  }

  static std::string wrong(const std::string& kernel) {
    return fmt::format(R"([{{"kernel": "{}", "shape": {{"m": 512, "n": 512, "k": 512}},
      "reason": "off by 3", "verification": {{"status": "failed"}}}}])",
                       kernel);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Compare, TheGateNamesWhatBecameSlower) {
  const std::string a = recorded("a.json", {{"K3", 1e-3}, {"K4", 1e-3}});
  const std::string b = recorded("b.json", {{"K3", 1.1e-3}, {"K4", 1.01e-3}});
  const ProgramResult gated = run_perfmodel({"compare", a, b, "--fail-slower", "3%"});
  EXPECT_EQ(gated.exit_code, 5);
  EXPECT_EQ(gated.err,
            "perfmodel: slower by more than 3 %: K3 at 512x512x512 +10.0 % (+8.9 % to +11.1 %)\n");
  EXPECT_NE(gated.out.find("SLOWER"), std::string::npos) << gated.out;
  EXPECT_NE(gated.out.find("fails"), std::string::npos) << gated.out;

  EXPECT_EQ(run_perfmodel({"compare", a, b, "--fail-slower", "12"}).exit_code, 0);
  EXPECT_EQ(run_perfmodel({"compare", a, b}).exit_code, 0);
  EXPECT_EQ(run_perfmodel({"compare", b, a, "--fail-slower", "3%"}).exit_code, 0);
}

TEST_F(Compare, EveryFormatAndTheEndingOfTheFile) {
  const std::string a = recorded("a.json", {{"K3", 1e-3}});
  const std::string b = recorded("b.json", {{"K3", 1.1e-3}});
  const auto output = [&](const std::string& format) {
    const ProgramResult result =
        run_perfmodel({"compare", a, b, "--fail-slower", "3%", "--format", format});
    EXPECT_EQ(result.exit_code, 5) << format;
    return result.out;
  };
  EXPECT_NE(output("table").find("Times, B against A\n"), std::string::npos);
  EXPECT_EQ(output("markdown").find("<b>"), std::string::npos);
  EXPECT_TRUE(output("csv").starts_with("kernel,verdict,"));
  EXPECT_EQ(json::parse(output("json")).at("kernels").at(0).at("verdict"), "SLOWER");
  EXPECT_TRUE(output("github").starts_with("::error title=SLOWER%3A K3 at 512x512x512::+10.0 %25"));
  EXPECT_TRUE(output("junit").starts_with("<?xml "));

  const std::string file = (folder_.path() / "out.xml").string();
  EXPECT_EQ(run_perfmodel({"compare", a, b, "--out", file}).out, "");
  EXPECT_EQ(testing::read_file(file).substr(0, 6), "<?xml ");
}

TEST_F(Compare, WrongResultsFail) {
  const std::string a = recorded("a.json", {{"K3", 1e-3}, {"K4", 1e-3}});
  const std::string b = recorded("b.json", {{"K4", 1.1e-3}}, wrong("K3"));
  const ProgramResult result = run_perfmodel({"compare", a, b, "--fail-slower", "3%"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("perfmodel: wrong results in B: K3 at 512x512x512\n"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.out.find("wrong results in B: off by 3"), std::string::npos) << result.out;
  EXPECT_EQ(run_perfmodel({"compare", b, a}).exit_code, 0);
}

TEST_F(Compare, WarnsOfWhatTheVerdictsDoNotCover) {
  const std::string a = recorded("a.json", {{"K3", 1e-3}, {"K4", 1e-3}});
  const std::string b = recorded("b.json", {{"K3", 1e-3}}, "[]", false);
  const ProgramResult interrupted = run_perfmodel({"compare", a, b, "--fail-slower", "3%"});
  EXPECT_EQ(interrupted.exit_code, 0);
  EXPECT_EQ(interrupted.err,
            fmt::format("perfmodel: warning: B ({}) was interrupted, kernels are missing; measure "
                        "again with the same --record\n"
                        "perfmodel: warning: 0 UNSURE and 1 not compared: --fail-slower says "
                        "nothing of them\n",
                        b));
  const ProgramResult same = run_perfmodel({"compare", a, a});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.err,
            "perfmodel: warning: A and B hold the same samples: one recording is compared with "
            "itself\n");
}

TEST_F(Compare, BadFilesAndArguments) {
  const std::string a = recorded("a.json", {{"K3", 1e-3}});
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_perfmodel(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string empty = folder_.write("empty.json", "").string();
  EXPECT_EQ(complaint({"compare", a, empty}), "perfmodel: " + empty + ": the file is empty\n");
  const std::string other = folder_.write("other.json", "{\"a\": 1}").string();
  EXPECT_TRUE(complaint({"compare", other, a}).starts_with("perfmodel: " + other));
  const std::string text = folder_.write("text.txt", "hello").string();
  EXPECT_TRUE(complaint({"compare", a, text}).starts_with("perfmodel: " + text));
  EXPECT_EQ(complaint({"compare", a, "nowhere"}),
            "perfmodel: there is no recording 'nowhere'; give a .json file that 'perfmodel "
            "measure' wrote, or DEVICE/NAME such as h200/ladder\n");
  EXPECT_NE(complaint({"compare", a, "h200/lader"}).find("did you mean 'ladder'?"),
            std::string::npos);
  EXPECT_NE(complaint({"compare", a, recorded("b.json", {{"K4", 1e-3}})})
                .find("have no kernel at one shape in common"),
            std::string::npos);
  for (const char* percentage : {"x", "3 x", "-1%", "nan", "2000%", "3%%"}) {
    EXPECT_NE(complaint({"compare", a, a, "--fail-slower", percentage})
                  .find("must be a percentage such as 3%"),
              std::string::npos);
  }
  EXPECT_NE(complaint({"compare", a}).find("see perfmodel compare --help"), std::string::npos);
}

TEST_F(Compare, HostileNamesStayData) {
  // Control characters are refused where recordings are read; a terminal may take U+009B for one.
  const std::string name =
      "=cmd()::error::x%0A::error::y,<b>|]]>\xC2\x9B"
      "31m";
  const auto hostile = [&](const std::string& file, double seconds) {
    std::string text = testing::read_file(recorded(file, {{"K3", seconds}}));
    text = testing::replaced(text, R"("kernel":"K3")",
                             R"("function":")" + name + R"(","grid":[1,1,1],"block":[32,1,1])");
    text = testing::replaced(text, R"("shape":{"k":512,"m":512,"n":512})", R"("note":"x")");
    return folder_.write(file, text).string();
  };
  const std::string a = hostile("a.json", 1e-3);
  const std::string b = hostile("b.json", 1.2e-3);
  const auto output = [&](const std::string& format) {
    const ProgramResult result =
        run_perfmodel({"compare", a, b, "--fail-slower", "3%", "--format", format});
    EXPECT_EQ(result.exit_code, 5) << format << result.err;
    EXPECT_EQ(result.err.find("\xC2\x9B"), std::string::npos) << format;
    EXPECT_EQ(result.out.find("\xC2\x9B") == std::string::npos, format != "json") << format;
    return result.out;
  };
  EXPECT_NE(output("table").find("=cmd()::error::x%0A:..."), std::string::npos);
  EXPECT_EQ(json::parse(output("json")).at("kernels").at(0).at("verdict"), "SLOWER");
  EXPECT_EQ(output("markdown").find("<b>"), std::string::npos);
  EXPECT_NE(output("csv").find("\n\"'=cmd()"), std::string::npos);
  EXPECT_TRUE(output("github").starts_with(
      "::error title=SLOWER%3A =cmd()%3A%3Aerror%3A%3Ax%250A%3A%3Aerror%3A%3Ay%2C<b>|]]>?31m "));
  EXPECT_NE(output("junit").find("name=\"=cmd()::error::x%0A::error::y,&#60;b&#62;|]]&#62;?31m "),
            std::string::npos);
}

TEST_F(Compare, AnotherDeviceIsNamed) {
  const ProgramResult result = run_perfmodel({"compare", "rtx4090/ladder", "h200/ladder"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("verdicts are of the devices"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("A has no raw samples, only a median"), std::string::npos)
      << result.out;
}

TEST_F(Compare, MachineCodeOfTwoArchitectures) {
  const std::string a = recorded("a.json", {{"K3", 1e-3}});
  const std::string b =
      folder_
          .write("b.json", testing::replaced(testing::read_file(recorded("b.json", {{"K3", 2e-3}})),
                                             R"("device":"h200")", R"("device":"rtx4090")"))
          .string();
  const auto kernel = [](const std::vector<std::string>& arguments) {
    return json::parse(run_perfmodel(arguments).out).at("kernels").at(0);
  };
  const json counted = kernel({"compare", a, b, "--machine-code", "--format", "json"});
  EXPECT_EQ(counted.at("ledger_basis"),
            "source ledger (equal by kernel and shape), machine code of sm_90 and sm_89");
  // What each architecture's ledger says by itself.
  const auto instructions = [](const std::string& arch) {
    return json::parse(run_perfmodel({"ledger", "K3", "--shape", "512x512x512", "--arch", arch,
                                      "--format", "json"})
                           .out)
        .at("machine")
        .at("warp_instructions")
        .get<double>();
  };
  const json& change = counted.at("ledger_changes").at(0);
  EXPECT_EQ(change.at("figure"), "warp instructions");
  EXPECT_EQ(change.at("a"), instructions("sm_90"));
  EXPECT_EQ(change.at("b"), instructions("sm_89"));
  EXPECT_TRUE(kernel({"compare", a, b, "--format", "json"}).at("ledger_changes").empty());
}

}  // namespace
}  // namespace perfmodel
