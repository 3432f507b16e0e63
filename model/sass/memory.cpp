#include "model/sass/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/error.hpp"
#include "model/sass/number_format.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::uint64_t alignment_bytes = std::uint64_t{2} << 20;

/// Scatters an index over 64 bits (the finaliser of a splitmix generator).
std::uint64_t scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Uniform in [-1, 1), exact in single precision.
float unit_float(std::uint64_t bits) {
  return static_cast<float>(bits >> 40) / static_cast<float>(1 << 23) - 1.0F;
}

template <class T, class Make>
void fill_elements(std::byte* to, std::uint64_t first_byte, std::uint64_t bytes, Make make) {
  const std::uint64_t first = first_byte / sizeof(T);
  for (std::uint64_t i = 0; i < bytes / sizeof(T); ++i) {
    const T value = make(first + i);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

bool needs_filling(Fill fill) { return fill != Fill::nothing && fill != Fill::zeros; }

}  // namespace

LazyBytes::LazyBytes(std::uint64_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) {
    return;
  }
  void* const mapped = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw Error(ErrorKind::unavailable,
                fmt::format("the system refuses {} bytes of address space", size_bytes));
  }
  data_ = static_cast<std::byte*>(mapped);
}

LazyBytes::~LazyBytes() {
  if (data_ != nullptr) {
    munmap(data_, size_bytes_);
  }
}

LazyBytes::LazyBytes(LazyBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

Region::Region(std::string name, std::uint64_t address, const BufferArgument& contents)
    : name_(std::move(name)),
      address_(address),
      size_bytes_(contents.size_bytes),
      fill_(contents.fill),
      seed_(contents.seed),
      data_(contents.data),
      bytes_(contents.size_bytes),
      filled_(needs_filling(fill_) ? size_bytes_ / page_bytes + 1 : 0),
      filling_(needs_filling(fill_) ? std::make_unique<std::mutex>() : nullptr),
      written_(fill_ == Fill::nothing ? size_bytes_ / 4 + 1 : 0) {}

void Region::fill_page(std::uint64_t page) {
  const std::scoped_lock lock(*filling_);
  if (std::atomic_ref(filled_.data()[page]).load(std::memory_order_relaxed) != std::byte{0}) {
    return;
  }
  const std::uint64_t first = page * page_bytes;
  const std::uint64_t bytes = std::min(page_bytes, size_bytes_ - first);
  std::byte* const to = bytes_.data() + first;
  const std::uint64_t salt = scattered(seed_);
  const auto random = [salt](std::uint64_t index) { return scattered(index ^ salt); };
  switch (fill_) {
    case Fill::nothing:
    case Fill::zeros:
      break;
    case Fill::iota_i32:
      fill_elements<std::uint32_t>(to, first, bytes,
                                   [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
      break;
    case Fill::random_f32:
      fill_elements<float>(to, first, bytes,
                           [&](std::uint64_t i) { return unit_float(random(i)); });
      break;
    case Fill::random_f64:
      fill_elements<double>(to, first, bytes, [&](std::uint64_t i) {
        return static_cast<double>(random(i) >> 11) / static_cast<double>(std::uint64_t{1} << 52) -
               1.0;
      });
      break;
    case Fill::random_f16:
      fill_elements<std::uint16_t>(to, first, bytes, [&](std::uint64_t i) {
        return half_from_float(unit_float(random(i)), false);
      });
      break;
    case Fill::random_u32:
      fill_elements<std::uint32_t>(to, first, bytes, [&](std::uint64_t i) {
        return static_cast<std::uint32_t>(random(i) >> 32);
      });
      break;
    case Fill::data:
      std::memcpy(to, data_.data() + first, bytes);
      break;
  }
  std::atomic_ref(filled_.data()[page]).store(std::byte{1}, std::memory_order_release);
}

void Region::note_write(std::uint64_t offset, std::uint32_t bytes) {
  for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    std::atomic_ref(written_.data()[word]).store(std::byte{1}, std::memory_order_relaxed);
  }
}

bool Region::written(std::uint64_t offset, std::uint32_t bytes) const {
  for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    if (std::atomic_ref(written_.data()[word]).load(std::memory_order_relaxed) == std::byte{0}) {
      return false;
    }
  }
  return true;
}

std::vector<std::byte> Region::contents() {
  for (std::uint64_t page = 0; filling_ != nullptr && page * page_bytes < size_bytes_; ++page) {
    at(page * page_bytes);
  }
  return {bytes_.data(), bytes_.data() + size_bytes_};
}

std::uint64_t GlobalMemory::add(std::string name, const BufferArgument& contents) {
  const std::uint64_t address = next_address_;
  regions_.emplace_back(std::move(name), address, contents);
  const std::uint64_t pages = contents.size_bytes / alignment_bytes + 2;
  next_address_ += pages * alignment_bytes;
  return address;
}

Region* GlobalMemory::find(std::uint64_t address, std::uint32_t bytes) {
  for (Region& region : regions_) {
    if (region.contains(address, bytes)) {
      return &region;
    }
  }
  return nullptr;
}

const Region* GlobalMemory::nearest(std::uint64_t address) const {
  const Region* best = nullptr;
  std::uint64_t best_distance = 0;
  for (const Region& region : regions_) {
    const std::uint64_t end = region.address() + region.size();
    const std::uint64_t distance = address < region.address() ? region.address() - address
                                   : address >= end           ? address - end
                                                              : 0;
    if (best == nullptr || distance < best_distance) {
      best = &region;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace perfmodel::sass
