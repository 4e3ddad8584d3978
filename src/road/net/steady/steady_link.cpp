// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/steady_link.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>

#include <bit>
#include <cerrno>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/doorbell.hpp"
#include "road/net/steady/carrier_session.hpp"
#include "road/net/steady/dialer.hpp"
#include "road/net/watch.hpp"

namespace octavo::road {

namespace {

using steady::CarrierSession;
using steady::Stream;

constexpr std::size_t least_kept = 1 << 20;      // twice what is received between two confirmations
constexpr std::uint64_t most_ahead = 256 << 10;  // of what a carrier has no room for: more would only age here
constexpr auto linger_patience = std::chrono::seconds(10);

std::size_t checked(std::size_t most_kept) {
  if (most_kept < least_kept || !std::has_single_bit(most_kept))
    throw usage_error("a steady link keeps " + std::to_string(most_kept) + " bytes", "Take a power of two from 1 MiB on");
  return most_kept;
}

}  // namespace

Session Session::make() {
  Session made;
  if (::getrandom(made.id.data(), made.id.size(), 0) != static_cast<ssize_t>(made.id.size())) throw io_error_from(errno, "asking for random numbers");
  return made;
}

class SteadyLink::Core {
 public:
  Core(const Session& session, Dial dial, const SteadyOptions& options)
      : carriers_(std::make_shared<Carriers>()),
        poll_(::epoll_create1(EPOLL_CLOEXEC)),
        again_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        stream_(std::make_unique<Stream>(session, checked(options.most_kept))),
        dialer_(std::move(dial), carriers_) {
    if (!poll_ || !again_) throw io_error_from(errno, "making a steady link");
    net::watch(poll_, EPOLL_CTL_ADD, carriers_->event(), EPOLLIN);
    net::watch(poll_, EPOLL_CTL_ADD, again_.get(), EPOLLIN);
    if (dialer_) dialer_.dial();
  }

  // `owners`: none, or as many as pieces.
  std::size_t send(std::span<const ByteView> pieces, std::span<const Link::Owner> owners) {
    take_carriers();
    std::size_t taken = 0, unsent = 0;  // whole segments go at once, and the rest together
    bool full = false;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      for (ByteView piece = pieces[i]; !piece.empty() && !full && !lost_;) {
        std::size_t most = std::min<std::size_t>(piece.size(), steady::most_segment_bytes - unsent);
        std::size_t n = stream_->ours.put(piece.first(most), owners.empty() ? nullptr : owners[i]);
        piece = piece.subspan(n);
        taken += n;
        unsent += n;
        if (n != 0 && unsent < steady::most_segment_bytes) continue;
        unsent = 0;
        bool flows = flush();
        full = n == 0 ? !make_room() : !flows && !has_room();
      }
    if (unsent != 0) flush();
    wants_room_ = full;
    return taken;
  }

  std::size_t receive(std::span<const ByteSpan> into) {
    take_carriers();
    if (lost_) return 0;
    clear(again_);
    if (!carrier_) return 0;
    std::size_t asked = 0, n = 0;
    for (auto room : into) asked += room.size();
    guarded([&] { n = carrier_->receive(into); });
    flush();
    if (wants_room_ && !lost_ && has_room()) wake();  // until send() is tried again (L-4)
    if (n == asked || lost_) return n;
    if (stream_->ended) lose("the other side has closed it");
    else if (carrier_ && carrier_->link().lost()) broke();
    else if (failed_) lose(no_more_);
    return n;
  }

  // Nothing follows. True: the other side has all, or is known not to come for it.
  bool finish() {
    take_carriers();
    stream_->closed = true;
    flush();
    return over();
  }
  [[nodiscard]] bool over() const { return lost_ || (carrier_ && carrier_->told_all()) || (!no_more_.empty() && !carrier_); }

  // What was taken before the end still goes (L-5), over new carriers too, as long as it makes sense.
  void linger() {
    std::array<std::byte, 4096> unwanted;
    ByteSpan room = unwanted;
    lingers_ = true;
    dialer_.stop();  // this thread dials: it may be the last of the program, which ends without asking
    for (auto deadline = Clock::now() + linger_patience; Clock::now() < deadline;) {
      while (receive(std::span(&room, 1)) != 0) {}
      if (over()) return;
      if (!carrier_ && dialer_) dialer_.try_once();
      pollfd poll{poll_.get(), POLLIN, 0};
      ::poll(&poll, 1, 100);
    }
  }

  void lose(const std::string& why) {
    if (lost_) return;
    lost_ = true;
    why_ = why;
    wake();
    if (carrier_) carrier_->link().close();
    drop();
    stream_->ours.drop();
  }
  // The owners of what was lent may end: from here on nothing is looked at but what is ours.
  void own() { stream_->ours.own(); }

  [[nodiscard]] const std::shared_ptr<Carriers>& carriers() const noexcept { return carriers_; }
  [[nodiscard]] int descriptor() const noexcept { return poll_.get(); }
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  [[nodiscard]] bool awaited() const noexcept { return !begun_ && !lost_; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  std::shared_ptr<Carriers> carriers_;
  Fd poll_;
  bool lost_ = false, begun_ = false;
  std::string why_;

  static void clear(const Fd& event) {
    std::uint64_t count = 0;
    [[maybe_unused]] auto n = ::read(event.get(), &count, sizeof count);
  }
  void wake() const {
    std::uint64_t one = 1;
    [[maybe_unused]] auto n = ::write(again_.get(), &one, sizeof one);
  }

  // What a carrier says may be nonsense: then the link is lost.
  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (const error& e) {
      lose(e.what());
    }
  }

  // Takes what other threads have brought.
  void take_carriers() {
    if (lost_) return;
    auto taken = carriers_->take();
    no_more_ = std::move(taken.no_more);
    failed_ = taken.failed;
    for (auto& carrier : taken.came) adopt(std::move(carrier));
    if (!no_more_.empty() && !carrier_) lose(no_more_);
    else if (failed_) wake();  // until all that has come is received
  }

  void adopt(Carriers::Carrier carrier) {
    auto fresh = [&]() -> std::unique_ptr<CarrierSession> {
      try {
        return std::make_unique<CarrierSession>(std::move(carrier.link), *stream_, carrier.theirs);
      } catch (const refused&) {  // it is not ours: the one there is remains
        return nullptr;
      }
    }();
    if (fresh == nullptr) return;
    drop();
    carrier_ = std::move(fresh);
    begun_ = true;
    watched_ = carrier_->link().events(false);
    net::watch(poll_, EPOLL_CTL_ADD, carrier_->link().descriptor(), static_cast<std::uint32_t>(watched_));
    wake();  // it may hold bytes already, of which its descriptor says nothing
    flush();
  }

  void drop() {
    if (!carrier_) return;
    ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, carrier_->link().descriptor(), nullptr);
    carrier_.reset();
  }

  // The carrier has ended, and all that came by it was received.
  void broke() {
    drop();
    if (!no_more_.empty()) lose(no_more_);
    else if (dialer_ && !lingers_) dialer_.dial();
  }

  // False: the carrier has no room for all of it.
  bool flush() {
    if (!carrier_ || lost_) return false;
    bool all = false;
    guarded([&] { all = carrier_->flush(); });
    if (!carrier_) return false;
    short events = carrier_->link().events(!all);
    if (events != watched_) net::watch(poll_, EPOLL_CTL_MOD, carrier_->link().descriptor(), static_cast<std::uint32_t>(events));
    watched_ = events;
    return all;
  }

  [[nodiscard]] bool has_room() const { return stream_->ours.room() != 0 && !(carrier_ && carrier_->ahead() >= most_ahead); }

  // Confirmations make it. If bytes for the user lie before them, the user has to receive first.
  bool make_room() {
    if (carrier_)
      guarded([&] {
        if (carrier_->read_heads()) wake();
      });
    return !lost_ && stream_->ours.room() != 0;
  }

  Fd again_;  // readable: the user should come again, though no carrier says so
  bool wants_room_ = false, lingers_ = false;
  bool failed_ = false;  // the carrier there is does not count any more
  std::string no_more_;  // why there will be no other carrier; empty: there may be
  short watched_ = 0;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<CarrierSession> carrier_;
  steady::Dialer dialer_;
};

SteadyLink::SteadyLink(const Session& session, Dial dial, const SteadyOptions& options)
    : core_(std::make_unique<Core>(session, std::move(dial), options)),
      carriers_(core_->carriers()),
      closed_(::eventfd(1, EFD_CLOEXEC)),
      least_silence_(options.least_silence) {
  if (!closed_) throw io_error_from(errno, "making a steady link");
}
SteadyLink::~SteadyLink() { close(); }

void SteadyLink::close() {
  if (!core_ || core_->lost()) return;
  if (core_->finish()) return core_->lose("closed by this side");
  core_->own();
  start_detached("octavo-linger", [core = std::move(core_)] { core->linger(); });
}

std::shared_ptr<Carriers> SteadyLink::carriers() const { return carriers_; }
std::size_t SteadyLink::send(std::span<const ByteView> pieces) { return core_ ? core_->send(pieces, {}) : 0; }
std::size_t SteadyLink::send_lent(std::span<const ByteView> pieces, std::span<const Owner> owners) { return core_ ? core_->send(pieces, owners) : 0; }
std::size_t SteadyLink::receive(std::span<const ByteSpan> into) { return core_ ? core_->receive(into) : 0; }
int SteadyLink::descriptor() const { return core_ ? core_->descriptor() : closed_.get(); }
short SteadyLink::events(bool /*sending*/) const { return POLLIN; }  // it looks itself for what its carrier waits for
bool SteadyLink::lost() const { return !core_ || core_->lost(); }
std::string SteadyLink::why() const { return core_ ? core_->why() : "closed by this side"; }
bool SteadyLink::awaited() const { return core_ && core_->awaited(); }

}  // namespace octavo::road
