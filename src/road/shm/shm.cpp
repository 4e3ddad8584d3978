// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/shm.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <deque>
#include <mutex>

#include "octavo/base/error.hpp"
#include "road/shm/ring.hpp"

namespace octavo::road {

namespace {

constexpr std::size_t control_bytes = 4096;

class ShmConnection final : public Connection {
 public:
  ShmConnection(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits)
      : socket_(std::move(end.socket)), peer_(std::move(peer)), keeper_(keeper), decoder_(limits) {
    struct stat facts {};
    if (::fstat(end.rings.get(), &facts) != 0) throw io_error_from(errno, "opening a shared ring");
    bytes_ = static_cast<std::size_t>(facts.st_size);
    if (bytes_ < control_bytes + 8192) throw io_error("opening a shared ring: it has only " + std::to_string(bytes_) + " bytes");
    void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, end.rings.get(), 0);
    if (at == MAP_FAILED) throw io_error_from(errno, "mapping a shared ring");
    base_ = static_cast<std::byte*>(at);
    std::size_t capacity = (bytes_ - control_bytes) / 2;
    auto* controls = reinterpret_cast<RingControl*>(base_);  // zero bytes are valid controls
    auto data = [&](int ring) { return base_ + control_bytes + static_cast<std::size_t>(ring) * capacity; };
    out_ = RingWriter(&controls[end.side], data(end.side), capacity);
    in_ = RingReader(&controls[1 - end.side], data(1 - end.side), capacity);
  }
  ~ShmConnection() override { ::munmap(base_, bytes_); }
  ShmConnection(const ShmConnection&) = delete;
  ShmConnection& operator=(const ShmConnection&) = delete;

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
      std::size_t n = in_.read(decoder_.want());
      if (n == 0) break;
      decoder_.got(n);
    }
    if (in_.release()) peer_.ring();
    if (!decoder_.complete()) return false;
    into = decoder_.take();
    into.keeper = keeper_;
    return true;
  }

  [[nodiscard]] bool ready() const override {
    return (in_.available() != 0 && !closed_.load()) || (keeping_.load(std::memory_order_relaxed) && out_.room() != 0);
  }
  [[nodiscard]] bool gone() const override { return lost_.load() && (closed_.load() || in_.available() == 0); }
  [[nodiscard]] bool lost() const override { return lost_.load(); }
  void notice_gone() override { lost_.store(true); }
  void close() override {
    lost_.store(true);
    closed_.store(true);
    ::shutdown(socket_.get(), SHUT_RDWR);
    peer_.ring();
  }
  [[nodiscard]] int watch() const override { return socket_.get(); }
  [[nodiscard]] std::string_view road() const override { return "shm"; }
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
      piece = piece.subspan(out_.write(piece));
      if (piece.empty()) return;
      hand_over();
      out_.want_room();
      if (out_.room() == 0) return;
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
    if (out_.written() == sent_.load(std::memory_order_relaxed)) return;
    sent_.store(out_.written(), std::memory_order_relaxed);
    out_.publish();
    peer_.ring();
  }

  Fd socket_;
  Doorbell peer_;
  wire::PageKeeper* keeper_;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  RingWriter out_;
  RingReader in_;
  wire::FrameDecoder decoder_;
  std::mutex mutex_;  // of the writing side
  std::deque<Kept> kept_;
  std::uint64_t frames_ = 0;
  std::atomic<bool> keeping_{false}, lost_{false}, closed_{false};  // closed: by this end
  std::atomic<std::uint64_t> sent_{0};
};

}  // namespace

ShmEnds make_shm_ends(std::size_t ring_bytes) {
  std::array<int, 2> sockets{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) throw io_error_from(errno, "making a connection");
  ShmEnds ends;
  ends.first.socket.reset(sockets[0]);
  ends.second.socket.reset(sockets[1]);
  ends.second.side = 1;
  ends.first.rings.reset(::memfd_create("octavo-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!ends.first.rings || ::ftruncate(ends.first.rings.get(), static_cast<off_t>(control_bytes + 2 * ring_bytes)) != 0)
    throw io_error_from(errno, "making a shared ring of " + format_bytes(static_cast<std::int64_t>(ring_bytes)));
  // Neither end can shrink it under the other (SIGBUS).
  ::fcntl(ends.first.rings.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  ends.second.rings.reset(::fcntl(ends.first.rings.get(), F_DUPFD_CLOEXEC, 0));
  if (!ends.second.rings) throw io_error_from(errno, "making a shared ring");
  return ends;
}

std::shared_ptr<Connection> open_shm(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits) {
  return std::make_shared<ShmConnection>(std::move(end), std::move(peer), keeper, limits);
}

}  // namespace octavo::road
