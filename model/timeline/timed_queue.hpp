#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace perfmodel {

/// What comes at certain times, the earliest first; of the same time, what was added first.
template <typename Item>
class TimedQueue {
 public:
  void push(double time, Item item) {
    auto place = static_cast<std::uint32_t>(items_.size());
    if (free_.empty()) {
      items_.push_back(std::move(item));
    } else {
      place = free_.back();
      free_.pop_back();
      items_[place] = std::move(item);
    }
    order_.push_back({time, added_++, place});
    std::push_heap(order_.begin(), order_.end(), comes_later);
  }
  [[nodiscard]] bool empty() const { return order_.empty(); }
  /// Of the first one; infinity: there is none.
  [[nodiscard]] double time() const {
    return empty() ? std::numeric_limits<double>::infinity() : order_.front().time;
  }
  /// The first one; there must be one.
  [[nodiscard]] const Item& front() const { return items_[order_.front().place]; }
  /// Takes the first one out.
  Item pop() {
    std::pop_heap(order_.begin(), order_.end(), comes_later);
    const std::uint32_t place = order_.back().place;
    order_.pop_back();
    free_.push_back(place);
    return std::move(items_[place]);
  }

 private:
  /// Small, for ordering moves it about.
  struct Entry {
    double time = 0;
    std::uint64_t number = 0;
    std::uint32_t place = 0;  ///< in `items_`
  };
  static bool comes_later(const Entry& left, const Entry& right) {
    return left.time > right.time || (left.time == right.time && left.number > right.number);
  }

  std::vector<Entry> order_;  ///< a heap
  std::vector<Item> items_;
  std::vector<std::uint32_t> free_;  ///< places in `items_`
  std::uint64_t added_ = 0;
};

}  // namespace perfmodel
