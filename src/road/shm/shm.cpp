// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/shm.hpp"

#include <immintrin.h>
#include <sys/socket.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "octavo/base/error.hpp"
#include "octavo/base/spin_lock.hpp"
#include "road/shm/bulk_stream.hpp"
#include "road/shm/rings.hpp"
#include "road/shm/slice.hpp"

namespace octavo::road {

namespace {

class ShmConnection final : public Connection, public std::enable_shared_from_this<ShmConnection> {
 public:
  ShmConnection(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits)
      : road_(end.road), rings_(std::move(end)), peer_(std::move(peer)), keeper_(keeper), decoder_(limits) {}

  void send(const wire::Outgoing& frame, const OnFull& on_full) override {
    {
      std::unique_lock lock(mutex_);
      if (lost_.load(std::memory_order_relaxed)) throw gone_error("the other end of a connection is gone");
      if (!is_for_lane(frame) || !send_in_lane(frame)) return send_as_bytes(frame, on_full, std::move(lock));
    }
    peer_.ring();
  }

  sent_now send_now(const wire::Outgoing& frame) override {
    {
      std::lock_guard lock(mutex_);
      if (lost_.load(std::memory_order_relaxed) || !is_for_lane(frame)) return sent_now::no;
      if (!send_in_lane(frame)) return sent_now::full;
    }
    peer_.ring();
    return sent_now::sent;
  }

  sent_now send_small(const wire::SmallFrame& frame) override {
    {
      std::lock_guard lock(mutex_);
      if (lost_.load(std::memory_order_relaxed) || !rings_.lanes || !rings_.lane_out.takes(frame)) return sent_now::no;
      if (!kept_.empty() || !rings_.lane_out.write(frame)) return sent_now::full;
      count(sizeof(Line));
    }
    peer_.ring();
    return sent_now::sent;
  }
  bool next_small(wire::SmallFrame& into) const override {
    return rings_.lanes && !as_bytes_ && !closed_.load(std::memory_order_relaxed) && rings_.lane_in.peek(into);
  }
  void pop_small() override {
    rings_.lane_in.pop();
    if (rings_.lane_in.release()) peer_.ring();
  }
  [[nodiscard]] wire::FrameHeader header_of(const wire::SmallFrame& frame) const override { return rings_.lane_in.header_of(frame); }

  bool receive_answer(std::uint64_t call, wire::Message& into) override {
    if (!rings_.lanes || as_bytes_ || !rings_.lane_in.answers(call)) return false;
    if (rings_.lane_in.read(into) != LaneReader::next::frame) return false;
    if (rings_.lane_in.release()) peer_.ring();
    into.keeper = keeper_;
    return true;
  }

  bool flush() override {
    if (!keeping_.load(std::memory_order_acquire)) return true;
    std::lock_guard lock(mutex_);
    drain();
    hand_over();
    return kept_.empty();
  }

  using Connection::receive;
  bool receive(wire::Message& into, wire::Landing* landing) override {
    if (stream_ && !stream_is_over()) return false;
    while (rings_.lanes && !as_bytes_) {
      auto what = rings_.lane_in.read(into);
      if (what == LaneReader::next::nothing) return false;
      if (rings_.lane_in.release()) peer_.ring();
      into.keeper = keeper_;
      if (what == LaneReader::next::frame) return true;
      as_bytes_ = true;
    }
    return receive_bytes(into, landing);
  }

  [[nodiscard]] bool ready() const override { return (comes() && !closed_.load()) || (keeping_.load(std::memory_order_relaxed) && got_room()); }
  [[nodiscard]] bool gone() const override { return lost_.load() && (closed_.load() || !comes()); }
  [[nodiscard]] bool lost() const override { return lost_.load(); }
  void notice_gone() override { lost_.store(true); }
  void close() override {
    lost_.store(true);
    closed_.store(true);
    ::shutdown(rings_.socket.get(), SHUT_RDWR);
    peer_.ring();
  }
  [[nodiscard]] int watch() const override { return rings_.socket.get(); }
  [[nodiscard]] std::string_view road() const override { return road_; }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return sent_.load(std::memory_order_relaxed); }

 private:
  // What found no room. Borrowed while its sender waits in send(), owned afterwards.
  struct Kept {
    std::uint64_t frame;
    std::optional<wire::FrameHeader> announces;  // first, in the lane
    ByteView left;
    std::vector<std::byte> own;
  };
  enum class full : std::uint8_t { nothing, lane, ring };

  [[nodiscard]] bool comes() const { return rings_.lanes && !as_bytes_ ? rings_.lane_in.ready() : rings_.in.available() != 0; }
  [[nodiscard]] bool got_room() const { return full_.load(std::memory_order_relaxed) == full::lane ? rings_.lane_out.got_room() : rings_.out.got_room(); }

  [[nodiscard]] bool is_for_lane(const wire::Outgoing& frame) const {
    return rings_.lanes && frame.bulk.empty() && frame.pages.empty() && rings_.lane_out.takes(frame.header, frame.body.size());
  }
  bool send_in_lane(const wire::Outgoing& frame) {
    if (!kept_.empty() || !rings_.lane_out.write(frame.header, frame.body)) return false;
    count(sizeof(Line) * lines_for(frame.body.size()));
    return true;
  }

  // Never calls on_full with the lock held: what it does may well send or flush here.
  void send_as_bytes(const wire::Outgoing& frame, const OnFull& on_full, std::unique_lock<SpinLock> lock) {
    std::vector<std::byte> tables;
    auto pieces = wire::pieces_of(frame, tables);
    drain();
    std::uint64_t number = ++frames_;
    if (rings_.lanes && (!kept_.empty() || !announce(frame.header))) kept_.push_back({number, frame.header, {}, {}});
    for (auto piece : pieces) {
      if (kept_.empty()) write(piece);
      if (!piece.empty()) kept_.push_back({number, {}, piece, {}});
    }
    hand_over();
    while (keeps(number)) {
      lock.unlock();
      bool again = false;
      try {
        again = on_full();
      } catch (...) {
        lock.lock();
        own(number);
        throw;
      }
      lock.lock();
      if (lost_.load()) {
        kept_.clear();
        hand_over();
        throw gone_error("the other end of a connection is gone");
      }
      if (!again) return own(number);
      drain();
      hand_over();
    }
  }

  bool receive_bytes(wire::Message& into, wire::Landing* landing) {
    decoder_.let_land(landing);
    while (!decoder_.complete() && !decoder_.headed()) {
      auto want = decoder_.want();
      std::size_t n = rings_.in.read(want.first(std::min(want.size(), slice_bytes)));
      if (n == 0) break;
      decoder_.got(n);
      if (n == slice_bytes && rings_.in.release()) peer_.ring();
    }
    if (rings_.in.release()) peer_.ring();
    if (decoder_.headed()) {
      std::vector<std::uint64_t> sizes;
      into = decoder_.take_head(sizes);
      stream_ = std::make_shared<BulkStream>(BulkStream::Source{weak_from_this(), rings_.in, peer_, lost_, as_bytes_}, std::move(sizes), *landing);
      into.coming = stream_;
    } else if (decoder_.complete()) {
      into = decoder_.take();
      as_bytes_ = false;
    } else {
      return false;
    }
    into.keeper = keeper_;
    rings_.lane_in.learn(into.header);
    return true;
  }

  // Of a message that was given away: what is there of its bulk is taken off the ring for it, and without it if it is gone.
  bool stream_is_over() {
    if (!stream_->over()) {
      if (stream_.use_count() == 1) stream_->pass_over();
      else stream_->set_aside();
    }
    if (!stream_->over()) return false;
    stream_.reset();
    return true;
  }

  bool announce(const wire::FrameHeader& header) {
    if (!rings_.lane_out.announce(header)) {
      rings_.lane_out.want_room();
      if (!rings_.lane_out.announce(header)) {
        full_.store(full::lane, std::memory_order_relaxed);
        return false;
      }
    }
    count(sizeof(Line));
    return true;
  }

  // Writes what fits of `piece`, and leaves the rest in it. A slice at a time: the other side copies one while this side copies the next.
  void write(ByteView& piece) {
    while (!piece.empty()) {
      std::size_t n = rings_.out.write(piece.first(std::min(piece.size(), slice_bytes)));
      piece = piece.subspan(n);
      if (n == slice_bytes) hand_over();
      if (n != 0) continue;
      hand_over();
      if (room_soon()) continue;
      rings_.out.want_room();
      if (rings_.out.room() != 0) continue;
      full_.store(full::ring, std::memory_order_relaxed);
      return;
    }
  }

  // The other side is copying, most likely: that takes less than any way of waiting.
  bool room_soon() {
    constexpr int looks = 200;
    for (int look = 0; look < looks; ++look) {
      if (rings_.out.room() >= slice_bytes) return true;
      _mm_pause();
    }
    return false;
  }

  void drain() {
    while (!kept_.empty()) {
      auto& first = kept_.front();
      if (first.announces && !announce(*first.announces)) return;
      first.announces.reset();
      write(first.left);
      if (!first.left.empty()) return;
      kept_.pop_front();
    }
  }

  [[nodiscard]] bool keeps(std::uint64_t frame) const { return !kept_.empty() && kept_.front().frame <= frame; }

  void own(std::uint64_t frame) {
    for (auto piece = kept_.rbegin(); piece != kept_.rend() && piece->frame >= frame; ++piece) {
      if (piece->frame != frame || !piece->own.empty()) continue;
      piece->own.assign(piece->left.begin(), piece->left.end());
      piece->left = piece->own;
    }
  }

  void hand_over() {
    keeping_.store(!kept_.empty(), std::memory_order_relaxed);
    if (auto written = rings_.out.written(); written != published_) {
      count(written - std::exchange(published_, written));
      rings_.out.publish();
    }
    peer_.ring();
  }
  void count(std::uint64_t bytes) { sent_.store(sent_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed); }

  std::string_view road_;
  ShmRings rings_;
  Doorbell peer_;
  wire::PageKeeper* keeper_;
  wire::FrameDecoder decoder_;
  std::shared_ptr<BulkStream> stream_;  // what the last message still waits for
  SpinLock mutex_;                      // of the writing side
  std::deque<Kept> kept_;
  std::uint64_t frames_ = 0, published_ = 0;
  std::atomic<full> full_{full::nothing};                           // what had no room
  bool as_bytes_ = false;                                           // what comes now; of the one who receives
  std::atomic<bool> keeping_{false}, lost_{false}, closed_{false};  // closed: by this end
  std::atomic<std::uint64_t> sent_{0};
};

}  // namespace

std::shared_ptr<Connection> open_shm(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits) {
  return std::make_shared<ShmConnection>(std::move(end), std::move(peer), keeper, limits);
}

}  // namespace octavo::road
