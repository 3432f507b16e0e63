#pragma once

#include <deque>
#include <iterator>
#include <limits>

namespace perfmodel {

/// The places that a sub-partition has for memory instructions which have not been served. Times
/// are cycles.
class HeldPlaces {
 public:
  void take() { ++held_; }
  /// One of the places that are held becomes free at `time`.
  void free_at(double time) {
    // Nearly always the last one.
    auto place = freed_.end();
    while (place != freed_.begin() && *std::prev(place) > time) {
      --place;
    }
    freed_.insert(place, time);
    next_free_ = freed_.front();
  }
  /// How many are held at `now`; asked for later and later times.
  [[nodiscard]] int held(double now) {
    while (next_free_ <= now) {
      free_next();
    }
    return held_;
  }
  /// When the next one becomes free; infinity: that is not known yet.
  [[nodiscard]] double next_free() const { return next_free_; }
  void free_next() {
    freed_.pop_front();
    next_free_ = freed_.empty() ? unknown : freed_.front();
    --held_;
  }

 private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  int held_ = 0;
  double next_free_ = unknown;
  std::deque<double> freed_;  ///< in order
};

}  // namespace perfmodel
