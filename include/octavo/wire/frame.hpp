// SPDX-License-Identifier: Apache-2.0
// What travels on a road: a fixed header, then tables, body and out-of-band parts.
//
//   | FrameHeader 72 B | bulk sizes, 8 B each | PageRefs, 24 B each | body | bulk parts |
//
// Integers are little endian (the only order Octavo runs on). A frame that breaks a limit is refused before anything of
// its size is allocated. Threading: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/wire/page_ref.hpp"
#include "octavo/wire/small_bytes.hpp"

namespace octavo {
struct Life;
}  // namespace octavo

namespace octavo::wire {

inline constexpr std::uint32_t frame_magic = 0x56544346;  // "FCTV"
inline constexpr std::uint16_t frame_version = 1;

enum class frame_kind : std::uint8_t {
  call = 1,
  reply = 2,
  error = 3,
  construct = 4,
  destroy = 5,
  cancel = 6,    // of the call whose number `root` carries, if it has not begun; answered by a reply
  probe = 7,     // does the caller that waits for this process wait for itself? (C-3); no answer
  member = 8,    // between members of a group: `root` names the group, `call` the collective, `method` the sender's index, `flags` what it is
  save = 9,      // the object's state
  is_a = 10,     // is the object of the class that the body names?
  post = 11,     // to the mailbox that `method` names; no answer, but from time to time:
  taken = 12,    // `call` messages, of `root` bytes, that were posted to the mailbox that `method` names
  inquiry = 13,  // what became of this call? Answered by one whose `flags` say it (process/inquiry/inquiry.hpp)
  has_item = 14  // what the queue that `method` numbers gave to the request `call` was read; no answer
};

// Of a reply: what the call began, and nobody waited for, may still run, and call on its behalf (C-3).
inline constexpr std::uint8_t flag_more_may_run = 1;

struct FrameHeader {
  std::uint32_t magic = frame_magic;
  std::uint16_t version = frame_version;
  frame_kind kind = frame_kind::call;
  std::uint8_t flags = 0;
  std::uint64_t caller = 0;       // object id of the process that calls
  std::uint64_t call = 0;         // the call's number there
  std::uint64_t root = 0;         // the call that all this descends from (C-3)
  std::uint64_t object = 0;       // the callee
  std::uint64_t method = 0;       // hash of the method's key
  std::uint32_t incarnation = 0;  // of the callee
  std::uint32_t page_count = 0;
  std::uint32_t bulk_count = 0;
  std::uint32_t build = 0;  // of the caller's program: named when caller and callee do not understand each other
  std::uint64_t body_bytes = 0;
};
static_assert(sizeof(FrameHeader) == 72);

// A call or an answer of a few numbers, in one cache line. The header's other fields are those of the frames before on its connection.
struct alignas(64) SmallFrame {
  static constexpr std::size_t most = 32;  // bytes
  std::uint32_t position = 0;              // the road's
  std::uint16_t size = 0;                  // of the body
  frame_kind kind = frame_kind::call;
  std::uint8_t flags = 0;
  std::uint64_t call = 0, root = 0, method = 0;
  std::array<std::byte, most> body{};
};
static_assert(sizeof(SmallFrame) == 64);

struct FrameLimits {
  std::uint64_t body_bytes = 256 << 20;
  std::uint64_t bulk_bytes = std::uint64_t{1} << 36;  // all bulk parts together
  std::uint32_t bulk_count = 1 << 16;
  std::uint32_t page_count = 1 << 16;
};

// Counts the references that a frame has not given away yet. Not copied with it.
struct PageOwner {
  PageOwner() = default;
  PageOwner(const PageOwner& /*other*/) noexcept {}
  PageOwner& operator=(const PageOwner& /*other*/) noexcept { return *this; }  // NOLINT(bugprone-unhandled-self-assignment): nothing is assigned
  ~PageOwner() = default;
  PageKeeper* keeper = nullptr;
};

// What a frame takes with it that is neither bytes nor pages: an end of a channel.
class Carried {
 public:
  virtual ~Carried() = default;
  // The frame is about to leave for this process: what has not arrived when that ends is lost.
  virtual void leaves_for(const Life& to) noexcept = 0;
  // What has not arrived by now is lost: the frame was not sent, or the call that it went with is over.
  virtual void is_over() noexcept = 0;
};

// They are told that it is over when this ends. Not copied with a frame.
class AllCarried {
 public:
  AllCarried() = default;
  AllCarried(const AllCarried& /*other*/) noexcept {}
  AllCarried(AllCarried&& other) noexcept { what_.swap(other.what_); }
  AllCarried& operator=(AllCarried other) noexcept {
    what_.swap(other.what_);
    return *this;
  }
  ~AllCarried() {
    for (const auto& each : what_) each->is_over();
  }
  void add(std::shared_ptr<Carried> what) { what_.push_back(std::move(what)); }
  [[nodiscard]] bool empty() const noexcept { return what_.empty(); }
  void leave_for(const Life& to) const noexcept {
    for (const auto& each : what_) each->leaves_for(to);
  }
  // The frame, which was no call, is on its way.
  void release() noexcept { what_.clear(); }

 private:
  std::vector<std::shared_ptr<Carried>> what_;
};

// A frame on its way out. Bulk parts are borrowed, they must live until send() returns; or lie in `owned`. References to pages are its own until it is
// sent (PagesUnderWay in process/sending), and released with it if it never is.
struct Outgoing {
  FrameHeader header;
  Body body;
  std::vector<ByteView> bulk;
  std::vector<PageRef> pages;
  std::vector<std::vector<std::byte>> owned;
  AllCarried carried;
  PageOwner owner;
  const PageKeeper* shares = nullptr;  // whose pages may go by reference; null: those of the endpoint in force
  ~Outgoing() {
    if (owner.keeper != nullptr) release_pages();
  }
  // The header's counts, once the frame is whole.
  void seal();

 private:
  void release_pages() noexcept;
};

// The bulk of a message whose rest is here: its decoder takes each part from the road into its place, without a copy between.
class PendingBulk {
 public:
  explicit PendingBulk(std::vector<std::uint64_t> sizes) : sizes_(std::move(sizes)) {}
  virtual ~PendingBulk() = default;
  // The next part, of this size. Waits for it. Throws gone_error if it does not come.
  virtual void read(ByteSpan into) = 0;
  [[nodiscard]] std::uint64_t next_size() const noexcept { return next_ == sizes_.size() ? 0 : sizes_[next_]; }  // 0: there is none
  [[nodiscard]] std::uint64_t left() const noexcept;                                                             // of all parts that were not read

 protected:
  std::vector<std::uint64_t> sizes_;
  std::size_t next_ = 0;
};

// Which messages may be given away before their bulk has come, and how to wait for it then.
class InPlaceReceiver {
 public:
  virtual ~InPlaceReceiver() = default;
  // True: it will be decoded at once, by this thread.
  [[nodiscard]] virtual bool receives_in_place(const FrameHeader& header) = 0;
  virtual void await_bulk(const std::function<bool()>& here) = 0;
};

// A frame that has arrived. Pages that nobody takes out are released with it.
class Message {
 public:
  Message() = default;
  Message(Message&&) noexcept = default;
  Message& operator=(Message&& other) noexcept;
  ~Message() { release_pages(); }

  FrameHeader header;
  Buffer body;
  std::vector<Buffer> bulk;
  std::shared_ptr<PendingBulk> pending_bulk;  // instead of `bulk`, if it is still to be read
  std::vector<PageRef> pages;
  PageKeeper* keeper = nullptr;
  [[nodiscard]] std::uint64_t bulk_bytes() const noexcept;
  // Nothing came, yet.
  void clear() noexcept {
    release_pages();
    bulk.clear();
    pending_bulk.reset();
  }

 private:
  void release_pages() noexcept;
};

Message message_of(const FrameHeader& header, ByteView body);
// The same of a frame that has not left, or never will: its bytes are copied. References to its pages are nobody's, unless the message's keeper is set.
Message message_of(const Outgoing& frame);

// What came is no frame: throws io_error.
[[noreturn]] void refuse_frame(const std::string& what);
void check_kind(frame_kind kind);

// Puts a stream of bytes back together: fill want(), say how many arrived, take() when complete().
//
//   while (!decoder.complete()) { auto room = decoder.want(); decoder.got(read_some(room)); }
//
// Throws io_error at a wrong magic, version, kind or size, refused where there is no memory for what it announces; the stream cannot be used
// any more then. Memory is taken part by part, when the one before has come.
class FrameDecoder {
 public:
  explicit FrameDecoder(FrameLimits limits = {}) : limits_(limits) {}
  FrameDecoder(const FrameDecoder&) = delete;
  FrameDecoder& operator=(const FrameDecoder&) = delete;
  [[nodiscard]] ByteSpan want() noexcept { return room_.subspan(filled_); }
  void got(std::size_t bytes);
  [[nodiscard]] bool complete() const noexcept { return step_ == step::done; }
  // From now on; null: none. All but the bulk is here, and that is to be received in place: take it with take_head(). What follows is the next frame, once the
  // bulk was read.
  void allow_in_place(InPlaceReceiver* in_place) noexcept { in_place_ = in_place; }
  [[nodiscard]] bool headed() const noexcept { return step_ == step::headed; }
  Message take_head(std::vector<std::uint64_t>& sizes);
  // The pages of what comes are not of our pool: the last bulk parts are their bytes, or a page of ours that came beside the stream, or was made of them.
  void pages_come_beside() noexcept { pages_beside_ = true; }
  // The next part is one: it is to be taken, or its bytes are. take_page() is false if it is not, or of another size.
  [[nodiscard]] bool awaits_page() const noexcept { return step_ == step::page; }
  [[nodiscard]] bool take_page(const PageRef& page);
  void take_bytes_of_page();
  [[nodiscard]] std::uint64_t bytes_of_page() const noexcept { return bulk_sizes_[message_.bulk.size()]; }  // where it awaits one
  [[nodiscard]] bool empty() const noexcept { return step_ == step::header && filled_ == 0; }
  Message take();

 private:
  enum class step : std::uint8_t { header, tables, body, headed, bulk, page, done };
  [[nodiscard]] bool may_be_in_place() const;
  [[nodiscard]] std::size_t first_page_part() const noexcept { return pages_beside_ ? bulk_sizes_.size() - message_.header.page_count : bulk_sizes_.size(); }
  void begin(step to, ByteSpan room) noexcept;
  void begin_bulk();
  void go_on(bool page_by_value);
  void advance();
  void check_header() const;
  void read_tables();

  FrameLimits limits_;
  Message message_;
  Buffer tables_;
  std::vector<std::uint64_t> bulk_sizes_;
  InPlaceReceiver* in_place_ = nullptr;
  step step_ = step::header;
  bool pages_beside_ = false;
  std::size_t filled_ = 0;
  ByteSpan room_{reinterpret_cast<std::byte*>(&message_.header), sizeof(FrameHeader)};
};

// The frame's pieces in the order in which they are written; `tables` is filled and must outlive the pieces.
std::vector<ByteView> pieces_of(const Outgoing& frame, std::vector<std::byte>& tables);

}  // namespace octavo::wire
