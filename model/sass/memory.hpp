#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/sass/launch.hpp"

namespace perfmodel::sass {

/// Address space reserved from the system: zeros that take memory only where they are touched.
class LazyBytes {
 public:
  /// Throws Error unavailable when the system refuses.
  explicit LazyBytes(std::uint64_t size_bytes);
  ~LazyBytes();
  LazyBytes(LazyBytes&& other) noexcept;
  LazyBytes(const LazyBytes&) = delete;
  LazyBytes& operator=(const LazyBytes&) = delete;
  LazyBytes& operator=(LazyBytes&&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_bytes_ = 0;
};

/// One buffer in global memory, filled page by page when first touched. Several threads may use it
/// at a time, as the blocks of a kernel do.
class Region {
 public:
  Region(std::string name, std::uint64_t address, const BufferArgument& contents);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::uint64_t size() const { return size_bytes_; }
  [[nodiscard]] bool contains(std::uint64_t address, std::uint32_t bytes) const {
    return address >= address_ && address - address_ + bytes <= size_bytes_;
  }

  /// The bytes at `offset`, which lie inside; filled if they were not yet. An access never crosses
  /// a page, being aligned.
  std::byte* at(std::uint64_t offset) {
    const std::uint64_t page = offset / page_bytes;
    if (filling_ != nullptr &&
        std::atomic_ref(filled_.data()[page]).load(std::memory_order_acquire) == std::byte{0}) {
      fill_page(page);
    }
    return bytes_.data() + offset;
  }

  /// Whether reading before writing is a defect here, and what was written.
  [[nodiscard]] bool tracks_writes() const { return fill_ == Fill::nothing; }
  void note_write(std::uint64_t offset, std::uint32_t bytes);
  [[nodiscard]] bool written(std::uint64_t offset, std::uint32_t bytes) const;

  /// A copy of everything, filled where nothing was touched.
  std::vector<std::byte> contents();

  static constexpr std::uint64_t page_bytes = 4096;

 private:
  void fill_page(std::uint64_t page);

  std::string name_;
  std::uint64_t address_;
  std::uint64_t size_bytes_;
  Fill fill_;
  std::uint64_t seed_;
  std::span<const std::byte> data_;
  LazyBytes bytes_;
  LazyBytes filled_;                     ///< a byte per page; empty where zeros will do
  std::unique_ptr<std::mutex> filling_;  ///< set where pages are filled
  LazyBytes written_;                    ///< a byte per 32-bit word; empty where all counts as written
};

/// All global memory that a launch can reach.
class GlobalMemory {
 public:
  /// Adds a buffer behind the others, with a gap that no buffer covers; returns its address, a
  /// multiple of 2 MiB as of a large cudaMalloc.
  std::uint64_t add(std::string name, const BufferArgument& contents);

  /// The buffer that holds all `bytes` at `address`, or nothing.
  Region* find(std::uint64_t address, std::uint32_t bytes);
  /// The buffer nearest to `address`, for messages; nothing where there is none.
  [[nodiscard]] const Region* nearest(std::uint64_t address) const;
  [[nodiscard]] std::vector<Region>& regions() { return regions_; }

  /// For atomics, which several threads may execute at a time.
  std::mutex& atomics() { return *atomics_; }

 private:
  std::vector<Region> regions_;
  std::uint64_t next_address_ = std::uint64_t{1} << 33;
  std::unique_ptr<std::mutex> atomics_ = std::make_unique<std::mutex>();
};

}  // namespace perfmodel::sass
