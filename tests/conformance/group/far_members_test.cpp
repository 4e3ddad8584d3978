// SPDX-License-Identifier: Apache-2.0
// Groups of objects with names on two machines (G-15): their lasting agents have no link, and the program that made the group leads them to each other.
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "conformance/process/named/named_scene.hpp"
#include "octavo/group.hpp"

namespace group_tests {

namespace ov = octavo;

class Delegate {
 public:
  explicit Delegate(int number = 0) : number_(number) {}
  [[nodiscard]] int pid() const { return ::getpid(); }
  // What the first says, after all have come.
  [[nodiscard]] int heard() const {
    auto me = ov::self<Delegate>();
    me.barrier();
    return me.broadcast(number_, 0);
  }
  [[nodiscard]] int sum() const { return ov::self<Delegate>().all_reduce(number_, std::plus<>()); }
  // How a member ended.
  [[nodiscard]] std::string until_an_end(const std::string& mark) {
    try {
      ov::self<Delegate>().barrier();
      std::ofstream(mark + std::to_string(number_)) << "in a group that is whole";
      for (;;) ov::self<Delegate>().barrier();
    } catch (const ov::process_died& e) {
      return end_ = e.what();
    }
  }
  [[nodiscard]] std::string end() const { return end_; }
  void know(const ov::remote_ptr<Delegate>& other) { other_ = other; }
  [[nodiscard]] int pid_of_other() const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number_, other_);
  }

 private:
  int number_;
  ov::remote_ptr<Delegate> other_;
  std::string end_;  // as it heard of it
};
OCTAVO_REMOTE(Delegate, pid, heard, sum, until_an_end, end, know, pid_of_other)
int Delegate::pid_of_other() const { return other_->pid(); }

namespace {

namespace fs = std::filesystem;
using process_tests::alive;
using process_tests::until;
using testing::Each;
using testing::HasSubstr;
using Delegates = std::vector<ov::remote_ptr<Delegate>>;

class FarMembers : public process_tests::NamedObjects {
 protected:
  FarMembers() { begin_with_box(); }
  ~FarMembers() override { end_box(); }
  // By turns here and there; member i has 1 << i.
  [[nodiscard]] Delegates make(int n) const {
    Delegates all;
    for (int i = 0; i < n; ++i) {
      auto place = ov::named("delegates/" + std::to_string(i));
      all.push_back(i % 2 == 0 ? place.make<Delegate>(1 << i) : place.on(runtime->machine("box")).make<Delegate>(1 << i));
    }
    return all;
  }
  [[nodiscard]] Delegates open(int n) const {
    Delegates all;
    for (int i = 0; i < n; ++i) all.push_back(ov::open<Delegate>(i % 2 == 0 ? ov::Machine("local") : ov::Machine("box"), "delegates/" + std::to_string(i)));
    return all;
  }

  [[nodiscard]] std::string mark() const { return (box_folder / "in").string(); }
};

TEST_F(FarMembers, G15_ABarrierABroadcastAndASum) {
  const auto all = make(5);
  for (int round = 0; round < 2; ++round) {
    const ov::group<Delegate> g(all);
    EXPECT_EQ(g->heard(), std::vector<int>(5, 1));
    EXPECT_EQ(g->sum(), std::vector<int>(5, 31));
  }
}

TEST_F(FarMembers, G15_InAProgramThatOpensThem) {
  (void)make(4);
  begin_with_box();
  const ov::group<Delegate> g(open(4));
  EXPECT_EQ(g->heard(), std::vector<int>(4, 1));
}

TEST_F(FarMembers, G15_TheLastingAgentOfSomeIsKilled) {
  const auto all = make(4);
  {
    const ov::group<Delegate> g(all);
    EXPECT_THAT(g->sum(), Each(15));
    std::vector<ov::future<std::string>> ends;
    for (int i : {0, 2}) ends.push_back(ov::start(all[static_cast<std::size_t>(i)])->until_an_end(mark()));
    const int dies = all[1]->pid();
    for (const auto& each : runtime->processes())
      if (each.address.object == 0 && each.address.agent == all[1].address().agent) ::kill(static_cast<pid_t>(each.pid), SIGKILL);
    for (auto& each : ends) EXPECT_THAT(each.get(), HasSubstr("box"));
    until([&] { return !alive(dies); });
  }
  const ov::group<Delegate> again(open(4));
  EXPECT_THAT(again->sum(), Each(15));
}

TEST_F(FarMembers, G15_TheProgramThatLeadsIsKilled) {
  runtime.reset();
  const pid_t leads = ::fork();
  if (leads == 0) {
    begin_with_box();
    const auto all = make(2);
    const ov::group<Delegate> g(all);
    std::vector<ov::future<std::string>> never;
    for (const auto& each : all) never.push_back(ov::start(each)->until_an_end(mark()));
    for (;;) ::pause();
  }
  for (const char* number : {"1", "2"}) until([&] { return fs::exists(mark() + number); });
  ::kill(leads, SIGKILL);
  ASSERT_EQ(::waitpid(leads, nullptr, 0), leads);
  begin_with_box();
  const auto all = open(2);
  for (const auto& each : all) EXPECT_THAT(each->end(), HasSubstr("lost"));
  EXPECT_THAT(all[0]->end(), HasSubstr("the program that led there has ended"));
  const ov::group<Delegate> again(all);
  EXPECT_EQ(again->heard(), std::vector<int>(2, 1));
}

// A pointer that was saved leads on while a program is there that uses both machines, and says so where none is.
TEST_F(FarMembers, G15_WithoutAProgramThatLeadsThereItIsSaid) {
  auto all = make(2);
  all[0]->know(all[1]);
  EXPECT_EQ(all[0]->pid_of_other(), all[1]->pid());
  all.clear();
  as_another_program();
  auto first = ov::open<Delegate>("delegates/0");
  try {
    (void)first->pid_of_other();
    ADD_FAILURE() << "there is no way to the other machine";
  } catch (const ov::gone_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("no way from the lasting agent"));
    EXPECT_THAT(e.what(), HasSubstr("whose engine names"));
  }
  begin_with_box();
  const auto both = open(2);
  EXPECT_EQ(both[0]->pid_of_other(), both[1]->pid());
}

}  // namespace
}  // namespace group_tests
