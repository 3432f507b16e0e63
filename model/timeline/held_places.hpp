#pragma once

#include <deque>
#include <iterator>

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
  }
  /// How many are held at `now`; asked for later and later times.
  [[nodiscard]] int held(double now) {
    while (!freed_.empty() && freed_.front() <= now) {
      free_next();
    }
    return held_;
  }
  /// Whether it is known when the next one becomes free, at `next_free()`.
  [[nodiscard]] bool knows_next() const { return !freed_.empty(); }
  [[nodiscard]] double next_free() const { return freed_.front(); }
  void free_next() {
    freed_.pop_front();
    --held_;
  }

 private:
  int held_ = 0;
  std::deque<double> freed_;  ///< in order
};

}  // namespace perfmodel
