#include "app/validate_what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/audit_what_if.hpp"
#include "app/loaded_launch.hpp"
#include "app/model_inputs.hpp"
#include "app/specs_folder.hpp"
#include "model/spec/catalog.hpp"
#include "model/timeline/sm_costs.hpp"
#include "model/what_if.hpp"

namespace perfmodel::app {
namespace {

/// A kernel, a change, and the kernel that has it.
struct KnownChange {
  std::string_view before;
  std::string_view change;
  std::string_view after;
  std::string_view recording;  ///< that has both
};

/// K2 is K1 with neighbouring threads on neighbouring columns; K5 is K5-unpadded with padding; K6
/// is K5 with wide accesses to shared and to global memory.
constexpr std::array known_changes = {
    KnownChange{"K1", "coalesce", "K2", "ladder"},
    KnownChange{"K5-unpadded", "no-bank-conflicts", "K5", "layouts"},
    KnownChange{"K5-unpadded", "pad-shared=128B", "K5", "layouts"},
    KnownChange{"K5", "vectorize-shared", "K6", "ladder"},
    KnownChange{"K5", "vectorize-shared,vectorize-global", "K6", "ladder"},
    KnownChange{"K5", "vectorize-shared,vectorize-global,no-register-bank-conflicts", "K6",
                "ladder"},
};

/// One more row and column: no change of the code, but of what the launch makes of it.
constexpr std::string_view shape_before = " at 4096x4096x4096";
constexpr std::string_view shape_after = " at 4097x4097x4097";

class WhatIfValidator {
 public:
  WhatIfValidator(const std::string& device, const std::string& constants_file,
                  const Validation& validation, const GlobalOptions& global)
      : catalog_(find_specs(global.specs)),
        device_(catalog_.device(device)),
        constants_file_(constants_file),
        validation_(validation) {}

  WhatIfValidation run() {
    WhatIfValidation result;
    result.device = device_.name;
    result.ratios = ratio_errors(validation_.cases);
    const ModelInputs inputs =
        load_model_inputs(catalog_, device_, validation_.clock_hz, constants_file_, false);
    relative_uncertainty_ =
        sm_costs(device_, inputs.constants ? &*inputs.constants : nullptr, validation_.clock_hz)
            .relative_uncertainty;
    for (const KnownChange& known : known_changes) {
      for (const ValidationCase* before : cases_of(known.before, known.recording)) {
        const std::string shape = before->label.substr(known.before.size());
        if (const ValidationCase* const after = find(std::string(known.after) + shape, *before)) {
          result.cases.push_back(changed(known, *before, *after));
        }
      }
    }
    for (const ValidationCase& before : validation_.cases) {
      if (before.model == validation_.cases.front().model && before.label.ends_with(shape_before)) {
        const std::string kernel =
            before.label.substr(0, before.label.size() - shape_before.size());
        if (const ValidationCase* const after = find(kernel + std::string(shape_after), before)) {
          result.cases.push_back(reshaped(before, *after));
        }
      }
    }
    return result;
  }

 private:
  /// Predictions of the first model for a kernel at any shape.
  [[nodiscard]] std::vector<const ValidationCase*> cases_of(std::string_view kernel,
                                                            std::string_view recording) const {
    std::vector<const ValidationCase*> found;
    for (const ValidationCase& one : validation_.cases) {
      if (one.group == recording && one.model == validation_.cases.front().model &&
          one.label.starts_with(std::string(kernel) + " at ")) {
        found.push_back(&one);
      }
    }
    return found;
  }

  [[nodiscard]] const ValidationCase* find(const std::string& label,
                                           const ValidationCase& like) const {
    const auto found = std::ranges::find_if(validation_.cases, [&](const ValidationCase& one) {
      return one.label == label && one.group == like.group && one.model == like.model;
    });
    return found == validation_.cases.end() ? nullptr : &*found;
  }

  static WhatIfCase measured(const ValidationCase& before, const ValidationCase& after) {
    WhatIfCase one;
    one.before = before.label;
    one.after = after.label;
    one.role = before.role == Role::reference ? before.role : after.role;
    one.measured_saved = 1 - after.measured_s / before.measured_s;
    one.both_saved = 1 - after.predicted_s / before.predicted_s;
    return one;
  }

  static void predict(WhatIfCase& one, const WhatIf& what_if) {
    one.predicted_saved = what_if.saved_share();
    one.low_saved = 1 - what_if.ratio_high;
    one.high_saved = 1 - what_if.ratio_low;
  }

  WhatIfCase changed(const KnownChange& known, const ValidationCase& before,
                     const ValidationCase& after) {
    MachineOptions machine;
    machine.arch = stored_architecture(catalog_, device_);
    const std::string kernel(known.before);
    const LoadedLaunch loaded = load_catalogue_launch(
        catalog_, kernel, before.label.substr(kernel.size() + std::string_view(" at ").size()),
        machine);
    const LaunchSetup setup = setup_of(loaded);
    const std::array texts = {std::string(known.change)};
    WhatIfCase one = measured(before, after);
    one.change = known.change;
    predict(one, answer_what_if(parse_what_if(texts), setup, audit_setup(setup), catalog_,
                                [&](const std::string&) { return LoadedLaunch(); }));
    return one;
  }

  LaunchSetup setup_of(const LoadedLaunch& loaded) {
    LaunchSetup setup;
    setup.device = device_;
    setup.clock_hz = validation_.clock_hz;
    ModelInputs inputs =
        load_model_inputs(catalog_, device_, setup.clock_hz, constants_file_, false);
    setup.constants = std::move(inputs.constants);
    setup.coefficients = std::move(inputs.coefficients);
    setup.options.emulation.find_defects = false;
    setup.options.l2 = L2State::overwritten;
    setup.profile = profile_launch(*loaded.module, *loaded.function, loaded.launch, device_,
                                   setup.options.emulation);
    return setup;
  }

  [[nodiscard]] WhatIfCase reshaped(const ValidationCase& before,
                                    const ValidationCase& after) const {
    WhatIfCase one = measured(before, after);
    one.change = "the shape";
    const double ratio = after.predicted_s / before.predicted_s;
    one.predicted_saved = 1 - ratio;
    const double error = ratio_error(ratio, relative_uncertainty_);
    one.low_saved = 1 - ratio * std::exp(error);
    one.high_saved = 1 - ratio * std::exp(-error);
    return one;
  }

  spec::Catalog catalog_;
  Device device_;
  const std::string& constants_file_;
  const Validation& validation_;
  double relative_uncertainty_ = 0;
};

}  // namespace

WhatIfValidation validate_what_ifs(const std::string& device, const std::string& constants_file,
                                   const Validation& validation, const GlobalOptions& global) {
  return WhatIfValidator(device, constants_file, validation, global).run();
}

}  // namespace perfmodel::app
