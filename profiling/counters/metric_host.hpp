#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/counters/counters.hpp"

namespace perfmodel::profiling {

struct CuptiApi;

/// The metrics of one chip, from CUPTI's host half: needs neither a GPU nor a driver. Every call
/// throws CounterRefused where CUPTI reports an error.
class MetricHost {
 public:
  /// The chips that the installed CUPTI knows: "GH100".
  static std::vector<std::string> chips(const CuptiApi& api);

  /// `availability`: what the live device's counter-availability call gave; empty for any device of
  /// the chip.
  MetricHost(std::shared_ptr<const CuptiApi> api, std::string chip,
             std::vector<std::uint8_t> availability = {});

  /// All metrics without roll-ups, sorted by name; those that exist for the vendor's own triage
  /// (with a prefix and a dot) are left out.
  [[nodiscard]] std::vector<MetricProperties> metrics() const;
  /// All metrics in one configuration, so that they share passes. Names that the chip does not have
  /// are left out and named; where a metric has an alternative, it is tried.
  [[nodiscard]] MetricConfiguration configure(std::span<const MetricChoice> metrics) const;
  /// The values of one range of a decoded counter-data image, by full name.
  [[nodiscard]] std::map<std::string, double, std::less<>> evaluate(
      const MetricConfiguration& configuration, std::span<const std::uint8_t> counter_data,
      std::size_t range) const;

 private:
  class Object;

  std::shared_ptr<const CuptiApi> api_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  std::shared_ptr<const Object> queries_;  ///< holds no metrics, answers questions
};

}  // namespace perfmodel::profiling
