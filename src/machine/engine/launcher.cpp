// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/launcher.hpp"

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

Launcher::Launcher(spawn::Command run, Plan plan)
    : run_(std::move(run)),
      plan_(std::move(plan)),
      until_(road::Clock::now() + plan_.patience),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      hearing_(plan_.command) {
  try {
    if (!event_) throw io_error_from(errno, "listening to '" + plan_.command + "'");
    thread_ = start_thread("that listens to a command", [this] { this->run(); });
  } catch (const error&) {
    ::kill(-run_.pid, SIGKILL);
    spawn::reap(run_.pid);
    throw;
  }
}

Launcher::~Launcher() { end(); }

void Launcher::ask_to_end() {
  if (!thread_.joinable() || ending_) return;
  link_tells_ = plan_.called();
  if (!link_tells_) ::kill(-run_.pid, SIGTERM);  // a login that has not come to its end: nothing of ours runs there
  ending_ = true;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event_.get(), &one, sizeof one);
}

void Launcher::end() {
  if (!thread_.joinable()) return;
  ask_to_end();
  pollfd dead{run_.pidfd.get(), POLLIN, 0};
  if (::poll(&dead, 1, most_end_ms) != 1) ::kill(-run_.pid, SIGKILL);  // it is stopped, or stuck
  thread_.join();
  spawn::reap(run_.pid);
}

void Launcher::run() {
  pthread_setname_np(pthread_self(), "octavo-launch");
  put(run_.input.get(), question());
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = listen();
    } catch (const error& e) {
      give_up(e.what());
    } catch (const std::exception& e) {
      log_line("who listens to '" + plan_.command + "': " + e.what());
    }
  }
}

// What there is to hear now; of its last words too, as they say why it ended.
bool Launcher::listen() {
  const bool held = !output_.is_free() || !errors_.is_free();
  std::array<pollfd, 4> polls{{{run_.pidfd.get(), POLLIN, 0},
                               {ending_ ? -1 : event_.get(), POLLIN, 0},
                               {output_.is_free() ? run_.output.get() : -1, POLLIN, 0},
                               {errors_.is_free() ? run_.errors.get() : -1, POLLIN, 0}}};
  const int most = most_ms();
  ::poll(polls.data(), polls.size(), held && (most < 0 || most > look_again_ms) ? look_again_ms : most);
  const bool ended = (polls[0].revents & POLLIN) != 0;
  if (ending_ && run_.input) {
    if (link_tells_) put(run_.input.get(), {&ends_in_order, 1});
    run_.input.reset();
  }
  if (run_.errors && polls[3].revents != 0 && !error_lines_.pass_on(run_.errors.get(), errors_)) run_.errors.reset();
  if (polls[2].revents != 0) hear_output(false);
  if (!ended) look_at_clock();
  else hear_the_end();
  return !ended;
}

void Launcher::hear_the_end() {
  if (run_.errors) error_lines_.pass_on_last(run_.errors.get(), errors_);
  hear_output(true);
  give_up("the command '" + plan_.command + "' that ran its agent " + how_it_ended() + said());
  errors_.finish();
  output_.finish();
}

void Launcher::hear_output(bool all) {
  std::array<char, 4096> text{};
  while (run_.output && (all || output_.is_free())) {
    const ssize_t n = ::read(run_.output.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return run_.output.reset();
    hear({text.data(), static_cast<std::size_t>(n)});
  }
}

// Before the agent's line it is what a login says, and not for our output; behind it, what objects print.
void Launcher::hear(std::string_view text) {
  if (stage_ == stage::invited || stage_ == stage::called) return output_.put(text);
  if (stage_ == stage::given_up) return;
  const bool is_agent = hearing_.take(text, [this](const std::string& line) {
    greeting_ += line + "\n";
    errors_.put(last_lines(line) + "\n");
  });
  if (!is_agent) return;
  stage_ = stage::invited;
  try {
    plan_.invite(run_.input.get());
  } catch (const io_error&) {  // it has ended already: its status says more
  }
  output_.put(hearing_.rest());
}

void Launcher::look_at_clock() {
  if (stage_ == stage::called || stage_ == stage::given_up || road::Clock::now() < until_) return;
  if (plan_.called()) {
    stage_ = stage::called;
    return;
  }
  const std::string within = " within " + std::to_string(plan_.patience.count()) + " ms";
  if (stage_ == stage::invited)
    return give_up("its agent did not call back at " + plan_.place + within + said() +
                   ". Check that this is an address of this machine by which that one reaches it, and that no firewall is between");
  give_up("the command '" + plan_.command + "' ran no agent" + within + said() + ". Check the agent's program; where a login takes longer, raise `patience`");
}

// Nothing more is told to what runs there.
void Launcher::give_up(const std::string& why) {
  if (std::exchange(stage_, stage::given_up) == stage::given_up) return;
  const bool called = plan_.called();
  plan_.give_up(why);
  run_.input.reset();
  if (!called) ::kill(-run_.pid, SIGTERM);  // it is not reaped before this thread has ended
}

std::string Launcher::said() const {
  const auto last = last_lines(!error_lines_.last().empty() ? error_lines_.last() : stage_ == stage::asked ? greeting_ + hearing_.rest() : greeting_);
  return last.empty() ? "" : "; its last lines: " + last;
}

std::string Launcher::how_it_ended() const {
  siginfo_t how{};
  if (::waitid(P_PIDFD, static_cast<id_t>(run_.pidfd.get()), &how, WEXITED | WNOWAIT) != 0) return "has ended";
  return how.si_code == CLD_EXITED ? "ended with status " + std::to_string(how.si_status) : "was ended by signal " + std::to_string(how.si_status);
}

int Launcher::most_ms() const {
  if (stage_ == stage::called || stage_ == stage::given_up) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - road::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}  // namespace octavo::engine
