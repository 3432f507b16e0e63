#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiling/counters/counters.hpp"
#include "profiling/counters/cupti_api.hpp"

namespace perfmodel::profiling {

/// See InstructionCollector: CUPTI's SASS metrics.
class InstructionCounter final : public InstructionCollector {
 public:
  InstructionCounter(std::shared_ptr<const CuptiApi> api, CUcontext context,
                     const std::string& chip, std::uint32_t device_ordinal,
                     std::span<const std::string> metrics);
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter() override;

  std::vector<InstructionSample> count(const ObservedLaunch& launch) override;
  [[nodiscard]] std::vector<std::string> not_known() const override { return not_known_; }

 private:
  std::shared_ptr<const CuptiApi> api_;
  CUcontext context_;
  std::uint32_t device_ordinal_;
  std::map<std::uint64_t, std::string> names_;
  std::vector<std::string> not_known_;
};

}  // namespace perfmodel::profiling
