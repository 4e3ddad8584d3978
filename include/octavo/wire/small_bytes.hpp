// SPDX-License-Identifier: Apache-2.0
// The bytes of a frame's body, on their way out and in. Most are a few numbers: these lie in the object itself, and nothing is allocated.
//
//   Body body;  body.append(&number, sizeof number);   ByteView all = body;
//   Buffer came(size);  std::memcpy(came.span().data(), from, size);
//
// Threading: values.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "octavo/base/bytes.hpp"

namespace octavo::wire {

// So many bytes, without the price of clearing them.
class Buffer {
 public:
  static constexpr std::size_t small = 64;
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > small) data_ = std::make_unique_for_overwrite<std::byte[]>(size);
  }
  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) { take_small(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = this == &other ? size_ : std::exchange(other.size_, 0);
    take_small(other);
    return *this;
  }
  ~Buffer() = default;
  [[nodiscard]] ByteSpan span() noexcept { return {data_ ? data_.get() : small_, size_}; }
  [[nodiscard]] ByteView span() const noexcept { return {data_ ? data_.get() : small_, size_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  void take_small(const Buffer& other) noexcept {
    if (!data_ && this != &other) std::memcpy(small_, other.small_, size_);
  }
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  alignas(16) std::byte small_[small];  // NOLINT(modernize-avoid-c-arrays): left uncleared
};

// Bytes that become more.
class Body {
 public:
  static constexpr std::size_t small = 128;
  Body() = default;
  Body(const Body& other) { assign(other); }
  Body& operator=(const Body& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Body(Body&& other) noexcept { *this = std::move(other); }
  Body& operator=(Body&& other) noexcept {
    if (this == &other) return *this;
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, small);
    if (!data_) std::memcpy(small_, other.small_, size_);
    return *this;
  }
  ~Body() = default;

  void append(const void* from, std::size_t bytes) {
    if (bytes > capacity_ - size_) grow(bytes);
    if (bytes != 0) std::memcpy(data() + size_, from, bytes);
    size_ += bytes;
  }
  void assign(ByteView bytes) {
    size_ = 0;
    append(bytes.data(), bytes.size());
  }
  void assign(std::size_t bytes, std::byte value) {
    size_ = 0;
    if (bytes > capacity_) grow(bytes);
    std::memset(data(), static_cast<int>(value), bytes);
    size_ = bytes;
  }
  bool operator==(const Body& other) const noexcept { return size_ == other.size_ && std::memcmp(data(), other.data(), size_) == 0; }
  [[nodiscard]] std::byte* data() noexcept { return data_ ? data_.get() : small_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_ ? data_.get() : small_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  operator ByteView() const noexcept { return {data(), size_}; }  // NOLINT(google-explicit-constructor): it is one

 private:
  void grow(std::size_t bytes);
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0, capacity_ = small;
  std::byte small_[small];  // NOLINT(modernize-avoid-c-arrays): left uncleared
};

}  // namespace octavo::wire
