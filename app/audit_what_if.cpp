#include "app/audit_what_if.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/model_inputs.hpp"
#include "model/error.hpp"

namespace perfmodel::app {
namespace {

/// A setup on another device, and the launch that it may point to.
struct MovedSetup {
  LaunchSetup setup;
  std::unique_ptr<LoadedLaunch> loaded;
  std::vector<std::string> notes;
};

MovedSetup move_to(const std::string& name, const LaunchSetup& from, const spec::Catalog& catalog,
                   const CodeForArchitecture& code_for) {
  MovedSetup moved;
  moved.setup = from;
  LaunchSetup& setup = moved.setup;
  setup.device = catalog.device(name);
  if (setup.device.name == from.device.name) {
    moved.notes.push_back(
        fmt::format("device={} changes nothing: the audit is of that device", name));
    return moved;
  }
  setup.clock_hz = setup.device.clocks.front().clock_hz.value;
  ModelInputs inputs = load_model_inputs(catalog, setup.device, setup.clock_hz, "", false);
  setup.constants = std::move(inputs.constants);
  setup.coefficients = std::move(inputs.coefficients);
  moved.notes = std::move(inputs.warnings);
  const std::string architecture = stored_architecture(catalog, setup.device);
  try {
    moved.loaded = std::make_unique<LoadedLaunch>(
        code_for(architecture.empty() ? setup.device.architecture : architecture));
  } catch (const Error&) {
    moved.notes.push_back(fmt::format(
        "there is no code for {} ({}): predicted with that for sm_{}, which it does not run",
        setup.device.architecture, setup.device.name, from.profile.module->sm));
  }
  const LaunchProfile& old = from.profile;
  setup.profile = moved.loaded
                      ? profile_launch(*moved.loaded->module, *moved.loaded->function,
                                       moved.loaded->launch, setup.device, setup.options.emulation)
                      : profile_launch(*old.module, *old.function, *old.launch, setup.device,
                                       setup.options.emulation);
  return moved;
}

}  // namespace

WhatIf answer_what_if(std::span<const WhatIfChange> changes, const LaunchSetup& setup,
                      const LaunchAudit& before, const spec::Catalog& catalog,
                      const CodeForArchitecture& code_for) {
  MovedSetup moved;
  const WhatIfChange* const device = find_change(changes, WhatIfKind::device);
  if (device != nullptr) {
    moved = move_to(device->device, setup, catalog, code_for);
  } else {
    moved.setup = setup;
  }
  // What was measured is of the launch as it is.
  moved.setup.options.measured_s.reset();
  moved.setup.options.counters = nullptr;
  std::vector<std::string> notes = make_changes(moved.setup, changes);
  const LaunchAudit after = audit_setup(moved.setup);
  WhatIf result = compare_what_if(before, after, setup.profile, moved.setup.profile,
                                  after.device != before.device);
  for (const WhatIfChange& change : changes) {
    result.changes.push_back(change.text);
  }
  result.notes = std::move(moved.notes);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

}  // namespace perfmodel::app
