#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "kernels/catalog.hpp"
#include "kernels/launcher.hpp"
#include "kernels/validate.hpp"
#include "model/error.hpp"
#include "profiling/cuda_resources.hpp"
#include "profiling/launch_meter.hpp"
#include "profiling/runner.hpp"

namespace perfmodel::profiling {
namespace {

constexpr int poison = 0xff;  // bytes of a NaN

/// A problem on the device: its inputs, uploaded when a kernel first needs them, and the output.
class DeviceProblem {
 public:
  explicit DeviceProblem(std::shared_ptr<kernels::Problem> problem)
      : problem_(std::move(problem)),
        output_(static_cast<std::size_t>(problem_->output_elements()) * sizeof(float)) {}

  std::vector<const void*> inputs(const kernels::Kernel& kernel) {
    std::vector<const void*> pointers;
    for (const std::string_view name : kernel.inputs) {
      auto found = inputs_.find(name);
      if (found == inputs_.end()) {
        const std::span<const std::byte> bytes = problem_->input(name);
        DeviceBuffer buffer(bytes.size());
        buffer.upload(bytes);
        found = inputs_.emplace(name, std::move(buffer)).first;
      }
      pointers.push_back(found->second.data());
    }
    return pointers;
  }

  DeviceBuffer& output() { return output_; }
  [[nodiscard]] kernels::Problem& problem() const { return *problem_; }

  // Results to compare with, made when first needed.
  std::vector<double> cpu_reference;
  std::map<std::string_view, std::vector<float>> gpu_references;

 private:
  std::shared_ptr<kernels::Problem> problem_;
  std::map<std::string_view, DeviceBuffer> inputs_;
  DeviceBuffer output_;
};

Verification passed_or_failed(bool passed, std::string method, std::int64_t checked,
                              double max_abs_error, double max_scaled_error) {
  const auto finite = [](double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  };
  return {passed ? VerificationStatus::passed : VerificationStatus::failed, std::move(method),
          checked, finite(max_abs_error), finite(max_scaled_error)};
}

/// A verification and, where it failed, what a person needs to find the mistake.
struct Check {
  Verification verification;
  std::string failure;
};

std::string describe(const kernels::Validation& validation) {
  const kernels::Mismatch& first = validation.first.value();
  return fmt::format(
      "{} of {} results are wrong; the first is at row {}, column {}: expected {}, "
      "found {}",
      validation.failed, validation.checked, first.row, first.column, first.expected, first.actual);
}

class CudaRunner final : public Runner {
 public:
  CudaRunner(const LiveDevice& device, const Answer<Nvml>& nvml) : meter_(device, nvml) {
    if (device.attributes.shared_bytes_per_block) {
      limits_.shared_bytes_per_block =
          static_cast<std::size_t>(*device.attributes.shared_bytes_per_block);
    }
  }

  [[nodiscard]] kernels::DeviceLimits limits() const override { return limits_; }

  RunOutcome run(const kernels::Kernel& kernel, const std::shared_ptr<kernels::Problem>& problem,
                 const RunOptions& options) override {
    meter_.select_device();
    RunOutcome outcome;
    const kernels::Plan plan = kernel.plan(problem->shape(), limits_);
    if (plan.skipped()) {
      outcome.status = RunOutcome::Status::skipped;
      outcome.reason = plan.skip_reason;
      return outcome;
    }
    if (plan.nothing_to_do()) {
      outcome.status = RunOutcome::Status::empty;
      return outcome;
    }
    take(problem);
    const std::vector<float> before = compute(kernel, plan, *current_);
    Check check = verify(kernel, before, *current_);
    if (check.failure.empty() && !options.check_only) {
      measure(kernel, plan, options, outcome);
      // The result after timing, from a poisoned output again.
      const std::vector<float> after = compute(kernel, plan, *current_);
      const bool same =
          std::memcmp(before.data(), after.data(), before.size() * sizeof(float)) == 0;
      if (!same) {
        check = verify(kernel, after, *current_);
      }
    }
    outcome.verification = check.verification;
    outcome.measurement.verification = check.verification;
    outcome.status =
        check.failure.empty() ? RunOutcome::Status::measured : RunOutcome::Status::wrong;
    outcome.reason = check.failure;
    outcome.measurement.kernel = kernel.name;
    outcome.measurement.shape = kernels::recorded_shape(kernel, problem->shape());
    return outcome;
  }

  void observe(const kernels::Kernel& kernel, const std::shared_ptr<kernels::Problem>& problem,
               CacheMode cache_mode,
               const std::function<void(const ObservedLaunch&)>& observer) override {
    meter_.select_device();
    const kernels::Plan plan = kernel.plan(problem->shape(), limits_);
    take(problem);
    const std::vector<const void*> inputs = current_->inputs(kernel);
    void* const output = current_->output().data();
    observer(meter_.observed(
        [&](cudaStream_t stream) {
          kernels::launch(kernel, problem->shape(), plan, inputs, output, stream);
        },
        cache_mode));
  }

 private:
  /// Uploads nothing yet: inputs follow when a kernel asks for them.
  void take(const std::shared_ptr<kernels::Problem>& problem) {
    if (!current_ || &current_->problem() != problem.get()) {
      current_.reset();  // frees its memory first
      current_ = std::make_unique<DeviceProblem>(problem);
    }
  }

  static void launch(const kernels::Kernel& kernel, const kernels::Plan& plan,
                     DeviceProblem& device, cudaStream_t stream) {
    kernels::launch(kernel, device.problem().shape(), plan, device.inputs(kernel),
                    device.output().data(), stream);
  }

  /// The result of one run into a poisoned output.
  std::vector<float> compute(const kernels::Kernel& kernel, const kernels::Plan& plan,
                             DeviceProblem& device) {
    const Stream& stream = meter_.stream();
    device.output().fill(poison, stream.get());
    launch(kernel, plan, device, stream.get());
    stream.synchronize();
    std::vector<float> result(static_cast<std::size_t>(device.problem().output_elements()));
    device.output().download(std::span(result));
    return result;
  }

  void measure(const kernels::Kernel& kernel, const kernels::Plan& plan, const RunOptions& options,
               RunOutcome& outcome) {
    // The pointers are looked up once: a map in the timed path would be measured, too.
    const std::vector<const void*> inputs = current_->inputs(kernel);
    void* const output = current_->output().data();
    const Shape& shape = current_->problem().shape();
    outcome.noise = meter_.measure(
        [&](cudaStream_t stream) { kernels::launch(kernel, shape, plan, inputs, output, stream); },
        options.settings, outcome.measurement);
    const void* const function = kernels::device_function(kernel, shape);
    if (function != nullptr && !plan.launches.empty()) {
      const kernels::Launch& launch = plan.launches.front();
      meter_.note_occupancy(function, launch.block[0] * launch.block[1] * launch.block[2],
                            launch.dynamic_shared_bytes, outcome.measurement);
    }
  }

  Check verify(const kernels::Kernel& kernel, const std::vector<float>& result,
               DeviceProblem& device) {
    if (device.problem().reference_fmas() <= full_check_fmas) {
      return verify_against_cpu(result, device);
    }
    const kernels::ProjectionCheck projections = device.problem().check_projections(result);
    if (!projections.passed()) {
      return {
          passed_or_failed(false, "random projections of all results",
                           static_cast<std::int64_t>(projections.checks), HUGE_VAL,
                           projections.worst_scaled_error),
          fmt::format("the random projection of {} is off by {:.3g} times what rounding explains",
                      projections.where, projections.worst_scaled_error)};
    }
    const kernels::Kernel* reference = gpu_reference(kernel, device.problem());
    if (reference == nullptr) {
      return {
          passed_or_failed(true, "random projections of all results",
                           device.problem().output_elements(), 0.0, projections.worst_scaled_error),
          ""};
    }
    return verify_against_gpu(result, *reference, device);
  }

  static Check verify_against_cpu(const std::vector<float>& result, DeviceProblem& device) {
    if (device.cpu_reference.empty()) {
      device.cpu_reference = device.problem().reference();
    }
    const kernels::Validation validation =
        kernels::validate(result, device.cpu_reference, device.problem().output_columns(),
                          {kernels::default_atol, kernels::default_rtol});
    return {
        passed_or_failed(validation.passed(), "CPU in double precision, all results",
                         validation.checked, validation.max_abs_error, validation.max_scaled_error),
        validation.passed() ? "" : describe(validation)};
  }

  /// Another kernel of the same problem that passed the full check at a small odd shape.
  const kernels::Kernel* gpu_reference(const kernels::Kernel& kernel, kernels::Problem& problem) {
    if (!problem.shape().has("m") || !problem.shape().has("k")) {
      return nullptr;
    }
    const kernels::Kernel& reference = kernels::find_kernel(kernel.name == "K2" ? "K3" : "K2");
    if (!verified_references_.contains(reference.name)) {
      const std::shared_ptr<kernels::Problem> small =
          kernels::make_problem(reference, Shape({{"m", 129}, {"n", 127}, {"k", 65}}));
      DeviceProblem device(small);
      const kernels::Plan plan = reference.plan(small->shape(), limits_);
      const Check check = verify_against_cpu(compute(reference, plan, device), device);
      if (!check.failure.empty()) {
        throw Error(ErrorKind::wrong_result,
                    fmt::format("the reference kernel {} is wrong at {}: {}", reference.name,
                                small->shape().to_string(), check.failure));
      }
      verified_references_.insert(reference.name);
    }
    return &reference;
  }

  Check verify_against_gpu(const std::vector<float>& result, const kernels::Kernel& reference,
                           DeviceProblem& device) {
    std::vector<float>& expected = device.gpu_references[reference.name];
    if (expected.empty()) {
      // The reference names only extents that the problem has, so its plan fits the same buffers.
      expected = compute(reference, reference.plan(device.problem().shape(), limits_), device);
    }
    // Row by row, so that no second copy of a large result in double precision is needed.
    const auto columns = static_cast<std::size_t>(device.problem().output_columns());
    std::vector<double> row(columns);
    kernels::Validation total;
    for (std::size_t begin = 0; begin < result.size(); begin += columns) {
      std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(begin), columns, row.begin());
      const kernels::Validation one = kernels::validate(
          std::span(result).subspan(begin, columns), row, static_cast<std::int64_t>(columns),
          {kernels::default_atol, kernels::default_rtol});
      total.checked += one.checked;
      total.failed += one.failed;
      total.max_abs_error = std::max(total.max_abs_error, one.max_abs_error);
      total.max_scaled_error = std::max(total.max_scaled_error, one.max_scaled_error);
      if (one.first && !total.first) {
        total.first = one.first;
        total.first->row = static_cast<std::int64_t>(begin / columns);
      }
    }
    return {passed_or_failed(total.passed(),
                             fmt::format("GPU kernel {} (checked on the CPU at 129x127x65) and "
                                         "random projections, all results",
                                         reference.name),
                             total.checked, total.max_abs_error, total.max_scaled_error),
            total.passed() ? "" : describe(total)};
  }

  LaunchMeter meter_;
  kernels::DeviceLimits limits_;
  std::unique_ptr<DeviceProblem> current_;
  std::set<std::string_view> verified_references_;
};

}  // namespace

std::unique_ptr<Runner> open_runner(const LiveDevice& device, const Answer<Nvml>& nvml) {
  return std::make_unique<CudaRunner>(device, nvml);
}

}  // namespace perfmodel::profiling
