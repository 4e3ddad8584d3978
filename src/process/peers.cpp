// SPDX-License-Identifier: Apache-2.0
#include "process/peers.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

Peers::Peers(Fd control) : control_(std::move(control)), epoll_(::epoll_create1(EPOLL_CLOEXEC)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  auto first = control::receive(control_.get());
  const auto* welcome = first ? std::get_if<control::Welcome>(&first->notice) : nullptr;
  if (welcome == nullptr || first->descriptors.size() != 2) throw gone_error("the agent was gone before this process began");
  self_ = welcome->you;
  bell_ = std::make_unique<road::Doorbell>(road::Doorbell::open(std::move(first->descriptors[0])));
  pool_ = std::make_unique<Pool>(std::move(first->descriptors[1]), welcome->slot);
  watch(stop_.get());
  watch(control_.get());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Peers::~Peers() {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
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
  for (;;) {
    int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < n; ++i) {
      int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == stop_.get()) return;
      if (descriptor == control_.get()) {
        // Without its agent an unnamed process has no reason to live (C-7), and nobody to tell.
        if (!hear()) {
          if (self_.address.object != 1) ::_exit(0);
          return;
        }
        continue;
      }
      std::lock_guard lock(mutex_);
      if (auto connection = watched_[descriptor].lock()) connection->notice_gone();
      watched_.erase(descriptor);
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
      bell_->ring();
    }
  }
}

bool Peers::hear() {
  std::optional<control::Received> received;
  try {
    received = control::receive(control_.get());
    if (!received) return false;
    if (auto* notice = std::get_if<control::Connected>(&received->notice)) {
      connected(*received, *notice);
    } else if (auto* no = std::get_if<control::Failed>(&received->notice)) {
      answer(no->request, [&](Answer& a) { a.failed = *no; });
    } else if (auto* listing = std::get_if<control::Listing>(&received->notice)) {
      answer(listing->request, [&](Answer& a) { a.list = listing->processes; });
    } else if (auto* died = std::get_if<control::Died>(&received->notice)) {
      std::lock_guard lock(mutex_);
      dead_.emplace(died->obituary.facts.address.object, died->obituary);
      deaths_.push_back(died->obituary);
      version_.fetch_add(1, std::memory_order_release);
      answered_.notify_all();
      bell_->ring();
    }
  } catch (const std::exception& e) {
    log_line(std::string("process ") + std::to_string(self_.address.object) + ": " + e.what());
  }
  return true;
}

void Peers::connected(control::Received& received, const control::Connected& notice) {
  if (received.descriptors.size() != 3) throw io_error("a new connection came without its descriptors");
  road::ShmEnd end{std::move(received.descriptors[0]), std::move(received.descriptors[1]), notice.side};
  Link link{notice.peer, notice.peer_slot, road::open_shm(std::move(end), road::Doorbell::open(std::move(received.descriptors[2])), pool_.get())};
  {
    std::lock_guard lock(mutex_);
    links_.emplace(notice.peer.address.object, link);
    watched_[link.connection->watch()] = link.connection;
    version_.fetch_add(1, std::memory_order_release);
  }
  watch(link.connection->watch());
  if (notice.request != 0) answer(notice.request, [&](Answer& a) { a.link = link; });
  bell_->ring();
}

void Peers::answer(std::uint64_t request, const std::function<void(Answer&)>& fill) {
  std::lock_guard lock(mutex_);
  auto found = answers_.find(request);
  if (found == answers_.end()) return;
  fill(found->second);
  found->second.there = true;
  answered_.notify_all();
}

template <class Wish>
Peers::Answer Peers::ask(Wish wish) {
  std::unique_lock lock(mutex_);
  wish.request = next_request_++;
  answers_[wish.request];
  lock.unlock();
  if (!control::send(control_.get(), wish)) throw gone_error("the agent of this program is gone");
  lock.lock();
  answered_.wait(lock, [&] { return answers_[wish.request].there; });
  Answer answer = std::move(answers_[wish.request]);
  answers_.erase(wish.request);
  lock.unlock();
  if (!answer.failed) return answer;
  if (answer.failed->obituary) throw process_died(*answer.failed->obituary);
  throw gone_error(answer.failed->message, answer.failed->cure);
}

Peers::Link Peers::link_to(const Address& to) {
  if (!to) throw usage_error("a call through a remote pointer that points nowhere", "Make it with machine.make<Class>(...) first");
  {
    std::lock_guard lock(mutex_);
    auto dead = dead_.find(to.object);
    if (dead != dead_.end() && dead->second.facts.address == to) throw process_died(dead->second);
    auto found = links_.lower_bound(to.object);
    if (found != links_.end() && found->first == to.object && found->second.facts.address == to) return found->second;
  }
  return ask(control::Connect{0, to}).link;
}

Peers::Link Peers::spawn(const std::vector<std::string>& command, std::string_view class_name) {
  return ask(control::Spawn{0, command, std::string(class_name)}).link;
}
std::vector<ProcessFacts> Peers::list() { return ask(control::List{}).list; }
void Peers::kill(const Address& who, int signal) const { control::send(control_.get(), control::Kill{who, signal}); }
void Peers::say_bye() const { control::send(control_.get(), control::Bye{}); }

bool Peers::refresh(std::vector<Link>& links, std::uint64_t& version) {
  if (!changed(version)) return false;
  std::lock_guard lock(mutex_);
  version = version_.load(std::memory_order_acquire);
  links.clear();
  for (const auto& [object, link] : links_) links.push_back(link);
  return true;
}

std::vector<Obituary> Peers::take_deaths() {
  std::lock_guard lock(mutex_);
  return std::exchange(deaths_, {});
}

void Peers::forget(std::uint64_t object) {
  std::lock_guard lock(mutex_);
  auto [first, last] = links_.equal_range(object);
  for (auto at = first; at != last; ++at) {
    closed_bytes_ += at->second.connection->bytes_sent();
    watched_.erase(at->second.connection->watch());
  }
  links_.erase(first, last);
  version_.fetch_add(1, std::memory_order_release);
}

std::optional<Obituary> Peers::obituary_of(std::uint64_t object) const {
  std::lock_guard lock(mutex_);
  auto found = dead_.find(object);
  return found == dead_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Obituary> Peers::await_obituary(std::uint64_t object, road::Deadline deadline) {
  std::unique_lock lock(mutex_);
  answered_.wait_until(lock, deadline, [&] { return dead_.contains(object); });
  auto found = dead_.find(object);
  return found == dead_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Peers::bytes_sent() const {
  std::lock_guard lock(mutex_);
  std::uint64_t sum = closed_bytes_;
  for (const auto& [object, link] : links_) sum += link.connection->bytes_sent();
  return sum;
}

}  // namespace octavo::detail
