// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "octavo/base/error.hpp"
#include "road/net/tls/stream/linger.hpp"
#include "road/net/tls/stream/outbox.hpp"
#include "road/net/tls/stream/pieces.hpp"
#include "road/net/tls/stream/session.hpp"

namespace octavo::road::tls {

namespace {

class TlsLink final : public Link {
 public:
  TlsLink(Fd socket, Ssl ssl, const TlsOptions& options, std::uint64_t most_records_of_a_key)
      : socket_(std::move(socket)), session_(std::move(ssl), socket_.get(), outbox_, most_records_of_a_key), silence_(options.silence) {}
  ~TlsLink() override { close(); }

  std::size_t send(std::span<const ByteView> pieces) override {
    Gather from(pieces);
    while (can_send() && from.left() != 0) {
      const std::size_t room = outbox_.room(socket_.get());
      if (room <= record_overhead) break;
      while (from.left() != 0 && outbox_.size() + record_overhead < room)
        session_.write(next_record(from, std::min({from.left(), most_content, room - outbox_.size() - record_overhead})));
    }
    can_send();
    return from.done();
  }

  std::size_t receive(std::span<const ByteSpan> into) override {
    std::size_t given = 0;
    if (!lost_) can_send();  // a caller that only receives moves on what was left, too
    session_.look_again();
    for (auto room : into)
      while (!lost_ && !room.empty()) {
        std::size_t n = 0;
        if (const came what = session_.read(room, n); what != came::bytes) {
          can_send();  // what OpenSSL answers
          end(what);
          return given;
        }
        room = room.subspan(n);
        given += n;
      }
    return given;
  }

  [[nodiscard]] int descriptor() const override { return socket_.get(); }
  [[nodiscard]] short events(bool sending) const override {
    bool wants_room = !mute_ && (sending || outbox_.size() != 0);
    return static_cast<short>(wants_room ? POLLIN | POLLOUT : POLLIN);
  }
  [[nodiscard]] bool lost() const override { return lost_; }
  [[nodiscard]] std::string why() const override { return why_; }
  [[nodiscard]] std::string_view kind() const override { return "tls"; }

  void close() override {
    if (closed_) return;
    closed_ = true;
    std::vector<std::byte> rest;
    if (!mute_) {
      session_.write_close();
      can_send();
      rest.assign(outbox_.bytes().begin(), outbox_.bytes().end());
    }
    lose("closed by this side");
    Fd lasting(::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0)), ended(::eventfd(1, EFD_CLOEXEC));
    if (!lasting || !ended || ::dup3(ended.get(), socket_.get(), O_CLOEXEC) < 0) ::shutdown(socket_.get(), SHUT_RDWR);  // no descriptors left
    else linger(std::move(lasting), std::move(rest), silence_);                                                         // ours is readable from now on: L-4
  }

 private:
  // Whether what was made before is in the kernel, and more can follow.
  bool can_send() {
    if (mute_) return false;
    bool all = outbox_.size() == 0 || outbox_.flush(socket_.get());
    if (outbox_.error() != 0) {
      mute_ = true;  // lost only when what had come is received: L-5, L-6
      broken_ = outbox_.error();
    }
    return all && !mute_;
  }

  // The next n bytes: as they lie, or, of more than one piece, gathered.
  ByteView next_record(Gather& from, std::size_t n) {
    ByteView piece = from.next(n);
    if (piece.size() == n) return piece;
    for (std::size_t at = 0;; piece = from.next(n - at)) {
      std::memcpy(gathered_.data() + at, piece.data(), piece.size());
      at += piece.size();
      if (at == n) return ByteView(gathered_).first(n);
    }
  }

  void end(came what) {
    if (what == came::nothing) return;
    if (what == came::close) lose("the other side has closed it");
    else if (what == came::nonsense) lose(session_.why());
    else if (session_.error() != 0) lose(reason(session_.error()));
    else lose(broken_ != 0 ? reason(broken_) : "the stream broke: it ended without the other side's having closed it, as when its program is killed");
  }
  [[nodiscard]] std::string reason(int error) const {
    std::string name = ::strerrordesc_np(error);
    if (error == EPIPE || error == ECONNRESET) return "the stream broke: the other side is gone (" + name + ")";
    if (error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH)
      return "nothing was confirmed by the other side for " + std::to_string(silence_.count()) +
             " ms: its machine or the network is down, or it receives nothing (" + name + ")";
    return io_error_from(error, "moving bytes").what();
  }

  void lose(std::string why) {
    if (!lost_) why_ = std::move(why);
    lost_ = mute_ = true;
  }

  Fd socket_;
  Outbox outbox_;
  Session session_;
  std::array<std::byte, most_content> gathered_{};  // small pieces become one record
  std::chrono::milliseconds silence_;
  bool lost_ = false, mute_ = false, closed_ = false;
  int broken_ = 0;
  std::string why_;
};

}  // namespace

std::unique_ptr<Link> make_link(Fd socket, Ssl ssl, const TlsOptions& options, std::uint64_t most_records_of_a_key) {
  return std::make_unique<TlsLink>(std::move(socket), std::move(ssl), options, most_records_of_a_key);
}

}  // namespace octavo::road::tls
