// SPDX-License-Identifier: Apache-2.0
// Pages beside a stream of bytes: a descriptor says at which of its bytes a page stands that is not among them. Of a connection between a
// process and a relay, which do not give pages to each other within frames: the frame's other process has another pool.
//
//   pages.hand_over(page, route);
//   if (!queue.put({ring.written(), page})) pages.take_back(page, route);             // nobody will take it
//   if (auto next = queue.next(); next && next->position == ring.position()) pages.accept(next->page, way), queue.pop();
//
// A descriptor is to be seen before the bytes behind it are, so the reader looks at the bytes first. The other process may be broken: positions
// and references are checked where they are used. Threading: one writes, one reads.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "octavo/wire/page_ref.hpp"

namespace octavo::road {

struct PageDescriptor {
  std::uint64_t position = 0;  // of the ring's bytes
  wire::PageRef page;
};

inline constexpr std::uint64_t most_page_descriptors = 32;  // that nobody has taken

// In shared memory; zero bytes are valid.
struct PageQueueControl {
  alignas(64) std::atomic<std::uint64_t> tail{0};  // written by the writer
  alignas(64) std::atomic<std::uint64_t> head{0};  // by the reader
  std::atomic<std::uint32_t> wants_room{0};        // by the writer
  std::atomic<std::uint32_t> closed{0};            // by the reader
  alignas(64) std::array<PageDescriptor, most_page_descriptors> descriptors;

  [[nodiscard]] PageDescriptor& at(std::uint64_t number) noexcept { return descriptors[number % most_page_descriptors]; }
};

class PageQueueWriter {
 public:
  PageQueueWriter() = default;
  explicit PageQueueWriter(PageQueueControl* control) : control_(control) {}
  [[nodiscard]] bool has_room() const noexcept { return tail_ - control_->head.load(std::memory_order_acquire) < most_page_descriptors; }
  // Where there is room. False: the reader has closed; the page is on its way for ever, unless the reader had taken it or closes that way now.
  [[nodiscard]] bool put(const PageDescriptor& descriptor) noexcept {
    control_->at(tail_) = descriptor;
    control_->tail.store(++tail_, std::memory_order_seq_cst);
    return control_->closed.load(std::memory_order_seq_cst) == 0;
  }
  // Asks the reader to ring when it has made room. Look again afterwards.
  void want_room() noexcept { control_->wants_room.store(1, std::memory_order_seq_cst); }
  [[nodiscard]] bool got_room() const noexcept { return control_->wants_room.load(std::memory_order_acquire) == 0; }

 private:
  PageQueueControl* control_ = nullptr;
  std::uint64_t tail_ = 0;
};

class PageQueueReader {
 public:
  PageQueueReader() = default;
  explicit PageQueueReader(PageQueueControl* control) : control_(control) {}
  [[nodiscard]] std::optional<PageDescriptor> next() const noexcept {
    if (waiting() == 0) return std::nullopt;
    return control_->at(head_);
  }
  // True if the writer waits for room and wants to be rung.
  bool pop() noexcept {
    control_->head.store(++head_, std::memory_order_seq_cst);
    return control_->wants_room.load(std::memory_order_seq_cst) != 0 && control_->wants_room.exchange(0, std::memory_order_seq_cst) != 0;
  }
  // No more is taken: for the pages that are left, close their way.
  void close() noexcept { control_->closed.store(1, std::memory_order_seq_cst); }

 private:
  [[nodiscard]] std::uint64_t waiting() const noexcept {
    std::uint64_t n = control_->tail.load(std::memory_order_seq_cst) - head_;
    return n <= most_page_descriptors ? n : 0;
  }
  PageQueueControl* control_ = nullptr;
  std::uint64_t head_ = 0;
};

}  // namespace octavo::road
