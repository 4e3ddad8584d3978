// SPDX-License-Identifier: Apache-2.0
// An agent that a command has started, by what goes in and out: a program that is gone, or is none, leaves no agent that waits for ever (SSH-3).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "kit/watchdog.hpp"
#include "machine/engine/hail.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/spawn.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::engine {
namespace {

using testing::HasSubstr;

// Its standard input stays open, as where a launcher holds it, until the test closes it.
class CalledAgent : public testing::Test {
 protected:
  static std::vector<std::string> command() { return {"env", std::string(spawn::agent_variable) + "=call", spawn::server_program()}; }
  void begin() {
    run = spawn::run_command(command());
    for (const Fd* each : {&run.output, &run.errors}) ::fcntl(each->get(), F_SETFL, 0);
  }
  void put(const std::string& text) { ASSERT_EQ(::write(run.input.get(), text.data(), text.size()), static_cast<ssize_t>(text.size())); }
  static std::string all_of(const Fd& from) {
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::read(from.get(), piece.data(), piece.size())) > 0;) text.append(piece.data(), static_cast<std::size_t>(n));
    return text;
  }
  std::string answered() {
    std::string line;
    for (char c = 0; line != answer() && ::read(run.output.get(), &c, 1) == 1;) line += c;
    return line;
  }
  int status() {
    int status = -1;
    ::waitpid(run.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  static Invitation to(std::uint16_t port, std::int64_t patience_ms) {
    return {.where = "tls://127.0.0.1:" + std::to_string(port), .agents = {{"m", {}}}, .silence_ms = 10'000, .patience_ms = patience_ms};
  }

  kit::Watchdog watchdog{60};
  spawn::Command run;
  road::ClusterKey key = road::ClusterKey::make();
};

TEST_F(CalledAgent, SSH3_OneThatDoesNotReachItsProgramEndsAfterThePatience) {
  begin();
  put(question());
  ASSERT_EQ(answered(), answer());
  write(run.input.get(), key, to(1, 300));  // nobody listens there
  put(begin_word(0));
  EXPECT_EQ(status(), 1);
  const auto said = all_of(run.errors);
  EXPECT_THAT(said, HasSubstr("the agent of m does not reach its program at tls://127.0.0.1:1"));
  EXPECT_THAT(said, HasSubstr("for 300 ms"));
}

TEST_F(CalledAgent, SSH3_OneWhoseInputEndsBeforeItsProgramIsReachedEnds) {
  begin();
  put(question());
  ASSERT_EQ(answered(), answer());
  write(run.input.get(), key, to(1, 1'000'000));
  put(begin_word(0));
  run.input.reset();
  EXPECT_EQ(status(), 1);
}

TEST_F(CalledAgent, OneThatIsNotWantedEndsInOrderWithItsProgram) {
  for (const std::string& last : {std::string(1, ends_in_order), std::string(), begin_word(1), begin_word(0).substr(0, 3)}) {
    begin();
    put(question());
    ASSERT_EQ(answered(), answer());
    write(run.input.get(), key, to(1, 1'000'000));
    put(last);
    run.input.reset();
    EXPECT_EQ(status(), 0) << last;
  }
}

TEST_F(CalledAgent, SLURM3_OneOfSeveralSaysWhichItIsAndIsCalledByItsName) {
  run = spawn::run_command({"env", std::string(spawn::agent_variable) + "=call WHICH", "WHICH=b", spawn::server_program()});
  for (const Fd* each : {&run.output, &run.errors}) ::fcntl(each->get(), F_SETFL, 0);
  put(question());
  std::string line;
  for (char c = 0; line != answer("b") && ::read(run.output.get(), &c, 1) == 1;) line += c;
  ASSERT_EQ(line, answer("b"));
  auto all = to(1, 300);
  all.agents = {{"a", {}}, {"b", {}}};
  write(run.input.get(), key, all);
  put(begin_word(0) + begin_word(1));
  EXPECT_EQ(status(), 1);
  EXPECT_THAT(all_of(run.errors), HasSubstr("the agent of b does not reach its program"));
}

TEST_F(CalledAgent, OneWhoseInputWasReadByAnotherSaysSo) {
  for (const std::string& left : {std::string(), question().substr(5), "octavo cluster key 1\n" + std::string(200, 'x')}) {
    begin();
    if (!left.empty()) put(left);
    ASSERT_EQ(answered(), answer());
    run.input.reset();
    EXPECT_EQ(status(), 1);
    EXPECT_THAT(all_of(run.errors), HasSubstr("nothing may read of it before")) << left;
  }
}

TEST_F(CalledAgent, SSH1_ATerminalIsRefusedInALine) {
  Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal && ::grantpt(terminal.get()) == 0 && ::unlockpt(terminal.get()) == 0);
  const std::string its = ::ptsname(terminal.get());
  auto words = command();
  std::string line = "exec";
  for (const auto& each : words) line += " '" + each + "'";
  run = spawn::run_command({"sh", "-c", line + " < " + its});
  for (const Fd* each : {&run.output, &run.errors}) ::fcntl(each->get(), F_SETFL, 0);
  EXPECT_EQ(all_of(run.output), refusal("its standard input is a terminal"));
  EXPECT_EQ(status(), 1);
}

}  // namespace
}  // namespace octavo::engine
