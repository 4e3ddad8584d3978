// SPDX-License-Identifier: Apache-2.0
// A ring of bytes in shared memory: one process writes, one reads. Positions only grow; the difference is what is in it.
// Whenever it is empty the writer begins again at its first byte: a ring that carries small messages in turn stays one page large.
// The other process may be broken: what it says is never believed beyond the capacity.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "octavo/base/bytes.hpp"

namespace octavo::road {

// How much is copied before the other side is told: while it copies that, this side copies the next.
inline constexpr std::size_t slice_bytes = 16 << 10;

struct RingControl {
  alignas(64) std::atomic<std::uint64_t> tail{0};  // written by the writer
  std::atomic<std::uint64_t> origin{0};            // by the writer too, while all is read: the position that lies at the first byte
  alignas(64) std::atomic<std::uint64_t> head{0};  // written by the reader
  alignas(64) std::atomic<std::uint32_t> wants_room{0};
};

class RingWriter {
 public:
  RingWriter() = default;
  RingWriter(RingControl* control, std::byte* data, std::size_t capacity) : control_(control), data_(data), capacity_(capacity) {}

  [[nodiscard]] std::size_t room() const noexcept {
    std::uint64_t used = tail_ - control_->head.load(std::memory_order_acquire);
    return used <= capacity_ ? capacity_ - used : 0;
  }
  // Copies as much as fits; it becomes visible with publish().
  std::size_t write(ByteView from) noexcept {
    std::size_t n = std::min(room_from_start(), from.size()), at = (tail_ - origin_) % capacity_, first = std::min(n, capacity_ - at);
    if (n == 0) return 0;
    std::memcpy(data_ + at, from.data(), first);
    if (n > first) std::memcpy(data_, from.data() + first, n - first);
    tail_ += n;
    return n;
  }
  // The same without the copy: where the next bytes go, at most `most` and what there is room for; commit() says how many came.
  [[nodiscard]] std::array<ByteSpan, 2> reserve(std::size_t most) noexcept {
    std::size_t n = std::min(room_from_start(), most), at = (tail_ - origin_) % capacity_, first = std::min(n, capacity_ - at);
    return {ByteSpan(data_ + at, first), ByteSpan(data_, n - first)};
  }
  void commit(std::size_t bytes) noexcept { tail_ += bytes; }
  void publish() noexcept { control_->tail.store(tail_, std::memory_order_release); }
  // Asks the reader to ring when it has made room. Look at room() again afterwards.
  void want_room() noexcept { control_->wants_room.store(1, std::memory_order_seq_cst); }
  // Any thread: whether it has made room since.
  [[nodiscard]] bool got_room() const noexcept { return control_->wants_room.load(std::memory_order_acquire) == 0; }
  [[nodiscard]] std::uint64_t written() const noexcept { return tail_; }

 private:
  // The reader loads the origin only after it has seen a tail beyond its head; the writer changes it only while there is none.
  std::size_t room_from_start() noexcept {
    std::size_t n = room();
    if (n == capacity_ && origin_ != tail_) control_->origin.store(origin_ = tail_, std::memory_order_relaxed);
    return n;
  }

  RingControl* control_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t tail_ = 0, origin_ = 0;
};

class RingReader {
 public:
  RingReader() = default;
  RingReader(RingControl* control, const std::byte* data, std::size_t capacity) : control_(control), data_(data), capacity_(capacity) {}

  [[nodiscard]] std::size_t available() const noexcept {
    std::uint64_t n = control_->tail.load(std::memory_order_acquire) - head_;
    return n <= capacity_ ? n : 0;
  }
  std::size_t read(ByteSpan into) noexcept {
    std::size_t n = std::min(available(), into.size()), at = place(), first = std::min(n, capacity_ - at);
    if (n == 0) return 0;
    std::memcpy(into.data(), data_ + at, first);
    if (n > first) std::memcpy(into.data() + first, data_, n - first);
    head_ += n;
    return n;
  }
  // The same, a slice at most: what it leaves is given back while the writer copies the next.
  std::size_t read_slice(ByteSpan into) noexcept { return read(into.first(std::min(into.size(), slice_bytes))); }
  // The same without the copy: the next bytes where they lie, at most `most`; consume() says how many were used.
  [[nodiscard]] std::array<ByteView, 2> peek(std::size_t most) const noexcept {
    std::size_t n = std::min(available(), most), at = place(), first = std::min(n, capacity_ - at);
    return {ByteView(data_ + at, first), ByteView(data_, n - first)};
  }
  void consume(std::size_t bytes) noexcept { head_ += bytes; }
  // Of what comes next, so many that are not wanted, a slice at most; how many it were.
  std::size_t pass_over(std::uint64_t most) noexcept {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>({most, available(), slice_bytes}));
    consume(n);
    return n;
  }
  [[nodiscard]] std::uint64_t position() const noexcept { return head_; }
  // Gives the room back; true if the writer waits for it and wants to be rung.
  bool release() noexcept {
    control_->head.store(head_, std::memory_order_seq_cst);
    return control_->wants_room.load(std::memory_order_seq_cst) != 0 && control_->wants_room.exchange(0, std::memory_order_seq_cst) != 0;
  }

 private:
  // Called after available(), whose acquire orders the load of the origin.
  [[nodiscard]] std::size_t place() const noexcept { return (head_ - control_->origin.load(std::memory_order_relaxed)) % capacity_; }

  RingControl* control_ = nullptr;
  const std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t head_ = 0;
};

}  // namespace octavo::road
