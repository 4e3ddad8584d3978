// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/thread.hpp"

#include "base/delay_point.hpp"
#include "octavo/base/biased_lock.hpp"
#include "octavo/base/error.hpp"
#include "road/thread/pipe.hpp"

namespace octavo::road {

class ThreadRoad::End final : public Connection {
 public:
  End(std::shared_ptr<Pipe> pipe, int side)
      : pipe_(std::move(pipe)),
        side_(static_cast<std::size_t>(side)),
        out_(&to_peer().control, to_peer().lines.data()),
        in_(&to_me().control, to_me().lines.data()) {}
  ~End() override { close(); }

  void send(const wire::Outgoing& frame, const OnFull& on_full) override {
    {
      std::unique_lock lock(mutex_);
      if (pipe_->any_dead()) throw_gone();
      count(frame);
      if (!send_in_lane(frame)) return send_whole(wire::message_of(frame), on_full, std::move(lock));
    }
    peer_bell().ring();
  }

  sent_now send_now(const wire::Outgoing& frame) override {
    {
      std::lock_guard lock(mutex_);
      if (pipe_->any_dead() || !is_for_lane(frame)) return sent_now::unsuitable;
      if (!send_in_lane(frame)) return sent_now::no_room;
      count(frame);
    }
    peer_bell().ring();
    return sent_now::sent;
  }

  sent_now send_small(const wire::SmallFrame& frame) override {
    {
      std::lock_guard lock(mutex_);
      if (pipe_->any_dead() || !out_.takes(frame)) return sent_now::unsuitable;
      if (!kept_.empty() || !out_.write(frame)) return sent_now::no_room;
      count_bytes(sizeof(wire::FrameHeader) + frame.size);
    }
    peer_bell().ring();
    return sent_now::sent;
  }
  bool next_small(wire::SmallFrame& into) const override { return !is_closed() && in_.peek(into); }
  void pop_small() override {
    in_.pop();
    if (in_.release()) peer_bell().ring();
  }
  [[nodiscard]] wire::FrameHeader header_of(const wire::SmallFrame& frame) const override { return in_.header_of(frame); }

  bool flush() override {
    if (!keeping_.load(std::memory_order_acquire)) return true;
    if (!out_.got_room()) return false;
    delay_point("thread: about to flush");
    std::lock_guard lock(mutex_);
    try {
      drain();
    } catch (const gone_error&) {  // nothing is kept for a peer that is gone, and what it sent before can still be received
    }
    return kept_.empty();
  }

  using Connection::receive;
  bool receive(wire::Message& into, wire::InPlaceReceiver* /*in_place*/) override {
    if (is_closed()) return false;
    auto what = in_.read(into);
    if (what == LaneReader::next::nothing) return false;
    if (what == LaneReader::next::bytes) {
      into = to_me().take();
      if (closed_.load()) return false;
      in_.learn(into.header);
    }
    return received(into);
  }

  bool receive_answer(std::uint64_t call, wire::Message& into) override {
    return !is_closed() && in_.answers(call) && in_.read(into) == LaneReader::next::frame && received(into);
  }
  bool receive_for(wire::frame_kind kind, std::uint64_t method, wire::Message& into) override {
    return !is_closed() && in_.is_for(kind, method) && in_.read(into) == LaneReader::next::frame && received(into);
  }

  [[nodiscard]] bool ready() const override { return (!is_closed() && in_.ready()) || (keeping_.load(std::memory_order_relaxed) && out_.got_room()); }
  [[nodiscard]] bool got_room() const override { return !keeping_.load(std::memory_order_relaxed) || out_.got_room(); }
  [[nodiscard]] bool gone() const override { return pipe_->any_dead() && (is_closed() || !in_.ready()); }
  [[nodiscard]] bool lost() const override { return pipe_->any_dead(); }
  void notice_gone() override {}
  void close() override {
    delay_point("thread: about to close");
    pipe_->dead.at(side_).store(true);
    closed_.store(true);
    for (auto& unread : to_me().close()) unread.keeper = pipe_->keepers.at(side_).load();
    pipe_->ring_both();
  }
  [[nodiscard]] std::string_view road() const override { return "thread"; }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return sent_.load(std::memory_order_relaxed); }

 private:
  took_small take_from_lane(wire::SmallFrame& into, wire::frame_kind kind, std::uint64_t method) override {
    if (is_closed()) return took_small::none_came;
    const auto took = in_.take(into, kind, method);
    if (took == took_small::taken && in_.release()) peer_bell().ring();
    return took;
  }
  [[nodiscard]] Pipe::Direction& to_peer() const { return pipe_->to.at(1 - side_); }
  [[nodiscard]] Pipe::Direction& to_me() const { return pipe_->to.at(side_); }
  [[nodiscard]] const Doorbell& peer_bell() const { return pipe_->bells.at(1 - side_); }
  [[nodiscard]] bool is_closed() const { return closed_.load(std::memory_order_relaxed); }
  [[noreturn]] static void throw_gone() { throw gone_error("the other end of a connection is gone"); }

  [[nodiscard]] bool is_for_lane(const wire::Outgoing& frame) const {
    return frame.bulk.empty() && frame.pages.empty() && out_.takes(frame.header, frame.body.size());
  }
  bool send_in_lane(const wire::Outgoing& frame) { return kept_.empty() && is_for_lane(frame) && out_.write(frame.header, frame.body); }

  // on_full is never called with the lock held: it may send or flush on this connection.
  void send_whole(wire::Message message, const OnFull& on_full, std::unique_lock<BiasedLock> lock) {
    kept_.push_back(std::move(message));
    const std::uint64_t number = ++frames_;
    drain();
    while (frames_ - kept_.size() < number) {
      lock.unlock();
      bool again = on_full();  // if it throws, the rest is kept
      lock.lock();
      if (pipe_->any_dead()) {
        kept_.clear();
        throw_gone();
      }
      if (!again) return;
      drain();
    }
  }

  // Hands over what there is room for.
  void drain() {
    delay_point("thread: about to hand over");
    bool moved = false;
    for (; !kept_.empty(); moved = true) {
      if (!out_.has_room()) out_.want_room();
      if (!out_.has_room()) break;
      const auto header = kept_.front().header;
      if (!to_peer().put(kept_.front())) {
        kept_.clear();
        keeping_.store(false);
        throw_gone();
      }
      out_.announce(header);
      kept_.pop_front();
    }
    keeping_.store(!kept_.empty(), std::memory_order_relaxed);
    if (moved) peer_bell().ring();
  }

  bool received(wire::Message& into) {
    if (in_.release()) peer_bell().ring();
    into.keeper = pipe_->keepers.at(side_).load(std::memory_order_relaxed);
    return true;
  }

  void count(const wire::Outgoing& frame) {
    std::uint64_t bytes = sizeof frame.header + frame.body.size();
    for (auto part : frame.bulk) bytes += part.size();
    count_bytes(bytes);
  }
  void count_bytes(std::uint64_t bytes) { sent_.store(sent_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed); }

  std::shared_ptr<Pipe> pipe_;
  std::size_t side_;
  LaneWriter out_;
  LaneReader in_;
  BiasedLock mutex_;                // of the writing side
  std::deque<wire::Message> kept_;  // what found no room
  std::uint64_t frames_ = 0;        // that were ever kept
  std::atomic<bool> keeping_{false}, closed_{false};
  std::atomic<std::uint64_t> sent_{0};
};

ThreadRoad::ThreadRoad(Doorbell first, Doorbell second, wire::PageKeeper* first_keeper, wire::PageKeeper* second_keeper)
    : pipe_(std::make_shared<Pipe>(std::move(first), std::move(second), first_keeper, second_keeper)) {}

void ThreadRoad::set_keeper(int side, wire::PageKeeper* keeper) const { pipe_->keepers.at(static_cast<std::size_t>(side)).store(keeper); }

ConnectionPair ThreadRoad::ends() const { return {std::make_shared<End>(pipe_, 0), std::make_shared<End>(pipe_, 1)}; }

}  // namespace octavo::road
