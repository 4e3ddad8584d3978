// SPDX-License-Identifier: Apache-2.0
// The link by files (src/road/net/files) under a program: what another host sees, and what is left when somebody is killed. The suites of links and of engines
// run over it, too; tests/unit/road/files has its parts.
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "conformance/process/every_place.hpp"
#include "kit/engines/surroundings.hpp"
#include "kit/left_behind.hpp"
#include "kit/link/link_bytes.hpp"
#include "octavo/machine/ssh.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace process_tests {
namespace {

using namespace std::chrono_literals;
namespace files = octavo::road::files;

class FilesLinkUse : public testing::Test {
 protected:
  [[nodiscard]] ov::RuntimeOptions options(const std::vector<std::string>& shell = {"env"}, std::chrono::milliseconds patience = 20s) const {
    return {.engine = ov::ssh({"node"}, {.shell = shell, .patience = patience, .link = "files:" + place.path().string()}), .silence = 1s};
  }
  [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(place.path()); }
  ov::kit::Watchdog watchdog{100};
  ov::kit::TemporaryDirectory place;
};

TEST_F(FilesLinkUse, L15_ASilenceThatIsShortElsewhereIsNoneHere) {
  ov::Runtime runtime(options());
  auto there = runtime.machine("node").make<Counter>(5);
  EXPECT_EQ(there->add(1), 6);
  for (const auto& each : runtime.processes())
    if (each.machine == "node" && each.address.object == 0) {
      ov::kit::stop(static_cast<int>(each.pid));
      std::this_thread::sleep_for(2s);  // twice the silence
      ::kill(static_cast<pid_t>(each.pid), SIGCONT);
    }
  EXPECT_EQ(there->add(1), 7);
}

TEST_F(FilesLinkUse, FL3_NothingIsLeftAtTheEnd) {
  {
    ov::Runtime runtime(options());
    auto there = runtime.machine("node").make<Counter>(5);
    EXPECT_EQ(there->big(1 << 24).size(), std::size_t{1} << 24);
    EXPECT_FALSE(is_empty());
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(FilesLinkUse, FL3_NothingIsLeftWhenTheProgramIsKilled) {
  auto [ready, say] = ov::kit::pipe();
  const int program = watchdog.fork();
  if (program == 0) {
    ov::Runtime runtime(options());
    auto there = runtime.machine("node").make<Counter>();
    const int pid = there->pid();
    [[maybe_unused]] auto n = ::write(say.get(), &pid, sizeof pid);
    for (;;) ::pause();
  }
  int pid = 0;
  ASSERT_EQ(::read(ready.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  until([&] { return !alive(pid) && is_empty(); });
}

// A host that does not mount the directory, or mounts another under its path.
TEST_F(FilesLinkUse, FL1_WhoDoesNotSeeTheDirectorySaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts something over a directory";
  const std::string hide = "mount -t tmpfs none " + place.path().string() + " && exec \"$@\"";
  ov::Runtime runtime(options({"unshare", "-m", "sh", "-c", hide, "{}"}, 10s));  // for so long the agent looks
  try {
    runtime.machine("node").make<Counter>();
    FAIL();
  } catch (const ov::error& e) {
    EXPECT_THAT(e.what(), HasSubstr("files://" + place.path().string()));
    EXPECT_THAT(e.what(), HasSubstr("files:DIRECTORY"));
  }
}

TEST_F(FilesLinkUse, FL1_ADirectoryThatIsNoneIsSaidBeforeAnythingStarts) {
  ov::Runtime runtime({.engine = ov::ssh({"node"}, {.shell = {"env"}, .link = "files:" + (place.path() / "none").string()})});
  try {
    runtime.machine("node").make<Counter>();
    FAIL();
  } catch (const ov::error& e) {
    EXPECT_THAT(e.what(), HasSubstr("is no directory"));
  }
}

// FL-5, L-5: whenever the sender dies, what came is a beginning of what was sent, and then the end.
TEST_F(FilesLinkUse, FL5_FL8_KilledAtAnyInstantWhatCameIsABeginning) {
  const auto bytes = ov::kit::stream(1 << 20);
  std::size_t most = 0;
  const char* wanted = std::getenv("OCTAVO_KILLS");
  const int rounds = wanted == nullptr ? 60 : std::atoi(wanted);  // NOLINT: a test's
  for (int round = 0; round < rounds; ++round) {
    const files::RunDirectory run(place.path().string());
    const std::string at = files::connect(run.path());
    files::FilesLink here({.in = files::to_owner(at), .out = files::to_dialer(at), .connection = at});
    const int sender = watchdog.fork();
    if (sender == 0) {
      files::FilesLink there({.in = files::to_dialer(at), .out = files::to_owner(at), .connection = at});
      for (std::size_t sent = 0;;) {
        const std::size_t n =
            ov::kit::send(there, ov::ByteView(bytes).subspan(sent % bytes.size(), std::min<std::size_t>(7000, bytes.size() - sent % bytes.size())));
        sent += n;
        if (n == 0) ov::kit::wait_for(there, true);
      }
    }
    while (!here.is_greeted()) ov::kit::wait_for(here, false);  // as of one that has called
    std::atomic<std::size_t> came = 0;
    std::jthread killer([&] {
      while (round % 10 == 9 && came == 0) std::this_thread::yield();  // a busy machine may let it send nothing in any other round
      std::this_thread::sleep_for(std::chrono::microseconds(137 * (round % 100)));
      ::kill(sender, SIGKILL);
    });
    while (!here.lost()) {
      const auto next = ov::kit::receive(here, 5000);
      for (std::size_t i = 0; i < next.size(); ++i) ASSERT_EQ(next[i], bytes[(came + i) % bytes.size()]) << round;
      came += next.size();
    }
    most = std::max(most, came.load());
    killer.join();
    ::waitpid(sender, nullptr, 0);
  }
  EXPECT_GT(most, 0U);
  EXPECT_TRUE(is_empty());
}

}  // namespace
}  // namespace process_tests
