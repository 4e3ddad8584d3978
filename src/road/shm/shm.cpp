// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/shm.hpp"

#include <sys/socket.h>

#include <deque>
#include <mutex>

#include "octavo/base/error.hpp"
#include "road/shm/rings.hpp"

namespace octavo::road {

namespace {

class ShmConnection final : public Connection {
 public:
  ShmConnection(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits)
      : road_(end.road), rings_(std::move(end)), peer_(std::move(peer)), keeper_(keeper), decoder_(limits) {}

  // Never calls on_full with the lock held: what it does may well send or flush here.
  void send(const wire::Outgoing& frame, const OnFull& on_full) override {
    std::vector<std::byte> tables;
    auto pieces = wire::pieces_of(frame, tables);
    std::unique_lock lock(mutex_);
    if (lost_.load()) throw gone_error("the other end of a connection is gone");
    drain();
    std::uint64_t number = ++frames_;
    for (auto piece : pieces) {
      if (kept_.empty()) write(piece);
      if (!piece.empty()) kept_.push_back({number, piece, {}});
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

  bool flush() override {
    std::lock_guard lock(mutex_);
    drain();
    hand_over();
    return kept_.empty();
  }

  bool receive(wire::Message& into) override {
    while (!decoder_.complete()) {
      std::size_t n = rings_.in.read(decoder_.want());
      if (n == 0) break;
      decoder_.got(n);
    }
    if (rings_.in.release()) peer_.ring();
    if (!decoder_.complete()) return false;
    into = decoder_.take();
    into.keeper = keeper_;
    return true;
  }

  [[nodiscard]] bool ready() const override {
    return (rings_.in.available() != 0 && !closed_.load()) || (keeping_.load(std::memory_order_relaxed) && rings_.out.room() != 0);
  }
  [[nodiscard]] bool gone() const override { return lost_.load() && (closed_.load() || rings_.in.available() == 0); }
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
  // A piece that found no room. Borrowed while its sender waits in send(), owned afterwards.
  struct Kept {
    std::uint64_t frame;
    ByteView left;
    std::vector<std::byte> own;
  };

  // Writes what fits of `piece`, and leaves the rest in it.
  void write(ByteView& piece) {
    for (;;) {
      piece = piece.subspan(rings_.out.write(piece));
      if (piece.empty()) return;
      hand_over();
      rings_.out.want_room();
      if (rings_.out.room() == 0) return;
    }
  }

  void drain() {
    while (!kept_.empty()) {
      write(kept_.front().left);
      if (!kept_.front().left.empty()) return;
      kept_.pop_front();
    }
  }

  [[nodiscard]] bool keeps(std::uint64_t frame) const { return !kept_.empty() && kept_.front().frame <= frame; }

  void own(std::uint64_t frame) {
    for (auto& piece : kept_) {
      if (piece.frame != frame || !piece.own.empty()) continue;
      piece.own.assign(piece.left.begin(), piece.left.end());
      piece.left = piece.own;
    }
  }

  void hand_over() {
    keeping_.store(!kept_.empty(), std::memory_order_relaxed);
    if (rings_.out.written() == sent_.load(std::memory_order_relaxed)) return;
    sent_.store(rings_.out.written(), std::memory_order_relaxed);
    rings_.out.publish();
    peer_.ring();
  }

  std::string_view road_;
  ShmRings rings_;
  Doorbell peer_;
  wire::PageKeeper* keeper_;
  wire::FrameDecoder decoder_;
  std::mutex mutex_;  // of the writing side
  std::deque<Kept> kept_;
  std::uint64_t frames_ = 0;
  std::atomic<bool> keeping_{false}, lost_{false}, closed_{false};  // closed: by this end
  std::atomic<std::uint64_t> sent_{0};
};

}  // namespace

std::shared_ptr<Connection> open_shm(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits) {
  return std::make_shared<ShmConnection>(std::move(end), std::move(peer), keeper, limits);
}

}  // namespace octavo::road
