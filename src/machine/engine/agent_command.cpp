// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/agent_command.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/start_thread.hpp"
#include "machine/engine/invitation.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::engine {

namespace {

constexpr int look_again_ms = 100;  // for room in our own output
constexpr int most_end_ms = 5000;

void put(int to, std::string_view text) {
  [[maybe_unused]] auto n = ::write(to, text.data(), text.size());  // it is empty, and takes so little; where it is closed, the command's end says more
}

}  // namespace

AgentCommand::AgentCommand(Launcher& launcher, Plan plan)
    : launcher_(launcher),
      name_(launcher.name()),
      plan_(std::move(plan)),
      until_(road::Clock::now() + plan_.patience),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw io_error_from(errno, "listening to '" + name_ + "'");
  std::vector<std::string> machines;
  for (auto& each : plan_.agents) {
    machines.push_back(each.machine);
    auto& made = *agents_.emplace_back(std::make_unique<State>());
    made.agent = std::move(each);
    made.index = static_cast<std::uint32_t>(agents_.size() - 1);
  }
  run_ = launcher.launch(machines);
  try {
    thread_ = start_thread("that listens to a command", [this] { this->run(); });
  } catch (const error&) {
    ::kill(-run_.pid, SIGKILL);
    spawn::reap(run_.pid);
    throw;
  }
}

AgentCommand::~AgentCommand() { end(); }

void AgentCommand::wake() const {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event_.get(), &one, sizeof one);
}

void AgentCommand::begin(const std::string& machine) {
  for (auto& each : agents_)
    if (each->agent.machine == machine) each->wanted = true;
  wake();
}

void AgentCommand::ask_to_end() {
  if (!thread_.joinable() || ending_) return;
  link_tells_ = std::ranges::any_of(agents_, [](const auto& each) { return each->agent.called(); });
  if (!link_tells_) ::kill(-run_.pid, SIGTERM);  // a login that has not come to its end: nothing of ours runs there
  ending_ = true;
  wake();
}

void AgentCommand::end() {
  if (!thread_.joinable()) return;
  ask_to_end();
  pollfd dead{run_.pidfd.get(), POLLIN, 0};
  if (::poll(&dead, 1, most_end_ms) != 1) ::kill(-run_.pid, SIGKILL);  // it is stopped, or stuck
  thread_.join();
  spawn::reap(run_.pid);
}

void AgentCommand::run() {
  pthread_setname_np(pthread_self(), "octavo-launch");
  put(run_.input.get(), question());
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = listen();
    } catch (const error& e) {
      give_up_all(e.what());
    } catch (const std::exception& e) {
      log_line("who listens to '" + name_ + "': " + e.what());
    }
  }
}

// What there is to hear now; of its last words too, as they say why it ended.
bool AgentCommand::listen() {
  const bool held = !output_.is_free() || !errors_.is_free();
  std::array<pollfd, 4> polls{{{run_.pidfd.get(), POLLIN, 0},
                               {ending_ ? -1 : event_.get(), POLLIN, 0},
                               {output_.is_free() ? run_.output.get() : -1, POLLIN, 0},
                               {errors_.is_free() ? run_.errors.get() : -1, POLLIN, 0}}};
  const int most = most_ms();
  ::poll(polls.data(), polls.size(), held && (most < 0 || most > look_again_ms) ? look_again_ms : most);
  const bool ended = (polls[0].revents & POLLIN) != 0;
  std::uint64_t count = 0;
  if ((polls[1].revents & POLLIN) != 0) [[maybe_unused]]
    auto n = ::read(event_.get(), &count, sizeof count);
  if (ending_ && run_.input) {
    if (link_tells_) put(run_.input.get(), {&ends_in_order, 1});
    run_.input.reset();
  }
  if (polls[3].revents != 0) hear_errors(false);
  if (polls[2].revents != 0) hear_output(false);
  if (ended) {
    hear_the_end();
    return false;
  }
  begin_wanted();
  look_at_clock();
  return true;
}

void AgentCommand::hear_the_end() {
  hear_errors(true);
  hear_output(true);
  if (!line_.empty()) hear(launcher_.labelled(line_));
  give_up_all("the command '" + name_ + "' that ran its agent " + how_it_ended() + said());
  errors_.finish();
  output_.finish();
}

// Nothing more is told to what runs there.
void AgentCommand::give_up(State& agent, const std::string& why) {
  if (std::exchange(agent.at, stage::given_up) == stage::given_up) return;
  has_called_ = has_called_ || agent.agent.called();
  agent.agent.give_up(why);
  if (std::ranges::any_of(agents_, [](const auto& each) { return each->at != stage::given_up; })) return;
  run_.input.reset();
  if (!has_called_) ::kill(-run_.pid, SIGTERM);  // it is not reaped before this thread has ended
}

void AgentCommand::give_up_all(const std::string& why) {
  for (auto& each : agents_) give_up(*each, why);
}

std::string AgentCommand::said() const {
  std::string unread = greeting_;
  if (!invited_)
    for (const auto& [label, heard] : heard_) unread += heard.hearing.rest();
  const auto last = last_lines(!last_errors_.empty() ? last_errors_ : unread);
  return last.empty() ? "" : "; its last lines: " + last;
}

std::string AgentCommand::how_it_ended() const {
  siginfo_t how{};
  if (::waitid(P_PIDFD, static_cast<id_t>(run_.pidfd.get()), &how, WEXITED | WNOWAIT) != 0) return "has ended";
  return how.si_code == CLD_EXITED ? "ended with status " + std::to_string(how.si_status) : "was ended by signal " + std::to_string(how.si_status);
}

}  // namespace octavo::engine
