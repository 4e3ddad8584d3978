// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <deque>

#include "base/passed_descriptors.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/link.hpp"

namespace octavo::road {

namespace {

constexpr std::size_t most_pieces = 256;  // for one system call
constexpr std::size_t most_sets = 64;     // of descriptors that nobody has taken

// The first pieces, as the kernel wants them.
template <class Piece>
std::size_t fill(std::array<iovec, most_pieces>& vectors, std::span<const Piece> pieces) {
  std::size_t n = 0;
  for (auto piece : pieces.first(std::min(pieces.size(), most_pieces)))
    vectors[n++] = {const_cast<std::byte*>(piece.data()), piece.size()};  // sendmsg does not write to them
  return n;
}

template <class Piece>
std::size_t total(std::span<const Piece> pieces) {
  std::size_t bytes = 0;
  for (auto piece : pieces) bytes += piece.size();
  return bytes;
}

class UnixLink final : public Link {
 public:
  explicit UnixLink(Fd socket) : socket_(std::move(socket)) {}

  std::size_t send(std::span<const ByteView> pieces) override { return send_with(pieces, {}); }
  std::size_t send_with(std::span<const ByteView> pieces, std::span<const int> descriptors) override {
    if (mute_) return 0;
    return each(pieces, true, [&](msghdr& message) {
      PassedDescriptors beside;
      beside.attach(message, descriptors);
      const ssize_t n = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n > 0) descriptors = {};
      return n;
    });
  }

  std::size_t receive(std::span<const ByteSpan> into) override {
    return lost_ ? 0 : each(into, false, [this](msghdr& message) {
      PassedDescriptors beside;
      beside.expect(message);
      const ssize_t n = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (n > 0) keep_descriptors(message);
      return n;
    });
  }

  [[nodiscard]] bool carries_descriptors() const override { return true; }
  [[nodiscard]] std::optional<std::vector<Fd>> take_descriptors() override {
    if (came_with_.empty()) return std::nullopt;
    auto next = std::move(came_with_.front());
    came_with_.pop_front();
    return next;
  }

  [[nodiscard]] int descriptor() const override { return socket_.get(); }
  [[nodiscard]] short events(bool sending) const override { return static_cast<short>(sending && !mute_ ? POLLIN | POLLOUT : POLLIN); }
  [[nodiscard]] bool lost() const override { return lost_; }
  [[nodiscard]] std::string why() const override { return why_; }
  void close() override {
    lose("closed by this side");
    ::shutdown(socket_.get(), SHUT_RDWR);
  }
  [[nodiscard]] std::string_view kind() const override { return "unix"; }

 private:
  // Calls `move` for up to most_pieces pieces at a time until one call does not do all.
  template <class Piece, class Move>
  std::size_t each(std::span<const Piece> pieces, bool sending, Move move) {
    std::size_t done = 0;
    while (!pieces.empty()) {
      std::array<iovec, most_pieces> vectors;
      msghdr message{};
      message.msg_iov = vectors.data();
      message.msg_iovlen = fill(vectors, pieces);
      auto now = pieces.first(message.msg_iovlen);
      std::size_t asked = total(now);
      ssize_t n = asked == 0 ? 0 : move(message);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        failed(errno, sending);
        break;
      }
      if (n == 0 && asked != 0 && !sending) lose("the other side has closed it");
      done += static_cast<std::size_t>(n);
      if (static_cast<std::size_t>(n) < asked) break;
      pieces = pieces.subspan(now.size());
    }
    return done;
  }

  // Of a set that did not come whole nobody could say which are missing.
  void keep_descriptors(msghdr& message) {
    auto came = PassedDescriptors::take(message);
    const bool lost = PassedDescriptors::some_were_lost(message);
    if (came.empty() && !lost) return;
    if (came_with_.size() == most_sets) return lose("it gives descriptors that nobody takes");
    came_with_.push_back(lost ? std::vector<Fd>() : std::move(came));
  }

  void failed(int error, bool sending) {
    if (error == EAGAIN || (sending && error == ETOOMANYREFS)) return;  // of the user's descriptors too many are on their way: until some are received
    bool gone = error == EPIPE || error == ECONNRESET;
    // Lost only when we have received what it sent before: L-5.
    if (sending && gone) mute_ = true;
    else lose(gone ? "the other side is gone" : io_error_from(error, "moving bytes").what());
  }

  void lose(std::string why) {
    if (!lost_) why_ = std::move(why);
    lost_ = mute_ = true;
  }

  Fd socket_;
  bool lost_ = false, mute_ = false;
  std::string why_;
  std::deque<std::vector<Fd>> came_with_;  // not taken yet
};

int option(const Fd& socket, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  if (::getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) != 0) throw io_error_from(errno, "opening a link");
  return value;
}

}  // namespace

std::size_t Link::send_with(std::span<const ByteView> /*pieces*/, std::span<const int> /*descriptors*/) {
  throw usage_error("a " + std::string(kind()) + " link carries no descriptors");
}

std::unique_ptr<Link> open_unix_link(Fd socket) {
  if (option(socket, SO_DOMAIN) != AF_UNIX || option(socket, SO_TYPE) != SOCK_STREAM)
    throw usage_error("opening a link: this is not a Unix stream socket", "Make it with socket(AF_UNIX, SOCK_STREAM, 0) and connect it");
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) throw io_error_from(errno, "asking who is at the other end of a link");
  if (peer.uid == static_cast<uid_t>(-1)) throw usage_error("opening a link: the socket is not connected", "Connect it first");
  if (peer.uid != ::geteuid())
    throw refused("opening a link: the other end belongs to user " + std::to_string(peer.uid) + ", this program to user " + std::to_string(::geteuid()),
                  "Run both agents as one user");
  return std::make_unique<UnixLink>(std::move(socket));
}

}  // namespace octavo::road
