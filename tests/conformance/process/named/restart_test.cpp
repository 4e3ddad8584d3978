// SPDX-License-Identifier: Apache-2.0
// The restart policy of objects with names: who brings one back that died by accident, how often, and what is said then.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "conformance/process/named/named_scene.hpp"

namespace process_tests {

// While the file is there, it dies when it is called, and when it is restored.
class Brittle {
 public:
  Brittle() = default;
  explicit Brittle(std::string bad) : bad_(std::move(bad)) {}
  [[nodiscard]] int pid() const {
    die_if_bad();
    return ::getpid();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(bad_);
    if constexpr (Archive::is_loading::value) die_if_bad();
  }

 private:
  void die_if_bad() const {
    if (!std::filesystem::exists(bad_)) return;
    std::fprintf(stderr, "the oil is used up\n");
    std::abort();
  }
  std::string bad_;
};
OCTAVO_REMOTE(Brittle, pid)

namespace {

using namespace std::chrono_literals;

class Restart : public NamedObjects {
 protected:
  Restart() { std::filesystem::create_directories(home); }
  void break_it() const { std::ofstream(bad).put('1'); }
  void mend() const { std::filesystem::remove(bad); }
  // Dead, and its agent knows it.
  void kill(int pid) {
    ::kill(pid, SIGKILL);
    until([&] { return process_of("brittle") != pid; });
  }
  static std::int64_t process_of(const std::string& name) { return ov::names(name).at(0).pid; }
  // What the calls end with when it is enough.
  static ov::refused refusal(const ov::remote_ptr<Brittle>& p, int& deaths) {
    for (;;) {
      try {
        (void)p->pid();
      } catch (const ov::process_died&) {
        ++deaths;
      } catch (const ov::refused& e) {
        return e;
      }
    }
  }
  std::string bad = (home / "bad").string();
};

TEST_F(Restart, ALoopOfCrashesEndsAndSaysWhy) {
  auto p = ov::named("brittle").restart_when_called(4, 1h).make<Brittle>(bad);
  break_it();
  int deaths = 0;
  auto no = refusal(p, deaths);
  EXPECT_EQ(deaths, 5) << "the first life, and four more";
  EXPECT_THAT(no.what(), HasSubstr("ov://brittle"));
  EXPECT_THAT(no.what(), HasSubstr("4 times in 3600 s"));
  EXPECT_THAT(no.what(), HasSubstr("SIGABRT"));
  EXPECT_THAT(no.what(), HasSubstr("the oil is used up"));
  EXPECT_THAT(no.cure(), HasSubstr("open"));
  mend();
  EXPECT_THROW((void)p->pid(), ov::refused) << "nobody has opened it";
  EXPECT_TRUE(alive(ov::open<Brittle>("brittle")->pid()));
  EXPECT_TRUE(alive(p->pid())) << "and who had it reaches it too";
  break_it();
  deaths = 0;
  (void)refusal(p, deaths);
  EXPECT_EQ(deaths, 5) << "opening it has begun the count anew";
}

TEST_F(Restart, ThreeTimesUnlessAskedFor) {
  auto p = ov::named("brittle").make<Brittle>(bad);
  break_it();
  int deaths = 0;
  auto no = refusal(p, deaths);
  EXPECT_EQ(deaths, 4);
  EXPECT_THAT(no.what(), HasSubstr("3 times in 60 s"));
}

TEST_F(Restart, AlwaysNeedsNoCall) {
  auto p = ov::named("brittle").restart_always(100, 1h).make<Brittle>(bad);
  for (int i = 0; i < 3; ++i) {
    int pid = p->pid();
    kill(pid);
    until([&] { return process_of("brittle") != 0; });
    EXPECT_NE(process_of("brittle"), pid);
    EXPECT_EQ(p->pid(), process_of("brittle"));
  }
}

TEST_F(Restart, AlwaysHoldsInTheNextLifeOfTheAgent) {
  ov::named("brittle").restart_always().make<Brittle>(bad);
  end_agent(SIGKILL);
  as_another_program();
  int pid = ov::open<Brittle>("brittle")->pid();
  kill(pid);
  until([&] { return process_of("brittle") != 0; });
}

TEST_F(Restart, AlwaysEndsInALoopOfCrashesToo) {
  auto p = ov::named("brittle").restart_always(3, 1h).make<Brittle>(bad);
  int pid = p->pid();
  break_it();
  ::kill(pid, SIGKILL);
  int deaths = 0;
  auto no = refusal(p, deaths);
  EXPECT_THAT(no.what(), HasSubstr("3 times in 3600 s"));
  EXPECT_THAT(no.what(), HasSubstr("the oil is used up")) << "how it ended last";
  EXPECT_EQ(process_of("brittle"), 0);
  mend();
  EXPECT_TRUE(alive(ov::open<Brittle>("brittle")->pid()));
}

TEST_F(Restart, NeverWaitsForWhoOpensIt) {
  auto p = ov::named("brittle").restart_never().make<Brittle>(bad);
  int pid = p->pid();
  kill(pid);
  for (int i = 0; i < 2; ++i) {
    try {
      (void)p->pid();
      FAIL();
    } catch (const ov::process_died& e) {
      EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
    }
  }
  as_another_program();
  EXPECT_EQ(process_of("brittle"), 0);
  EXPECT_THROW((void)p->pid(), ov::process_died) << "the pointer of another program hears the same";
  EXPECT_NE(ov::open<Brittle>("brittle")->pid(), pid);
  EXPECT_TRUE(alive(p->pid()));
}

TEST_F(Restart, RestingIsNoAccident) {
  auto p = ov::named("brittle").restart_never().make<Brittle>(bad);
  int pid = p->pid();
  end_agent(SIGTERM);
  EXPECT_FALSE(alive(pid));
  as_another_program();
  EXPECT_EQ(ov::open<Brittle>("brittle").address(), p.address());
  EXPECT_TRUE(alive(p->pid()));
}

TEST_F(Restart, ItsTimeIsChecked) {
  EXPECT_THROW(ov::named("brittle").restart_always(3, -1s).make<Brittle>(bad), ov::usage_error);
  EXPECT_TRUE(ov::names().empty());
}

}  // namespace
}  // namespace process_tests
