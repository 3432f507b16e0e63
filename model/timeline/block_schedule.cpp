#include "model/timeline/block_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace perfmodel {

double schedule_cycles(std::vector<double> left, std::int64_t not_started,
                       const BlockRates& rates) {
  const auto most_resident = std::ssize(rates.by_resident);
  // In a long launch blocks follow one another in the same way over and over.
  const std::int64_t scheduled =
      std::min(not_started, 32 * most_resident + not_started % most_resident);
  double cycles = static_cast<double>(not_started - scheduled) / rates.by_resident.back();
  not_started = scheduled;
  std::vector<double> speed;
  while (!left.empty()) {
    const std::size_t resident = left.size();
    speed.assign(rates.pace.begin(), rates.pace.begin() + static_cast<std::ptrdiff_t>(resident));
    const double all = std::accumulate(speed.begin(), speed.end(), 0.0);
    double next_end = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < resident; ++i) {
      speed[i] *= rates.by_resident[resident - 1] / all;
      next_end = std::min(next_end, left[i] / speed[i]);
    }
    cycles += next_end;
    for (std::size_t i = 0; i < resident; ++i) {
      left[i] -= speed[i] * next_end;
    }
    constexpr double nothing = 1e-9;
    const std::size_t ended = std::erase_if(left, [](double rest) { return rest < nothing; });
    const std::int64_t started = std::min(not_started, static_cast<std::int64_t>(ended));
    left.insert(left.end(), static_cast<std::size_t>(started), 1.0);
    not_started -= started;
  }
  return cycles;
}

}  // namespace perfmodel
