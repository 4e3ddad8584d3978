// SPDX-License-Identifier: Apache-2.0
// What an object with a name keeps besides its state: the one before, its environment, and its machine.
#include <cstdlib>
#include <fstream>

#include "conformance/process/named/named_scene.hpp"

namespace process_tests {

class Witness {
 public:
  [[nodiscard]] std::string variable(const std::string& name) const {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  }
  template <class Archive>
  void serialize(Archive&) {}
};
OCTAVO_REMOTE(Witness, variable)

namespace {

using NamedLife = NamedObjects;

TEST_F(NamedLife, GoesBackToTheStateBefore) {
  auto p = ov::named("books/first").make<Ledger>(1);
  EXPECT_THROW(ov::restore_previous("books/first"), ov::io_error) << "it was saved once";
  p->add(2);
  ov::save(p);
  p->add(3);
  ov::save(p);
  p->add(4);
  auto waiting = ov::start(p)->sleep_until_killed();
  ov::restore_previous("ov://books/first");
  EXPECT_THROW(waiting.get(), ov::process_died);
  EXPECT_EQ(p->numbers(), (Numbers{1, 2})) << "neither the last saved, nor what came after it";
  EXPECT_EQ(ov::names("books/first")[0].generation, 2u);
  p->add(5);
  ov::save(p);
  end_agent(SIGKILL);
  as_another_program();
  EXPECT_EQ(ov::open<Ledger>("books/first")->numbers(), (Numbers{1, 2, 5})) << "and it goes on from there";
  EXPECT_THROW(ov::restore_previous("books/second"), ov::usage_error);
}

TEST_F(NamedLife, GoingBackIsNoAccident) {
  auto p = ov::named("books/first").restart_never().make<Ledger>(1);
  for (int i = 2; i < 8; ++i) {
    p->add(i);
    ov::save(p);
    ov::restore_previous("books/first");
    EXPECT_EQ(p->numbers(), Numbers{1});
  }
}

TEST_F(NamedLife, KeepsTheEnvironmentItWasMadeIn) {
  constexpr auto word = "OCTAVO_TEST_WORD", large = "OCTAVO_TEST_LARGE";
  ::setenv(word, "first", 1);
  ::setenv(large, std::string(50000, 'x').c_str(), 1);
  auto p = ov::named("witness").make<Witness>();
  EXPECT_EQ(p->variable(word), "first") << "its agent may have begun before";
  EXPECT_EQ(p->variable(large), "") << "what is too large is left out";
  ::setenv(word, "second", 1);
  runtime->kill(p.address(), SIGKILL);
  until([&] { return ov::names("witness")[0].pid == 0; });
  EXPECT_EQ(p->variable(word), "first");
  ov::end_lasting_agent();
  as_another_program();
  EXPECT_EQ(ov::open<Witness>("witness")->variable(word), "first");
  EXPECT_EQ(ov::named("other").make<Witness>()->variable(word), "second");
  ::unsetenv(word);
  ::unsetenv(large);
}

// What others keep in their variables is nobody's: a key, a password.
TEST_F(NamedLife, KeepsNoOtherVariables) {
  constexpr auto secret = "TEST_SECRET_KEY", wanted = "TEST_WANTED", list = "OCTAVO_KEEP_VARIABLES";
  ::setenv(secret, "a word that is nowhere else", 1);
  ::setenv(wanted, "this one", 1);
  ::setenv(list, wanted, 1);
  auto p = ov::named("witness").make<Witness>();
  ov::save(p);
  EXPECT_EQ(p->variable(secret), "");
  EXPECT_EQ(p->variable(wanted), "this one");
  EXPECT_NE(p->variable("PATH"), "");
  for (const auto& each : std::filesystem::recursive_directory_iterator(home)) {
    if (!each.is_regular_file()) continue;
    std::ifstream file(each.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text.find("a word that is nowhere else"), std::string::npos) << each.path();
    EXPECT_EQ(each.status().permissions() & std::filesystem::perms::mask, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << each.path();
  }
  for (const char* each : {secret, wanted, list}) ::unsetenv(each);
}

TEST_F(NamedLife, EndingTheAgentSavesAllAndStartsNone) {
  EXPECT_FALSE(std::filesystem::exists(home));
  ov::end_lasting_agent();
  EXPECT_FALSE(std::filesystem::exists(home)) << "there was none";
  auto p = ov::named("books/first").make<Ledger>(1);
  p->add(2);
  int pid = p->pid();
  ov::end_lasting_agent();
  EXPECT_FALSE(alive(pid));
  EXPECT_EQ(p->numbers(), (Numbers{1, 2})) << "a call begins its next life";
  ov::end_lasting_agent();
  until([&] { return agent() < 0; });
  ov::end_lasting_agent();
  EXPECT_LT(agent(), 0);
}

class NamedAbroad : public NamedObjects {
 protected:
  NamedAbroad() { go_abroad(); }
  ~NamedAbroad() override { ov::end_lasting_agent(box()); }
  void go_abroad() {
    runtime.reset();
    runtime.emplace(ov::RuntimeOptions{.engine = ov::played({"box"}, home.string()), .home = home.string()});
  }
  [[nodiscard]] ov::Machine box() const { return runtime->machine("box"); }
  // One of the two agents of the box: the lasting one, or that of this program.
  void kill_agent(bool lasting, std::uint64_t keeper) {
    for (const auto& each : runtime->processes())
      if (each.address.object == 0 && each.machine == "box" && (each.address.agent == keeper) == lasting) {
        ::kill(static_cast<int>(each.pid), SIGKILL);
        until([&] { return !alive(static_cast<int>(each.pid)); });
      }
  }
  // When the loss is known; until then a call may still be on its way to the dead.
  static Numbers numbers_of(const ov::remote_ptr<Ledger>& p) {
    for (;;) {
      try {
        return p->numbers();
      } catch (const ov::error& e) {
        EXPECT_EQ(e.kind(), ov::error_kind::gone) << e.what();
      }
    }
  }
};

TEST_F(NamedAbroad, LivesOnItsMachine) {
  auto p = ov::named("books/first").on(box()).make<Ledger>(1);
  p->add(2);
  ov::save(p);
  ASSERT_EQ(ov::names(box()).size(), 1u);
  EXPECT_EQ(ov::names(box())[0].pid, p->pid());
  EXPECT_TRUE(ov::names().empty()) << "here is another registry";
  EXPECT_EQ(ov::open<Ledger>(box(), "books/first"), p);
  EXPECT_THROW(ov::open<Ledger>("books/first"), ov::usage_error);
  p->add(3);
  ov::save(p);
  ov::restore_previous(box(), "books/first");
  EXPECT_EQ(p->numbers(), (Numbers{1, 2}));
}

TEST_F(NamedAbroad, OutlivesTheProgramAndItsAgents) {
  auto p = ov::named("books/first").on(box()).make<Ledger>(1);
  int pid = p->pid();
  ov::save(p);
  kill_agent(false, p.address().agent);
  EXPECT_EQ(numbers_of(p), Numbers{1});
  EXPECT_EQ(p->pid(), pid) << "it is another agent's";
  kill_agent(true, p.address().agent);
  EXPECT_EQ(numbers_of(p), Numbers{1});
  EXPECT_NE(p->pid(), pid);
  pid = p->pid();
  runtime->kill(p.address(), SIGKILL);
  EXPECT_EQ(numbers_of(p), Numbers{1});
  go_abroad();
  EXPECT_EQ(ov::open<Ledger>(box(), "books/first")->numbers(), Numbers{1});
}

}  // namespace
}  // namespace process_tests
