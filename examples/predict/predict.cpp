// Predicts how long a kernel takes on a device, and what limits it, with no GPU.
//
//   predict [DEVICE [LISTING LAUNCH]]
//
// The device is one of the catalogue; the machine code a stored listing (perfmodel ledger
// --save-listing writes one); the launch a description as in specs/launches. By default: SGEMM K3
// with 1024 x 1024 matrices on an H200.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "model/launch_audit.hpp"
#include "model/launch_profile.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/coefficients_file.hpp"
#include "model/spec/launch_reader.hpp"

namespace {

using namespace perfmodel;

void predict(const std::string& device_name, const std::filesystem::path& listing,
             const std::filesystem::path& launch_file) {
  const std::filesystem::path specs = SPECS;
  const Device device = spec::Catalog(specs).device(device_name);
  const spec::LaunchDescription description = spec::read_launch(launch_file);
  sass::LoadOptions code;
  code.kernel = description.kernel;
  const std::vector<sass::Module> modules = sass::load_modules(listing, code);
  const sass::Module& module = modules.front();
  const sass::Function& function = sass::find_function(module, description.kernel);

  AuditOptions options;
  options.emulation.find_defects = false;
  const LaunchProfile profile =
      profile_launch(module, function, description.launch, device, options.emulation);
  // No constants were measured on this device: published ones of its architecture stand in.
  const LaunchAudit audit = audit_launch(profile, device, nullptr,
                                         spec::read_coefficients(specs / "coefficients/h200.yaml"),
                                         device.clocks.front().clock_hz.value, options);

  const TimePrediction& time = audit.predictions.front();
  std::printf("%s on %s: %.1f us, %.1f to %.1f us in nine of ten cases\n",
              description.kernel.c_str(), device.title.c_str(), time.seconds * 1e6,
              time.low_s * 1e6, time.high_s * 1e6);
  std::printf("%s: %s\n", std::string(to_string(audit.verdict.limit_class)).c_str(),
              audit.verdict.reason.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string specs = SPECS;
    predict(argc > 1 ? argv[1] : "h200", argc > 3 ? argv[2] : specs + "/listings/sm_90.json.gz",
            argc > 3 ? argv[3] : specs + "/launches/sgemm-1024.yaml");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "predict: %s\n", error.what());
    return 2;
  }
}
