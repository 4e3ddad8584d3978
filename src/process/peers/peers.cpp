// SPDX-License-Identifier: Apache-2.0
#include "process/peers/peers.hpp"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "base/start_thread.hpp"
#include "machine/host/descriptor_limit.hpp"
#include "machine/host/process_stat.hpp"
#include "machine/sweeper/mark.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

namespace {

void expect_descriptors(const control::Received& received, std::size_t count, const char* what) {
  if (received.lost_descriptors) throw io_error_from(EMFILE, std::string("taking the descriptors of ") + what);
  if (received.descriptors.size() != count)
    throw io_error(std::string(what) + " came with " + std::to_string(received.descriptors.size()) + " descriptors, not " + std::to_string(count));
}

bool is_alive(std::int64_t pid) {
  const auto stat = stat_of(pid);
  return stat && !stat->ended();
}

}  // namespace

Peers::Peers(Fd control, role mine, std::shared_ptr<ObjectThreads> host)
    : control_(std::move(control)), stop_(::eventfd(0, EFD_CLOEXEC)), role_(mine), host_(std::move(host)), agent_(control_.get()) {
  auto first = control::receive(control_.get());
  const auto* welcome = first ? control::get_if<control::Welcome>(&first->notice) : nullptr;
  if (welcome == nullptr || first->descriptors.size() != 4) throw gone_error("the agent was gone before this process began");
  self_ = welcome->you;
  if (role_ != role::thread) set_delayed_process(self_.address.object);
  if (welcome->mark != sweeper::none && !sweeper::put_on(welcome->mark))
    log_line("processes that the object starts may outlive it: its hard limit of file locks is set");
  named_ = welcome->named;
  bell_ = std::make_unique<road::Doorbell>(road::Doorbell::open(std::move(first->descriptors[0]), {}, welcome->slot));
  pool_ = std::make_shared<Pool>(std::move(first->descriptors[1]), welcome->slot);
  board_.emplace(first->descriptors[2]);
  row_.emplace(*board_, welcome->slot);
  locks_ = std::make_shared<LockClient>(first->descriptors[3], welcome->slot, control_.get());
  auto connect = [this](const Address& to) { return agent_.ask<PeerLink>(control::Connect{0, to}); };
  links_ = std::make_unique<LinkTable>(*bell_, self_.address.lasting(), ends_, std::move(connect), SleepUntil(), is_alive);
  ends_.watch(stop_.get());
  ends_.watch(control_.get());
}

void Peers::listen(DoIfIdle do_if_idle, std::function<void()> each_round, AgentLost agent_lost) {
  do_if_idle_ = std::move(do_if_idle);
  agent_lost_ = std::move(agent_lost);
  each_round_ = std::move(each_round);
  thread_ = start_thread("that listens to the agent", [this] { run(); });
}

void Peers::end_listening() noexcept {
  if (!thread_.joinable()) return;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

Peers::~Peers() {
  end_listening();
  locks_->close();
  if (::getpid() != self_.pid) return;
  // A fork of this process may hold them, too, and would hide this end.
  links_->close_all();
  ::shutdown(control_.get(), SHUT_RDWR);
}

void Peers::run() {
  pthread_setname_np(pthread_self(), "octavo-watch");
  constexpr std::chrono::milliseconds soon{500};  // of those that agents have given up
  const auto round = host_->patience() / 4;
  for (auto next = road::Clock::now() + round;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - road::Clock::now());
    const auto readable = left.count() > 0 ? ends_.wait(links_->reaches_given_up() ? std::min(left, soon) : left) : std::vector<int>();
    links_->look_at_given_up();
    if (road::Clock::now() >= next) {
      next = road::Clock::now() + round;
      try {
        each_round_();
      } catch (const std::exception& e) {  // the next round tries again
        log_line(std::string("inquiring about calls that wait: ") + e.what());
      }
    }
    for (const int descriptor : readable) {
      if (descriptor == stop_.get()) return;
      if (descriptor == control_.get()) {
        if (!hear()) return lose_agent();
        continue;
      }
      delay_point("peers: an end came");
      if (ends_.hear(descriptor)) links_->something_changed();  // a death may have waited for this end
    }
  }
}

// All waiting ends. Without its agent an unnamed process has no reason to live (C-7), and nobody to tell.
void Peers::lose_agent() {
  delay_point("peers: the agent is gone");
  links_->lose_agent();
  agent_.close();
  if (role_ != role::process) return;
  if (agent_lost_) agent_lost_(*row_);
  ::_exit(0);
}

// What the agent says besides answers.
class Peers::Hearer {
 public:
  using FromProcesses = std::variant<control::Spawn, control::Bye, control::Kill, control::List, control::AskFacts, control::Connect, control::Watch,
                                     control::Disconnected, control::Open, control::Ready, control::ConstructFailed, control::Idle, control::Names,
                                     control::Rollback, control::EndLasting, control::Forget, control::MailboxRequest, control::OpenLock, control::LockRequest,
                                     control::LockRecall, control::LockRelease, control::OpenSegment, control::ChannelRequest, control::HomeLockRequest,
                                     control::HomeLockSaid, control::HomeSegmentRequest, control::HomeSegmentLeft>;
  Hearer(Peers& here, control::Received& received) : here_(here), received_(received) {}
  void operator()(const control::Connected& notice) const {
    try {
      const auto link = here_.connect(received_, notice);
      if (notice.request != 0) here_.agent_.connected(notice.request, link);
    } catch (const std::exception& e) {  // the thread that asked for it is told, and does not wait for ever
      if (notice.request == 0) throw;
      here_.agent_.failed(notice.request, e);
    }
  }
  void operator()(const control::Host&) const {
    expect_descriptors(received_, 1, "an object on a thread");
    here_.host_->begin(std::move(received_.descriptors[0]));
  }
  void operator()(const control::Passivate&) const {
    here_.asked_to_passivate_.store(true, std::memory_order_release);
    here_.links_->something_changed();
  }
  // There is to be no call on its way. The next call finds the connection lost, and asks for a new one.
  void operator()(const control::Disconnect& part) const {
    const bool all = here_.do_if_idle_(part.who, [&] { here_.links_->disconnect(part.who); });
    here_.agent_.tell(control::Disconnected{part.request, all});
  }
  void operator()(const control::Died& death) const { here_.links_->died(death.obituary); }
  // Only processes say these; the answers were taken before; and there is one Welcome.
  template <class Other>
    requires control::is_one_of<Other, FromProcesses> || control::is_one_of<Other, AgentClient::Answer> || std::is_same_v<Other, control::Welcome>
  void operator()(const Other&) const { throw io_error("its agent says what only processes say (service " + std::to_string(received_.notice.index()) + ")"); }

 private:
  Peers& here_;
  control::Received& received_;
};

bool Peers::hear() {
  try {
    auto received = control::receive(control_.get());
    if (!received) return false;
    if (!agent_.take(received->notice)) control::visit(Hearer(*this, *received), received->notice);
  } catch (const std::exception& e) {
    log_line(std::string("process ") + std::to_string(self_.address.object) + ": " + e.what());
  }
  return true;
}

std::shared_ptr<road::Connection> Peers::open_road(control::Received& received, const control::Connected& notice) {
  auto& given = received.descriptors;
  expect_descriptors(received, notice.road == road::road_kind::thread ? 1 : notice.road == road::road_kind::shm ? 3 : 4, "a new connection");
  const bool is_remote = notice.road == road::road_kind::net;
  DescriptorLimit::own().make_room(given.back().get());
  auto bell = road::Doorbell::open(std::move(given[0]), is_remote ? std::move(given[3]) : Fd(), is_remote ? 0 : notice.peer_slot);
  if (notice.road == road::road_kind::thread) return host_->meet(notice.meeting, notice.side, *bell_, bell, pool_.get());
  road::ShmEnd end{std::move(given[1]), std::move(given[2]), notice.side, is_remote ? "net" : "shm", !is_remote};
  end.number = notice.number;
  if (is_remote) return road::open_to_relay(std::move(end), std::move(bell), pool_.get(), notice.peer_slot);
  if (notice.number == 0) return road::open_between_pools(std::move(end), std::move(bell), *pool_);
  return road::open_shm(std::move(end), std::move(bell), pool_.get());
}

PeerLink Peers::connect(control::Received& received, const control::Connected& notice) {
  std::optional<wire::PageRoute> route;
  const bool by_value = notice.road == road::road_kind::net || (notice.road == road::road_kind::shm && notice.number == 0);
  if (!by_value) route = {notice.peer_slot, road::way_of(notice.number, notice.side)};
  PeerLink link{notice.peer, route, open_road(received, notice), notice.road == road::road_kind::net};
  delay_point("peers: a connection came");
  links_->enter(link);
  return link;
}

}  // namespace octavo::detail
