// SPDX-License-Identifier: Apache-2.0
// Objects whose processes are forked off a fork server (octavo/machine/fork_server.hpp), here this program itself, are as good as others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "conformance/process/counter.hpp"
#include "kit/left_behind.hpp"
#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"

namespace process_tests {

// What a process is for the system.
class Seen {
 public:
  [[nodiscard]] int pid() const { return ::getpid(); }
  [[nodiscard]] int parent() const { return ::getppid(); }
  [[nodiscard]] std::string title() const {
    std::ifstream file("/proc/self/cmdline");
    std::string words;
    std::getline(file, words, '\0');
    std::getline(file, words, '\0');
    return words;
  }
  [[nodiscard]] std::string variable(const std::string& name) const {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "none" : value;
  }
  [[nodiscard]] std::string directory() const { return std::filesystem::current_path().string(); }
  [[nodiscard]] std::string output() const { return std::filesystem::read_symlink("/proc/self/fd/1").string(); }
  [[nodiscard]] unsigned mask() const {
    const mode_t mine = ::umask(0);
    ::umask(mine);
    return mine;
  }
  [[nodiscard]] int descriptors() const { return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {})); }
  // A thread's number is known to the C library of the fork, not only to the kernel.
  [[nodiscard]] bool knows_its_thread() const {
    cpu_set_t before, one;
    ::sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    for (int each = 0; each < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++each)
      if (CPU_ISSET(each, &before)) CPU_SET(each, &one);
    const bool set = ::pthread_setaffinity_np(::pthread_self(), sizeof one, &one) == 0;
    cpu_set_t after;
    ::sched_getaffinity(0, sizeof after, &after);
    return set && CPU_EQUAL(&after, &one);
  }
  [[nodiscard]] int policy() const { return ::sched_getscheduler(0); }
  void exit(int status) const { std::_Exit(status); }
  void abort() const { std::abort(); }
};
OCTAVO_REMOTE(Seen, pid, parent, title, variable, directory, output, mask, descriptors, knows_its_thread, policy, exit, abort)

namespace {

namespace ov = octavo;

class ForkServer : public testing::Test {
 protected:
  void SetUp() override {
    if (ov::kit::thread_sanitized) GTEST_SKIP() << ov::kit::forks_no_threads;
  }
  [[nodiscard]] ov::Place forked() const {
    ov::Placement where;
    where.fork_server = {std::filesystem::read_symlink("/proc/self/exe").string()};
    return ov::Place(where);
  }
  // The processes whose command line shows them as fork servers of this program, or as spares that wait. A fork is shown as its server until it has a title.
  [[nodiscard]] static std::set<int> servers() { return shown_as("waits to be forked", "SRD"); }
  [[nodiscard]] static std::set<int> spares() { return shown_as("octavo: a spare", "S"); }
  [[nodiscard]] static int one_server() {
    for (;;)
      if (const auto found = servers(); found.size() == 1) return *found.begin();
  }
  // Makes objects until there are some; on a busy machine they may come so late that they end unused.
  [[nodiscard]] std::set<int> made_ahead() const {
    for (;;) {
      for (int i = 0; i < 3; ++i) ov::destroy(forked().make<Seen>());
      for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5); std::chrono::steady_clock::now() < until;)
        if (auto found = spares(); found.size() >= 2) return found;
    }
  }
  // Also of a process that ends meanwhile.
  [[nodiscard]] static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  [[nodiscard]] static char state_of(int pid) {
    const auto facts = text_of("/proc/" + std::to_string(pid) + "/stat");
    const auto end = facts.rfind(')');
    return end == facts.npos ? 'X' : facts[end + 2];
  }
  [[nodiscard]] static std::set<int> shown_as(const std::string& what, const std::string& states) {
    std::set<int> found;
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
      const auto name = each.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto words = text_of(each.path() / "cmdline"), facts = text_of(each.path() / "stat");
      if (words.find(what) == std::string::npos) continue;
      for (const char state : states)
        if (facts.find(std::string(") ") + state + " " + std::to_string(::getpid()) + " ") != std::string::npos) found.insert(std::stoi(name));
    }
    return found;
  }

  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
};

TEST_F(ForkServer, AForkIsAChildOfThisProgramWithATitleAndNothingOfItsServer) {
  const auto anew = runtime.machine().make<Seen>();
  const auto a = forked().make<Seen>(), b = forked().make<Seen>();
  EXPECT_NE(a->pid(), b->pid());
  EXPECT_EQ(a->parent(), ::getpid());
  EXPECT_NE(a->title().find("octavo:process_tests::Seen"), std::string::npos) << a->title();
  EXPECT_EQ(a->variable("OCTAVO_FORKS"), "none");
  EXPECT_EQ(a->variable("OCTAVO_SERVER"), "none");
  EXPECT_EQ(a->descriptors(), anew->descriptors());
  EXPECT_TRUE(a->knows_its_thread());
  EXPECT_GT(one_server(), 0);
}

TEST_F(ForkServer, HowOneEndsIsKnown) {
  for (const bool aborts : {false, true}) {
    const auto p = forked().make<Seen>();
    try {
      if (aborts) p->abort();
      else p->exit(7);
      FAIL() << "it answered";
    } catch (const ov::process_died& died) {
      EXPECT_NE(std::string(died.what()).find(aborts ? "SIGABRT" : "status 7"), std::string::npos) << died.what();
    }
  }
}

TEST_F(ForkServer, AForkHasWhatThisProgramHasNow) {
  (void)forked().make<Seen>();
  const auto directory = std::filesystem::current_path();
  std::filesystem::current_path("/");
  const mode_t mask = ::umask(077);
  ::setenv("OCTAVO_TEST_CHANGED", "now", 1);
  std::fflush(stdout);
  const ov::Fd output(::dup(STDOUT_FILENO)), null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ::dup2(null.get(), STDOUT_FILENO);
  const auto p = forked().make<Seen>();
  ::dup2(output.get(), STDOUT_FILENO);
  std::filesystem::current_path(directory);
  ::umask(mask);
  ::unsetenv("OCTAVO_TEST_CHANGED");
  EXPECT_EQ(p->variable("OCTAVO_TEST_CHANGED"), "now");
  EXPECT_EQ(p->directory(), "/");
  EXPECT_EQ(p->output(), "/dev/null");
  EXPECT_EQ(p->mask(), 077U);
}

TEST_F(ForkServer, AForkIsToldOfChangedVariablesAndNeedsNoOtherServer) {
  ::setenv("TEST_TO_GO", "there", 1);
  (void)forked().make<Seen>();
  const int before = one_server();
  ::unsetenv("TEST_TO_GO");
  ::setenv("TEST_CHANGED", "a=b", 1);
  ::setenv("TEST_EMPTY", "", 1);
  const auto p = forked().make<Seen>();
  EXPECT_EQ(p->variable("TEST_CHANGED"), "a=b");
  EXPECT_EQ(p->variable("TEST_EMPTY"), "");
  EXPECT_EQ(p->variable("TEST_TO_GO"), "none");
  ::unsetenv("TEST_CHANGED");
  ::unsetenv("TEST_EMPTY");
  EXPECT_EQ(forked().make<Seen>()->variable("TEST_CHANGED"), "none");
  EXPECT_EQ(one_server(), before);
}

TEST_F(ForkServer, ObjectsAreMadeWhateverBecomesOfTheServer) {
  std::vector<ov::future<ov::remote_ptr<Counter>>> made;
  std::set<std::int64_t> killed;  // servers, and forks that had no title yet
  for (int i = 0; i < 40; ++i) {
    made.push_back(ov::start(forked()).make<Counter>(i));
    if (i % 10 == 5)
      for (int pid : servers()) killed.insert(pid), ::kill(pid, SIGKILL);
  }
  for (int i = 0; i < 40; ++i) try {
      EXPECT_EQ(made[static_cast<std::size_t>(i)].get()->add(1), i + 1);
    } catch (const ov::process_died& died) {
      EXPECT_TRUE(killed.contains(died.obituary().facts.pid)) << died.what();
    }
}

TEST_F(ForkServer, ASpareIsAsGoodAsAnyFork) {
  (void)made_ahead();
  const auto anew = runtime.machine().make<Seen>();
  ov::remote_ptr<Seen> p;
  for (bool was_there = false; !was_there;) {  // its agent may not have heard of a spare yet
    const auto before = ov::kit::children();
    p = forked().make<Seen>();
    was_there = std::find(before.begin(), before.end(), p->pid()) != before.end();
  }
  EXPECT_EQ(p->parent(), ::getpid());
  EXPECT_NE(p->title().find("octavo:process_tests::Seen"), std::string::npos) << p->title();
  EXPECT_EQ(p->variable("OCTAVO_SERVER"), "none");
  EXPECT_EQ(p->descriptors(), anew->descriptors());
  EXPECT_TRUE(p->knows_its_thread());
  EXPECT_EQ(p->policy(), ::sched_getscheduler(0));
  EXPECT_EQ(p->directory(), std::filesystem::current_path().string());
}

TEST_F(ForkServer, SparesThatAreKilledOrStoppedAreDoneWithout) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    const auto there = made_ahead();
    for (const int pid : there) {
      ::kill(pid, signal);
      while (std::string("TZX").find(state_of(pid)) == std::string::npos) {}
    }
    const auto p = forked().make<Seen>();
    EXPECT_FALSE(there.contains(p->pid()));
    for (const int pid : there)
      while (spares().contains(pid)) {}
  }
}

TEST_F(ForkServer, ManyAreMadeAtOnceAgainAndAgain) {
  for (int round = 0; round < 10; ++round) {
    std::vector<ov::future<ov::remote_ptr<Counter>>> made;
    for (int i = 0; i < 16; ++i) made.push_back(ov::start(forked()).make<Counter>(i));
    for (int i = 0; i < 16; ++i) {
      const auto p = made[static_cast<std::size_t>(i)].get();
      EXPECT_EQ(p->add(1), i + 1);
      ov::destroy(p);
    }
    EXPECT_LE(spares().size(), 16U);
  }
}

}  // namespace
}  // namespace process_tests
