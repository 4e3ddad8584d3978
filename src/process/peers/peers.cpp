// SPDX-License-Identifier: Apache-2.0
#include "process/peers/peers.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/blocked_signals.hpp"
#include "base/delay_point.hpp"
#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"
#include "process/inquiry/inquiry.hpp"

namespace octavo::detail {

Peers::Peers(Fd control, role mine, std::shared_ptr<ThreadHost> host, MayPart may_part, std::function<void()> each_round)
    : control_(std::move(control)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      role_(mine),
      may_part_(std::move(may_part)),
      each_round_(std::move(each_round)),
      host_(std::move(host)) {
  auto first = control::receive(control_.get());
  const auto* welcome = first ? std::get_if<control::Welcome>(&first->notice) : nullptr;
  if (welcome == nullptr || first->descriptors.size() != 4) throw gone_error("the agent was gone before this process began");
  self_ = welcome->you;
  if (role_ != role::thread) set_delayed_process(self_.address.object);
  named_ = welcome->named;
  bell_ = std::make_unique<road::Doorbell>(road::Doorbell::open(std::move(first->descriptors[0])));
  pool_ = std::make_unique<Pool>(std::move(first->descriptors[1]), welcome->slot);
  board_.emplace(first->descriptors[2]);
  row_.emplace(*board_, welcome->slot);
  locks_ = std::make_shared<LockClient>(first->descriptors[3], welcome->slot, control_.get());
  watch(stop_.get());
  watch(control_.get());
  const BlockedSignals blocked;
  thread_ = start_thread("that listens to the agent", [this] { run(); });
}

Peers::~Peers() {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
  locks_->close();
  if (::getpid() == self_.pid) ::shutdown(control_.get(), SHUT_RDWR);  // a fork of this process may hold it, too, and would hide this end from the agent
}

void Peers::watch(int descriptor) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = descriptor;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) throw io_error_from(errno, "watching a connection");
}

void Peers::run() {
  pthread_setname_np(pthread_self(), "octavo-watch");
  std::array<epoll_event, 16> events{};
  const auto round = host_->patience() / 4;
  for (auto next = road::Clock::now() + round;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - road::Clock::now()).count();
    int n = left > 0 ? ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), static_cast<int>(left)) : 0;
    if (road::Clock::now() >= next) {
      next = road::Clock::now() + round;
      try {
        each_round_();
      } catch (const std::exception& e) {  // the next round tries again
        log_line(std::string("inquiring about calls that wait: ") + e.what());
      }
    }
    for (int i = 0; i < n; ++i) {
      int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == stop_.get()) return;
      if (descriptor == control_.get()) {
        if (!hear()) return lose_agent();
        continue;
      }
      hear_end(descriptor);
    }
  }
}

// What epoll said may be of a connection that was closed since, and the number be another's by now: who holds the connection asks again.
void Peers::hear_end(int descriptor) {
  delay_point("peers: an end came");
  std::lock_guard lock(mutex_);
  auto found = watched_.find(descriptor);
  auto connection = found != watched_.end() ? found->second.lock() : nullptr;
  if (found == watched_.end()) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);  // forgotten before it was watched
  pollfd end{descriptor, POLLIN | POLLRDHUP, 0};
  if (!connection || ::poll(&end, 1, 0) <= 0) return;
  connection->notice_gone();
  watched_.erase(found);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  version_.fetch_add(1, std::memory_order_release);  // a death may have waited for this end
  bell_->ring();
}

// Without its agent an unnamed process has no reason to live (C-7), and nobody to tell. Of an object on a thread, all waiting ends.
void Peers::lose_agent() {
  if (role_ == role::process) ::_exit(0);
  delay_point("peers: the agent is gone");
  std::vector<Answer> told;
  std::unique_lock lock(mutex_);
  orphaned_.store(true, std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
  for (auto at = answers_.begin(); at != answers_.end();) {
    auto& [request, answer] = *at;
    answer.failed = control::Failed{request, error_kind::gone, "the agent of this program is gone", {}, {}};
    answer.there = true;
    const bool is_told = answer.then_locked != nullptr;
    if (is_told) told.push_back(std::move(answer));
    at = is_told ? answers_.erase(at) : std::next(at);
  }
  answered_.notify_all();
  bell_->ring();
  lock.unlock();
  for (const auto& each : told) tell(each);
}

bool Peers::hear() {
  std::optional<control::Received> received;
  try {
    received = control::receive(control_.get());
    if (!received) return false;
    if (auto* notice = std::get_if<control::Connected>(&received->notice)) {
      try {
        connected(*received, *notice);
      } catch (const std::exception& e) {  // the thread that asked for it is told, and does not wait for ever
        if (notice->request == 0) throw;
        answer(notice->request, [&](Answer& a) { a.failed = control::failed(e); });
      }
    } else if (std::holds_alternative<control::Host>(received->notice)) {
      expect_descriptors(*received, 1, "an object on a thread");
      host_->begin(std::move(received->descriptors[0]));
    } else if (std::holds_alternative<control::Rest>(received->notice)) {
      asked_to_rest_.store(true, std::memory_order_release);
      version_.fetch_add(1, std::memory_order_release);
      bell_->ring();
    } else if (auto* part = std::get_if<control::Part>(&received->notice)) {
      control::send(control_.get(), control::Parted{part->request, part_from(part->who)});
    } else if (auto* list = std::get_if<control::NameList>(&received->notice)) {
      answer(list->request, [&](Answer& a) { a.names = list->names; });
    } else if (auto* found = std::get_if<control::MailboxAt>(&received->notice)) {
      answer(found->request, [&](Answer& a) { a.link.facts.address = found->owner; });
    } else if (auto* at = std::get_if<control::LockAt>(&received->notice)) {
      answer(at->request, [&](Answer& a) { a.lock = at->number; });
    } else if (auto* given = std::get_if<control::LockAnswer>(&received->notice)) {
      answer(given->request, [&](Answer& a) { a.lock_answer = *given; });
    } else if (auto* done = std::get_if<control::Done>(&received->notice)) {
      answer(done->request, [](Answer&) {});
    } else if (auto* no = std::get_if<control::Failed>(&received->notice)) {
      answer(no->request, [&](Answer& a) { a.failed = *no; });
    } else if (auto* facts = std::get_if<control::Facts>(&received->notice)) {
      answer(facts->request, [&](Answer& a) { a.facts = facts->facts; });
    } else if (auto* listing = std::get_if<control::Listing>(&received->notice)) {
      answer(listing->request, [&](Answer& a) { a.list = listing->processes; });
    } else if (auto* died = std::get_if<control::Died>(&received->notice)) {
      delay_point("peers: heard of a death");
      std::lock_guard lock(mutex_);
      dead_.insert_or_assign(died->obituary.facts.address, died->obituary);
      deaths_.push_back(died->obituary);
      deaths_wait_.store(true, std::memory_order_release);
      version_.fetch_add(1, std::memory_order_release);
      answered_.notify_all();
      bell_->ring();
    } else {
      throw io_error("its agent says what only processes say (notice " + std::to_string(received->notice.index()) + ")");
    }
  } catch (const std::exception& e) {
    log_line(std::string("process ") + std::to_string(self_.address.object) + ": " + e.what());
  }
  return true;
}

void Peers::watch_deaths(std::span<const Address> who) const {
  constexpr std::size_t at_once = 1000;  // a notice has a bound
  for (; !who.empty(); who = who.subspan(std::min(at_once, who.size()))) {
    auto some = who.first(std::min(at_once, who.size()));
    control::send(control_.get(), control::Watch{{some.begin(), some.end()}});
  }
}

bool Peers::refresh(std::vector<Link>& links, std::uint64_t& version) {
  if (!changed(version)) return false;
  std::lock_guard lock(mutex_);
  version = version_.load(std::memory_order_acquire);
  looked_at_.store(version, std::memory_order_release);
  if (self_.address.lasting()) drop_parted();
  links.clear();
  for (const auto& [peer, link] : links_) links.push_back(link);
  return true;
}

bool Peers::has_asked() const {
  std::lock_guard lock(mutex_);
  return !answers_.empty();
}

std::optional<Peers::Link> Peers::link_if_there(const Address& to, std::int64_t pid) const {
  std::lock_guard lock(mutex_);
  auto [first, last] = links_.equal_range(to);
  auto found = std::find_if(first, last, [pid](const auto& each) { return each.second.facts.pid == pid; });
  return found == last ? std::nullopt : std::optional(found->second);
}

std::vector<Obituary> Peers::take_deaths() {
  if (!deaths_wait_.load(std::memory_order_acquire)) return {};
  std::lock_guard lock(mutex_);
  auto at = std::stable_partition(deaths_.begin(), deaths_.end(), [this](const Obituary& death) { return is_early(death); });
  std::vector<Obituary> now(std::make_move_iterator(at), std::make_move_iterator(deaths_.end()));
  deaths_.erase(at, deaths_.end());
  deaths_wait_.store(!deaths_.empty(), std::memory_order_release);
  return now;
}

bool Peers::is_early(const Obituary& death) const {
  auto [first, last] = links_.equal_range(death.facts.address);
  return std::any_of(first, last, [&](const auto& each) {
    const Link& link = each.second;
    return link.facts.pid == death.facts.pid && (link.route ? link.connection->ready() : !link.connection->gone());
  });
}

bool Peers::death_is_due() const {
  if (!deaths_wait_.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(mutex_);
  return std::any_of(deaths_.begin(), deaths_.end(), [this](const Obituary& death) { return !is_early(death); });
}

void Peers::forget(const ProcessFacts& peer) {
  std::lock_guard lock(mutex_);
  for (auto [at, last] = links_.equal_range(peer.address); at != last;) {
    if (at->second.facts.pid != peer.pid) {
      ++at;
      continue;
    }
    at = drop(at);
  }
  version_.fetch_add(1, std::memory_order_release);
}

void Peers::forget(const Link& lost) {
  std::lock_guard lock(mutex_);
  for (auto [at, last] = links_.equal_range(lost.facts.address); at != last;) at = at->second.connection == lost.connection ? drop(at) : std::next(at);
  version_.fetch_add(1, std::memory_order_release);
}

std::multimap<Address, Peers::Link>::iterator Peers::drop(std::multimap<Address, Link>::iterator at) {
  auto& connection = *at->second.connection;
  closed_bytes_ += connection.bytes_sent();
  if (const int end = connection.watch(); watched_.erase(end) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, end, nullptr);
  connection.notice_gone();  // whoever still has it
  bell_->ring();
  return links_.erase(at);
}

std::optional<Obituary> Peers::obituary_of_forgotten(const ProcessFacts& peer) const {
  std::lock_guard lock(mutex_);
  auto [first, last] = links_.equal_range(peer.address);
  if (std::any_of(first, last, [&](const auto& each) { return each.second.facts.pid == peer.pid; })) return std::nullopt;
  auto found = dead_.find(peer.address);
  return found == dead_.end() || found->second.facts.pid != peer.pid ? std::nullopt : std::optional(found->second);
}

std::optional<Obituary> Peers::obituary_of(const Address& peer) const {
  std::lock_guard lock(mutex_);
  auto found = dead_.find(peer);
  return found == dead_.end() || links_.contains(peer) ? std::nullopt : std::optional(found->second);
}

std::optional<Obituary> Peers::await_obituary(const Address& peer, road::Deadline deadline) {
  std::unique_lock lock(mutex_);
  answered_.wait_until(lock, deadline, [&] { return dead_.contains(peer) || orphaned(); });
  auto found = dead_.find(peer);
  return found == dead_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Peers::bytes_sent() const {
  std::lock_guard lock(mutex_);
  std::uint64_t sum = closed_bytes_;
  for (const auto& [peer, link] : links_) sum += link.connection->bytes_sent();
  return sum;
}

}  // namespace octavo::detail
