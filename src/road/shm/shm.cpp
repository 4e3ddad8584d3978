// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/shm.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/delay_point.hpp"
#include "octavo/base/biased_lock.hpp"
#include "octavo/base/error.hpp"
#include "road/shm/arriving_pages.hpp"
#include "road/shm/bulk_stream.hpp"
#include "road/shm/outflow.hpp"
#include "road/shm/rings.hpp"

namespace octavo::road {

namespace {

class ShmConnection final : public Connection, public std::enable_shared_from_this<ShmConnection> {
 public:
  // `relay_slot`: where pages are handed over to a relay.
  ShmConnection(ShmEnd end, Doorbell peer, const ArrivingPages::By& by, unsigned relay_slot, wire::FrameLimits limits)
      : road_(end.road),
        way_in_(end.way_in()),
        way_out_(end.way_out()),
        rings_(std::move(end)),
        peer_(std::move(peer)),
        keeper_(by.relay != nullptr ? by.relay : by.reference),
        decoder_(limits),
        out_(rings_, peer_, by.relay != nullptr ? by.relay : by.value,
             by.relay != nullptr ? std::optional(wire::PageRoute{relay_slot, way_out_}) : std::nullopt) {
    pages_.emplace(by, way_in_, rings_, decoder_);
    if (!rings_.lanes || by.value != nullptr) decoder_.pages_come_beside();
  }
  ~ShmConnection() override {
    pages_.reset();
    if (keeper_ == nullptr) return;
    keeper_->close_way(way_in_);
    if (shut_ ? others_end_was_closed_ : rings_.others_end_is_closed()) keeper_->close_way(way_out_);  // what came there after the peer was reaped
  }

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
      if (lost_.load(std::memory_order_relaxed) || !is_for_lane(frame)) return sent_now::unsuitable;
      if (!send_in_lane(frame)) return sent_now::no_room;
    }
    peer_.ring();
    return sent_now::sent;
  }

  sent_now send_small(const wire::SmallFrame& frame) override {
    {
      std::lock_guard lock(mutex_);
      if (lost_.load(std::memory_order_relaxed) || !rings_.lanes || !rings_.lane_out.takes(frame)) return sent_now::unsuitable;
      if (!out_.empty() || !rings_.lane_out.write(frame)) return sent_now::no_room;
      out_.count(sizeof(Line));
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
  [[nodiscard]] NextMark next_mark() const override { return rings_.lanes && !as_bytes_ ? rings_.lane_in.next_mark() : NextMark(); }
  [[nodiscard]] wire::FrameHeader header_of(const wire::SmallFrame& frame) const override { return rings_.lane_in.header_of(frame); }

  bool receive_answer(std::uint64_t call, wire::Message& into) override {
    if (!rings_.lanes || as_bytes_ || !rings_.lane_in.answers(call) || !receive_from_lane(into)) return false;
    if (into.header.call != call) refuse_changed();
    return true;
  }
  bool receive_for(wire::frame_kind kind, std::uint64_t method, wire::Message& into) override {
    if (!rings_.lanes || as_bytes_ || closed_.load(std::memory_order_relaxed)) return false;
    if (!rings_.lane_in.is_for(kind, method) || !receive_from_lane(into)) return false;
    if (into.header.kind != kind || into.header.method != method) refuse_changed();
    return true;
  }

  bool flush() override {
    if (!out_.keeping()) return true;
    delay_point("shm: about to flush");
    if (!out_.got_room()) return false;
    std::lock_guard lock(mutex_);
    out_.drain();
    out_.hand_over();
    return out_.empty();
  }

  using Connection::receive;
  bool receive(wire::Message& into, wire::InPlaceReceiver* in_place) override {
    if (stream_ && !stream_is_over()) return false;
    while (rings_.lanes && !as_bytes_) {
      auto what = rings_.lane_in.read(into);
      if (what == LaneReader::next::nothing) return false;
      if (rings_.lane_in.release()) peer_.ring();
      if (what == LaneReader::next::frame) return received(into);
      as_bytes_ = true;
    }
    return receive_bytes(into, in_place);
  }

  [[nodiscard]] bool ready() const override { return (comes() && !closed_.load()) || (out_.keeping() && out_.got_room()); }
  [[nodiscard]] bool got_room() const override { return !out_.keeping() || out_.got_room(); }
  [[nodiscard]] bool gone() const override { return lost_.load() && (closed_.load() || !comes()); }
  [[nodiscard]] bool lost() const override { return lost_.load(); }
  void notice_gone() override { lost_.store(true); }
  void close() override {
    delay_point("shm: about to close");
    lost_.store(true);
    closed_.store(true);
    {
      std::lock_guard lock(mutex_);
      shut();
    }
    peer_.ring();
  }
  [[nodiscard]] int watch() const override { return rings_.socket.get(); }
  [[nodiscard]] std::string_view road() const override { return road_; }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return out_.bytes_sent(); }

 private:
  took_small take_from_lane(wire::SmallFrame& into, wire::frame_kind kind, std::uint64_t method) override {
    if (!rings_.lanes || as_bytes_ || closed_.load(std::memory_order_relaxed)) return took_small::none_came;
    const auto took = rings_.lane_in.take(into, kind, method);
    if (took == took_small::taken && rings_.lane_in.release()) peer_.ring();
    return took;
  }
  [[nodiscard]] bool comes() const {
    if (rings_.lanes && !as_bytes_) return rings_.lane_in.ready();
    return rings_.in.available() != 0 || pages_->is_next();
  }

  [[nodiscard]] bool is_for_lane(const wire::Outgoing& frame) const {
    return rings_.lanes && frame.bulk.empty() && rings_.lane_out.takes(frame.header, frame.body.size(), frame.pages.size());
  }
  bool send_in_lane(const wire::Outgoing& frame) {
    if (!out_.empty() || !rings_.lane_out.write(frame.header, frame.body, frame.pages)) return false;
    out_.count(sizeof(Line) * lines_for(content_of(frame.body.size(), frame.pages.size())));
    return true;
  }

  // on_full is never called with the lock held: it may send or flush on this connection.
  void send_as_bytes(const wire::Outgoing& frame, const OnFull& on_full, std::unique_lock<BiasedLock> lock) {
    std::vector<std::byte> tables;
    const std::uint64_t number = out_.put(frame, tables);
    while (out_.keeps(number)) {
      lock.unlock();
      bool again = false;
      try {
        again = on_full();
      } catch (...) {
        lock.lock();
        keep_own(number);
        throw;
      }
      lock.lock();
      if (lost_.load()) {
        out_.drop();
        out_.hand_over();
        throw gone_error("the other end of a connection is gone");
      }
      if (!again) return keep_own(number);
      out_.drain();
      out_.hand_over();
    }
  }

  // What could not be copied is borrowed no longer; without it the other end waits for the rest of a frame in vain.
  void keep_own(std::uint64_t number) {
    try {
      out_.own(number);
    } catch (...) {
      out_.drop();
      lost_.store(true);
      shut();
      throw;
    }
  }

  // Shuts this end. Whether the other end was closed can be seen only before that.
  void shut() {
    if (std::exchange(shut_, true)) return;
    others_end_was_closed_ = rings_.others_end_is_closed();
    ::shutdown(rings_.socket.get(), SHUT_RDWR);
  }

  // Only a broken peer does that: an intact one does not write to what it has published.
  [[noreturn]] static void refuse_changed() { wire::refuse_frame("it changed while it was read"); }

  bool receive_bytes(wire::Message& into, wire::InPlaceReceiver* in_place) {
    decoder_.allow_in_place(in_place);
    while (!decoder_.complete() && !decoder_.headed()) {
      std::size_t most = SIZE_MAX;
      if (pages_->take_next(peer_, most)) continue;
      auto want = decoder_.want();
      std::size_t n = rings_.in.read_slice(want.first(std::min(want.size(), most)));
      if (n == 0) break;
      decoder_.got(n);
      if (n >= slice_bytes && rings_.in.release()) peer_.ring();
    }
    if (rings_.in.release()) peer_.ring();
    if (decoder_.headed()) {
      std::vector<std::uint64_t> sizes;
      into = decoder_.take_head(sizes);
      stream_ = std::make_shared<BulkStream>(BulkStream::Source{weak_from_this(), rings_.in, peer_, lost_, as_bytes_}, std::move(sizes), *in_place);
      into.pending_bulk = stream_;
    } else if (decoder_.complete()) {
      into = decoder_.take();
      as_bytes_ = false;
    } else {
      return false;
    }
    rings_.lane_in.learn(into.header);
    return received(into);
  }

  // Receives what a look into the lane has found.
  bool receive_from_lane(wire::Message& into) {
    if (rings_.lane_in.read(into) != LaneReader::next::frame) refuse_changed();
    if (rings_.lane_in.release()) peer_.ring();
    return received(into);
  }
  bool received(wire::Message& into) {
    pages_->accept(into);
    return true;
  }

  // Takes off the ring what is there of the bulk of the message that was given away: for the message, or for nobody if that is gone.
  bool stream_is_over() {
    if (!stream_->over()) {
      if (stream_.use_count() == 1) stream_->pass_over();
      else stream_->set_aside();
    }
    if (!stream_->over()) return false;
    stream_.reset();
    return true;
  }

  std::string_view road_;
  std::uint32_t way_in_, way_out_;  // of pages
  ShmRings rings_;
  Doorbell peer_;
  wire::PageKeeper* keeper_;  // whose ways they are; null: by none
  wire::FrameDecoder decoder_;
  std::optional<ArrivingPages> pages_;
  std::shared_ptr<BulkStream> stream_;  // what the last message still waits for
  BiasedLock mutex_;                    // of the writing side
  Outflow out_;
  bool shut_ = false, others_end_was_closed_ = false;  // likewise
  bool as_bytes_ = false;                              // what comes now is bytes; the receiving thread's
  std::atomic<bool> lost_{false}, closed_{false};      // closed: by this end
};

}  // namespace

std::shared_ptr<Connection> open_shm(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits) {
  return std::make_shared<ShmConnection>(std::move(end), std::move(peer), ArrivingPages::By{.reference = keeper}, 0, limits);
}

std::shared_ptr<Connection> open_between_pools(ShmEnd end, Doorbell peer, wire::SharedPages& pages, wire::FrameLimits limits) {
  return std::make_shared<ShmConnection>(std::move(end), std::move(peer), ArrivingPages::By{.value = &pages}, 0, limits);
}

std::shared_ptr<Connection> open_to_relay(ShmEnd end, Doorbell relay, wire::SharedPages* pages, unsigned relay_slot, wire::FrameLimits limits) {
  return std::make_shared<ShmConnection>(std::move(end), std::move(relay), ArrivingPages::By{.relay = pages}, relay_slot, limits);
}

}  // namespace octavo::road
