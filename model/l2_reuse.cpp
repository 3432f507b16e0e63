#include "model/l2_reuse.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace perfmodel {
namespace {

/// In which a group loads its bytes, one after another.
constexpr std::size_t pieces = 32;
/// After these, waves repeat themselves.
constexpr double most_groups = 512;
// As counted on an H200 (60 MiB in two halves), whose SMs read data over and over. Where each byte
// has one reader, half of it comes from DRAM again at 46 MiB; where 33 SMs read it together, at 31.
/// Copies of what one SM reads: some of it belongs to the other half.
constexpr double single_reader_copies = 1.3;
/// Relative to the size of L2, what passes, copies included, until data is lost.
constexpr double kept_below = 0.72;
constexpr double gone_above = 1.15;

/// What groups repeat, least recently used first out.
class RepeatedBytes {
 public:
  RepeatedBytes(const BlockGroups& groups, const L2Retention& l2)
      : l2_(l2),
        piece_bytes_(groups.copies * groups.repeated_bytes / pieces),
        passing_bytes_((groups.copies * groups.fresh_bytes + groups.stored_bytes) / pieces),
        last_(static_cast<std::size_t>(groups.kinds) * pieces) {}

  /// A group asks for a piece of its kind.
  void ask(std::size_t kind, std::size_t piece) {
    Use& use = last_[kind * pieces + piece];
    asked_ += 1;
    missed_ += use.number == 0 ? 1 : 1 - l2_.kept_share(bytes_since(use));
    use = {++uses_, passed_bytes_};
    passed_bytes_ += passing_bytes_;
  }

  [[nodiscard]] double missed_share() const { return asked_ > 0 ? missed_ / asked_ : 0; }

 private:
  struct Use {
    std::size_t number = 0;  ///< from 1
    double passed_bytes = 0;
  };

  [[nodiscard]] double bytes_since(const Use& use) const {
    const auto others =
        std::ranges::count_if(last_, [&](const Use& other) { return other.number > use.number; });
    return static_cast<double>(others) * piece_bytes_ + passed_bytes_ - use.passed_bytes;
  }

  L2Retention l2_;
  double piece_bytes_;
  double passing_bytes_;
  std::vector<Use> last_;
  std::size_t uses_ = 0;
  double passed_bytes_ = 0;
  double asked_ = 0;
  double missed_ = 0;
};

struct Running {
  std::size_t kind = 0;
  double place = 0;  ///< in pieces
  std::size_t asked = 0;
};

}  // namespace

double L2Retention::copies(double readers) const {
  if (!is_split) {
    return 1;
  }
  const double both_halves = 1 - std::exp2(1 - std::max(1.0, readers));
  return single_reader_copies + (2 - single_reader_copies) * both_halves;
}

double L2Retention::kept_share(double between_bytes) const {
  if (bytes <= 0) {
    return 0;
  }
  const double filled = between_bytes / bytes;
  return std::clamp((gone_above - filled) / (gone_above - kept_below), 0.0, 1.0);
}

double L2Retention::safe_bytes() const { return kept_below * bytes; }

double repeated_miss_share(const BlockGroups& groups, const L2Retention& l2) {
  const auto all = static_cast<std::size_t>(std::ceil(std::min(groups.groups, most_groups)));
  const auto kinds = static_cast<std::size_t>(groups.kinds);
  RepeatedBytes repeated(groups, l2);
  std::vector<Running> resident;  // the oldest first
  std::size_t started = 0;
  while (started < all || !resident.empty()) {
    while (resident.size() < groups.pace.size() && started < all) {
      resident.push_back({started++ % kinds});
    }
    const double fastest = *std::max_element(
        groups.pace.begin(), groups.pace.begin() + static_cast<std::ptrdiff_t>(resident.size()));
    for (std::size_t i = 0; i < resident.size(); ++i) {
      Running& one = resident[i];
      one.place += fastest > 0 ? groups.pace[i] / fastest : 1;
      while (one.asked < pieces && static_cast<double>(one.asked) < one.place) {
        repeated.ask(one.kind, one.asked++);
      }
    }
    std::erase_if(resident,
                  [](const Running& one) { return one.place >= static_cast<double>(pieces); });
  }
  return repeated.missed_share();
}

}  // namespace perfmodel
