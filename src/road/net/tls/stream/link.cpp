// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/link.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "octavo/base/error.hpp"
#include "road/net/tls/stream/inbox.hpp"
#include "road/net/tls/stream/linger.hpp"
#include "road/net/tls/stream/outbox.hpp"

namespace octavo::road::tls {

namespace {

constexpr std::size_t least_direct = 1024;  // of data, into the caller's memory. Alerts and key updates are shorter

class TlsLink final : public Link {
 public:
  TlsLink(Fd socket, const Secrets& secrets, const TlsOptions& options, const KeyLimits& limits)
      : socket_(std::move(socket)), sealer_(secrets.ours), opener_(secrets.theirs), silence_(options.silence), limits_(limits) {}
  ~TlsLink() override { close(); }

  std::size_t send(std::span<const ByteView> pieces) override {
    Gather from(pieces);
    while (can_send() && from.left() != 0) {
      std::size_t room = outbox_.room(socket_.get());
      if (room <= record_overhead) break;
      seal(from, room);
      if (!can_send()) break;
    }
    return from.done();
  }

  std::size_t receive(std::span<const ByteSpan> into) override {
    Scatter to(into);
    if (!lost_) can_send();  // a caller that only receives moves on what was left, too
    bool asked = false;
    while (!lost_) {
      take_ready(to);
      while (!lost_ && to.left() != 0 && open_next(to)) {}
      if (lost_ || to.left() == 0 || (asked && inbox_.drained())) break;
      asked = true;
      if (!inbox_.fill(socket_.get())) {
        judge();
        break;
      }
    }
    return to.done();
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
      alert(0);
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

  // Records of the next bytes, as many as there is room for.
  void seal(Gather& from, std::size_t room) {
    if (sealer_.records() >= limits_.most_records) update_keys();
    std::size_t begin = outbox_.size();
    while (from.left() != 0 && outbox_.size() - begin + record_overhead < room) {
      std::size_t n = std::min({from.left(), most_content, room - (outbox_.size() - begin) - record_overhead});
      outbox_.put(sealer_.seal(content::data, from, n, outbox_.end()));
    }
  }

  void seal_small(content type, ByteView bytes) {
    Gather from(std::span(&bytes, 1));
    outbox_.put(sealer_.seal(type, from, bytes.size(), outbox_.end()));
  }
  void alert(unsigned char what) {
    std::array bytes{static_cast<std::byte>(what == 0 ? 1 : 2), static_cast<std::byte>(what)};
    seal_small(content::alert, bytes);
  }
  void update_keys() {
    static constexpr std::array message{std::byte{24}, std::byte{0}, std::byte{0}, std::byte{1}, std::byte{0}};
    seal_small(content::handshake, message);
    sealer_.next_keys();
  }

  // What a record had more than there was room for.
  void take_ready(Scatter& to) {
    while (ready_begin_ < ready_.size() && to.left() != 0) {
      auto piece = to.next(ready_.size() - ready_begin_);
      std::memcpy(piece.data(), ready_.data() + ready_begin_, piece.size());
      ready_begin_ += piece.size();
    }
  }

  // False when no whole record is here.
  bool open_next(Scatter& to) {
    auto bytes = inbox_.bytes();
    if (bytes.size() < header_bytes) return false;
    std::size_t size = record_bytes(bytes);
    if (size == 0) return violated("what came is no record", 10);
    if (bytes.size() < size) return false;
    auto record = bytes.first(size);
    std::size_t n = size - record_overhead;
    content type{};
    const auto before = to;
    bool direct = n >= least_direct && n <= to.left(), proven = false;
    if (direct) {
      proven = opener_.open(record, to, type);
    } else {
      ready_.resize(n);
      ready_begin_ = 0;
      ByteSpan room = ready_;
      Scatter whole(std::span<const ByteSpan>(&room, 1));
      proven = opener_.open(record, whole, type);
    }
    inbox_.drop(size);
    if (!proven) return violated("a record was altered on the way, or is not the other side's", 20);
    if (type == content::data) {
      if (!direct) take_ready(to);
      return true;
    }
    to = before;
    if (direct) return violated("a record is of a kind that has no place here", 10);
    obey(type);
    ready_.clear();
    return !lost_;
  }

  // What is said about the connection itself.
  void obey(content type) {
    auto at = [&](std::size_t i) { return static_cast<unsigned>(ready_[i]); };
    if (type == content::alert && ready_.size() == 2) {
      if (at(1) == 0) lose("the other side has closed it");
      else lose("the other side refuses what came (TLS alert " + std::to_string(at(1)) + ")");
    } else if (type == content::handshake && ready_.size() == 5 && at(0) == 24 && at(1) + at(2) == 0 && at(3) == 1 && at(4) <= 1) {
      if (opener_.records() < limits_.least_records) violated("the other side changes its keys too often", 10);
      else opener_.next_keys();
      if (at(4) == 1 && can_send()) {
        update_keys();
        can_send();
      }
    } else {
      violated("a record is of a kind that has no place here", 10);
    }
  }

  // Nothing was received: silence, or the end?
  void judge() {
    if (inbox_.ended())
      lose(broken_ != 0 ? reason(broken_) : "the stream broke: it ended without the other side's having closed it, as when its program is killed");
    else if (inbox_.error() != 0) lose(reason(inbox_.error()));
  }
  [[nodiscard]] std::string reason(int error) const {
    std::string name = ::strerrordesc_np(error);
    if (error == EPIPE || error == ECONNRESET) return "the stream broke: the other side is gone (" + name + ")";
    if (error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH)
      return "nothing was confirmed by the other side for " + std::to_string(silence_.count()) +
             " ms: its machine or the network is down, or it receives nothing (" + name + ")";
    return io_error_from(error, "moving bytes").what();
  }

  bool violated(const char* how, unsigned char description) {
    if (can_send()) {
      alert(description);
      can_send();
    }
    lose(how);
    return false;
  }

  void lose(std::string why) {
    if (!lost_) why_ = std::move(why);
    lost_ = mute_ = true;
  }

  Fd socket_;
  Sealer sealer_;
  Opener opener_;
  Outbox outbox_;
  Inbox inbox_;
  std::vector<std::byte> ready_;
  std::size_t ready_begin_ = 0;
  std::chrono::milliseconds silence_;
  KeyLimits limits_;
  bool lost_ = false, mute_ = false, closed_ = false;
  int broken_ = 0;
  std::string why_;
};

}  // namespace

std::unique_ptr<Link> make_link(Fd socket, const Secrets& secrets, const TlsOptions& options, const KeyLimits& limits) {
  return std::make_unique<TlsLink>(std::move(socket), secrets, options, limits);
}

}  // namespace octavo::road::tls
