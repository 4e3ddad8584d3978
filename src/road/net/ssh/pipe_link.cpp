// SPDX-License-Identifier: Apache-2.0
#include "road/net/ssh/pipe_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "octavo/base/error.hpp"
#include "road/net/watch.hpp"

namespace octavo::road::ssh {

namespace {

constexpr std::size_t most_pieces = 256;  // for one system call
constexpr int most_in_pipe = 1 << 20;     // as much as any user may have

void make_ready(const Fd& end) {
  const int flags = ::fcntl(end.get(), F_GETFL);
  if (flags < 0 || ::fcntl(end.get(), F_SETFL, flags | O_NONBLOCK) < 0) throw io_error_from(errno, "opening a link over a command");
  ::fcntl(end.get(), F_SETPIPE_SZ, most_in_pipe);  // a socket, or a user who has many pipes: it is as it is
}

class PipeLink final : public Link {
 public:
  PipeLink(Fd from, Fd to)
      : from_(std::move(from)), to_(std::move(to)), closed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!closed_ || !poll_) throw io_error_from(errno, "opening a link over a command");
    make_ready(from_);
    make_ready(to_);
    net::watch(poll_, EPOLL_CTL_ADD, from_.get(), EPOLLIN);
    net::watch(poll_, EPOLL_CTL_ADD, closed_.get(), EPOLLIN);
  }

  std::size_t send(std::span<const ByteView> pieces) override {
    if (mute_) return 0;
    bool all = true;
    const std::size_t n = each(pieces, all, [this](const iovec* vectors, int count) { return ::writev(to_.get(), vectors, count); });
    if (n == 0 && !all && errno != EAGAIN) {
      mute_ = true;  // lost when what it sent before is received: L-5
      all = true;
    }
    wait_for_room(!all);
    return n;
  }

  std::size_t receive(std::span<const ByteSpan> into) override {
    if (lost_) return 0;
    bool all = true;
    const std::size_t n = each(into, all, [this](const iovec* vectors, int count) { return ::readv(from_.get(), vectors, count); });
    if (!all && ended_) lose("the other side has closed it");
    else if (!all && errno != EAGAIN) lose(errno == ECONNRESET ? "the other side is gone" : io_error_from(errno, "moving bytes by a command").what());
    return n;
  }

  [[nodiscard]] int descriptor() const override { return poll_.get(); }
  [[nodiscard]] short events(bool /*sending*/) const override { return POLLIN; }  // it looks itself for room
  [[nodiscard]] bool lost() const override { return lost_; }
  [[nodiscard]] std::string why() const override { return why_; }
  void close() override {
    lose("closed by this side");
    const std::uint64_t one = 1;
    [[maybe_unused]] auto n = ::write(closed_.get(), &one, sizeof one);
  }
  [[nodiscard]] std::string_view kind() const override { return "ssh"; }

 private:
  // Calls `move` for up to most_pieces pieces at a time until one call does not do all: then errno says why, or the other side has ended.
  template <class Piece, class Move>
  std::size_t each(std::span<const Piece> pieces, bool& all, Move move) {
    std::size_t done = 0;
    while (!pieces.empty()) {
      std::array<iovec, most_pieces> vectors;
      const auto now = pieces.first(std::min(pieces.size(), most_pieces));
      std::size_t asked = 0, count = 0;
      for (auto piece : now) {
        vectors[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};  // writev does not write to them
        asked += piece.size();
      }
      ssize_t n = 0;
      while (asked != 0 && (n = move(vectors.data(), static_cast<int>(count))) < 0 && errno == EINTR) {}
      ended_ = ended_ || (n == 0 && asked != 0);
      done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
      if (n < static_cast<ssize_t>(asked)) {
        all = false;
        if (n > 0) errno = EAGAIN;
        return done;
      }
      pieces = pieces.subspan(now.size());
    }
    return done;
  }

  void wait_for_room(bool wanted) {
    if (wanted == waits_) return;
    waits_ = wanted;
    if (wanted) net::watch(poll_, EPOLL_CTL_ADD, to_.get(), EPOLLOUT);
    else ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, to_.get(), nullptr);
  }

  // The other side reads what is on the way, and then the end.
  void lose(std::string why) {
    if (lost_) return;
    wait_for_room(false);
    why_ = std::move(why);
    lost_ = mute_ = true;
    from_.reset();
    to_.reset();
  }

  Fd from_, to_, closed_, poll_;
  bool lost_ = false, mute_ = false, waits_ = false, ended_ = false;
  std::string why_;
};

}  // namespace

std::unique_ptr<Link> open_pipe_link(Fd from, Fd to) { return std::make_unique<PipeLink>(std::move(from), std::move(to)); }

}  // namespace octavo::road::ssh
