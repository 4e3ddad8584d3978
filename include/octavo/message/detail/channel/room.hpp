// SPDX-License-Identifier: Apache-2.0
// What the bound of a mailbox or channel leaves to a writer in another process than the reader. The reader tells by receipts what it has taken: for each
// quarter of the bound, and when a writer that has no room left asks. So a message costs no receipt, and what was read counts for nobody who must wait.
// Threading: the lock of the outlet, or inlet, that has it, but for what is marked.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

#include "octavo/machine/address.hpp"

namespace octavo::detail {

// How much of one writer may lie unread.
struct Bound {
  std::uint64_t messages = 256, bytes = std::uint64_t{64} << 20;
};

struct Amount {
  std::uint64_t messages = 0, bytes = 0;
  void add(std::uint64_t more_bytes) {
    ++messages;
    bytes += more_bytes;
  }
  [[nodiscard]] bool is_a_quarter_of(const Bound& bound) const noexcept { return 4 * messages >= bound.messages || 4 * bytes >= bound.bytes; }
};

// Of a message: its writer asks for a receipt; ends of channels are in it; it is the text of why the value of this number could not be sent.
inline constexpr std::uint8_t flag_asks_for_receipt = 1, flag_has_ends = 2, flag_is_missing = 4;
[[nodiscard]] constexpr bool asks_for_receipt(std::uint8_t flags) noexcept { return (flags & flag_asks_for_receipt) != 0; }
// Of a frame of kind `taken`: the writer asks for it; none was taken since the last, and one follows when some are.
inline constexpr std::uint8_t flag_asks_what_was_taken = 1, flag_none_was_taken = 2;
// What the ends of a channel say to each other (ends.hpp): `messages` is the number of the last message, `bytes` how often the end had
// moved before; of reader_moved `messages` is how often the writer had that it is said to, and so of the answer that it is elsewhere; said to a process only
// because it had the reader before, it is this number, which is none of a writer's.
inline constexpr std::uint8_t flag_closed = 3, flag_given_up = 4, flag_cancelled = 5, flag_writer_moved = 6, flag_reader_moved = 7, flag_heard = 8,
                              flag_writer_is_elsewhere = 9, flag_flushed = 10, flag_flush_heard = 11;
inline constexpr std::uint64_t no_writers_hop = ~std::uint64_t{0};
struct Receipt {
  Amount taken;
  std::uint8_t flags = 0;
};

// The writer's: what has left, and was not taken as far as is known.
class Room {
 public:
  explicit Room(const Bound& bound) : bound_(bound) {}
  // Nothing: there is no room. Else whether this message asks for a receipt.
  std::optional<bool> take(std::uint64_t bytes, bool anyway);
  // Of a message that was not sent after all.
  void give_back(std::uint64_t bytes, bool asked);
  void hear(const Receipt& receipt);
  // True: the reader is to be asked now. False: it was before, and no receipt has come since.
  bool ask();
  // Any thread. The reader has answered; who waits for room goes on waiting where it has taken none.
  [[nodiscard]] bool answered(bool waits) const noexcept { return asking_ == asking::nothing || (!waits && asking_ == asking::told_none); }
  [[nodiscard]] bool none_is_under_way() const noexcept { return under_way_.messages == 0; }
  // For another reader.
  void clear();

 private:
  enum class asking : std::uint8_t { nothing, asked, told_none };
  const Bound bound_;
  Amount under_way_, unasked_;  // unasked: posted since a receipt was asked for
  std::atomic<asking> asking_{asking::nothing};
};

// The reader's: what it has taken, and has not told its writers.
class Receipts {
 public:
  explicit Receipts(const Bound& bound) : bound_(bound) {}
  // What the writer is to be told now. `asked`: by this message.
  std::optional<Receipt> add(const Life& writer, std::uint64_t bytes, bool asked);
  Receipt ask(const Life& writer);

 private:
  struct Owed {
    Amount taken;
    bool wanted = false;  // its writer waits
  };
  const Bound bound_;
  std::map<Life, Owed> owed_;
  std::pair<const Life, Owed>* last_ = nullptr;  // of them
};

}  // namespace octavo::detail
