// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <map>

#include "octavo/base/error.hpp"
#include "road/net/tls/handshake.hpp"
#include "road/net/tls/listener_log.hpp"
#include "road/net/tls/module.hpp"
#include "road/net/tls/tcp.hpp"
#include "road/net/watch.hpp"

namespace octavo::road::tls {

namespace {

constexpr int most_at_once = 64;  // connections taken and handshakes moved by one take()

Fd listening_socket(Address address) {
  if (address.is_any())
    throw usage_error("this would listen on every address of the machine", "Give the one address by which the other machines reach this one");
  Fd socket = tcp_socket(address);
  int one = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);  // an agent that was restarted has its port again
  if (::bind(socket.get(), address.get(), address.size) != 0 || ::listen(socket.get(), SOMAXCONN) != 0) {
    int error = errno;
    auto failed = io_error_from(error, "listening");
    if (error == EADDRINUSE) throw io_error(failed.message(), "Choose another port, or 0; `ss -tlnp` says who has it");
    if (error == EADDRNOTAVAIL) throw io_error(failed.message(), "It is none of this machine's addresses; `ip addr` lists them");
    throw failed;
  }
  return socket;
}

class Listener final : public TlsListener::Core {
 public:
  Listener(Address address, const ClusterKey& key, const TlsListenerOptions& options)
      : options_(options),
        context_(side::serving, key),
        socket_(listening_socket(address)),
        poll_(::epoll_create1(EPOLL_CLOEXEC)),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
        own_(name()),
        log_(own_.text()) {
    if (!poll_ || !timer_) throw io_error_from(errno, "listening");
    net::watch(poll_, EPOLL_CTL_ADD, socket_.get(), EPOLLIN, &socket_);
    net::watch(poll_, EPOLL_CTL_ADD, timer_.get(), EPOLLIN, &timer_);
  }

  [[nodiscard]] std::uint16_t port() const override { return own_.port(); }
  [[nodiscard]] int descriptor() const override { return poll_.get(); }
  [[nodiscard]] std::size_t handshakes() const override { return pending_.size(); }

  std::vector<std::unique_ptr<Link>> take() override {
    std::vector<std::unique_ptr<Link>> links;
    std::array<epoll_event, most_at_once> events;
    int n = std::max(0, ::epoll_wait(poll_.get(), events.data(), most_at_once, 0));
    bool connections = false;
    for (auto& event : std::span(events).first(static_cast<std::size_t>(n))) {
      if (event.data.ptr == &socket_) connections = true;
      else if (event.data.ptr != &timer_) move(*static_cast<Pending*>(event.data.ptr), links);
    }
    if (connections) accept();  // last: to make room it drops others, and their events are above
    expire();
    return links;
  }

 private:
  struct Pending {
    Pending(Fd socket, const Context& context, const Address& address, Deadline end)
        : handshake(std::move(socket), context), peer(address.text()), host(address.host()), deadline(end) {}
    Handshake handshake;
    std::string peer, host;
    Deadline deadline;
    bool writes = false;
    std::list<Pending>::iterator self;
  };

  [[nodiscard]] Address name() const {
    Address own;
    if (::getsockname(socket_.get(), own.get(), &own.size) != 0) throw io_error_from(errno, "listening");
    return own;
  }

  void move(Pending& pending, std::vector<std::unique_ptr<Link>>& links) {
    try {
      auto now = pending.handshake.step();
      if (now == progress::failed) return drop(pending, reason(pending.handshake));
      if (now == progress::done) {
        ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, pending.handshake.descriptor(), nullptr);
        links.push_back(pending.handshake.link(options_.links));
        pending_.erase(pending.self);
      } else if (pending.writes != (now == progress::writes)) {
        pending.writes = !pending.writes;
        net::watch(poll_, EPOLL_CTL_MOD, pending.handshake.descriptor(), pending.writes ? EPOLLOUT : EPOLLIN, &pending);
      }
    } catch (const error& failure) {  // out of memory or descriptors: this one's loss only
      drop(pending, failure.what());
    }
  }

  [[nodiscard]] std::string reason(const Handshake& handshake) const {
    return handshake.error() != 0 ? handshake.why() : "it has not proven the key " + context_.key().identity() + " (" + handshake.why() + ")";
  }

  void drop(Pending& pending, const std::string& why) {
    log_.say("dropped " + pending.peer + ": " + why);
    pending_.erase(pending.self);
  }

  void accept() {
    for (int i = 0; i < most_at_once; ++i) {
      Address peer;
      Fd socket(::accept4(socket_.get(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket) {
        add(std::move(socket), peer);
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        return suspend(errno);
      } else if (errno == EAGAIN) {
        return;
      }  // others are of a connection that ended meanwhile
    }
  }

  void add(Fd socket, const Address& peer) {
    bool added = false;
    try {
      tune(socket.get(), options_.links.silence);
      if (pending_.size() >= options_.most_handshakes) make_room(peer.host());
      auto& newcomer = pending_.emplace_back(std::move(socket), context_, peer, Clock::now() + options_.handshake);
      newcomer.self = std::prev(pending_.end());
      added = true;
      net::watch(poll_, EPOLL_CTL_ADD, newcomer.handshake.descriptor(), EPOLLIN, &newcomer);
    } catch (const error& failure) {
      log_.say("dropped " + peer.text() + ": " + failure.what());
      if (added) pending_.pop_back();
    }
  }

  // The address with most handshakes under way loses its oldest: a flood from one address drowns itself.
  void make_room(const std::string& newcomer) {
    std::map<std::string, std::size_t> count;
    ++count[newcomer];
    for (const auto& each : pending_) ++count[each.host];
    auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    auto oldest = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& each) { return each.host == most->first; });
    drop(oldest != pending_.end() ? *oldest : pending_.front(), "too many handshakes are under way, and most are this address's");
  }

  // No descriptors or memory for another connection. It waits in the kernel, and the listener does not poll for a moment: the socket would stay readable.
  void suspend(int error) {
    log_.say(std::string("waits: ") + io_error_from(error, "taking a connection").what());
    net::watch(poll_, EPOLL_CTL_MOD, socket_.get(), 0, &socket_);
    resume_ = Clock::now() + std::chrono::milliseconds(100);
  }

  void expire() {
    auto now = Clock::now();
    while (!pending_.empty() && pending_.front().deadline <= now) drop(pending_.front(), "its handshake has taken too long");
    if (resume_ <= now) {
      resume_ = never;
      net::watch(poll_, EPOLL_CTL_MOD, socket_.get(), EPOLLIN, &socket_);
    }
    auto next = std::min(resume_, pending_.empty() ? never : pending_.front().deadline);
    itimerspec setting{};  // nothing: disarmed
    if (next != never) {
      auto left = std::max<std::chrono::nanoseconds>(next - now, std::chrono::nanoseconds(1));
      auto seconds = std::chrono::floor<std::chrono::seconds>(left);
      setting.it_value = {seconds.count(), (left - seconds).count()};
    }
    if (next != armed_ || next <= now) ::timerfd_settime(timer_.get(), 0, &setting, nullptr);
    armed_ = next;
  }

  TlsListenerOptions options_;
  Context context_;
  Fd socket_, poll_, timer_;
  Address own_;
  ListenerLog log_;
  std::list<Pending> pending_;  // in the order of their deadlines
  Deadline resume_ = never, armed_ = never;
};

}  // namespace

std::unique_ptr<TlsListener::Core> listen(const std::string& address, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options) {
  check_silence(options.links.silence);
  if (options.most_handshakes == 0 || options.handshake <= std::chrono::milliseconds(0))
    throw usage_error("a listener without time or room for a handshake", "Allow at least one, and some seconds");
  return std::make_unique<Listener>(numeric_address(address, port), key, options);
}

}  // namespace octavo::road::tls
