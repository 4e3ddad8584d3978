// SPDX-License-Identifier: Apache-2.0
// Supervision: what the objects of each place do is seen from outside, also when they do not answer.
#include <sys/wait.h>

#include <csignal>
#include <future>
#include <optional>

#include "conformance/process/every_place.hpp"
#include "conformance/process/named/named_scene.hpp"
#include "conformance/process/short_patience.hpp"
#include "kit/board.hpp"
#include "octavo/machine/saved_objects.hpp"
#include "octavo/machine/status.hpp"

namespace process_tests {

class Shown {
 public:
  explicit Shown(const std::string& board) : board_(board) {}
  void hold(std::size_t mark) { board_.await(mark); }
  void ask(const octavo::remote_ptr<Shown>& other, std::size_t mark) { octavo::call<&Shown::hold>(other, mark); }
  // Waits for a thread of its own that waits for the other one, which is to wait for this one: until there is a file.
  void ask_by_thread(const octavo::remote_ptr<Shown>& self, const octavo::remote_ptr<Shown>& other, const std::string& until) {
    std::async(std::launch::async, [&] {
      auto asked = octavo::start<&Shown::ask>(other, self, 1);
      while (!asked.wait_for(std::chrono::milliseconds(50)) && !std::filesystem::exists(until)) {}
    }).get();
  }
  // As coroutines: each is answered when the other one has answered the same, the last of them when its gate is open.
  octavo::future<int> round(octavo::remote_ptr<Shown> self, octavo::remote_ptr<Shown> other, int left) {
    if (left == 0) co_return co_await gate_.get_future();
    const int answer = co_await octavo::start<&Shown::round>(other, other, self, left - 1);
    co_return answer;
  }
  void open() { gate_.set_value(5); }
  [[nodiscard]] int pid() const { return ::getpid(); }

 private:
  octavo::kit::Board board_;
  octavo::promise<int> gate_;
};
OCTAVO_REMOTE(Shown, hold, ask, ask_by_thread, round, open, pid)

namespace {

std::optional<ov::ProcessStatus> status_of(const ov::Address& who) {
  for (auto& each : ov::all_processes())
    if (each.facts.address == who) return each;
  return std::nullopt;
}

template <class Condition>
ov::ProcessStatus when(const ov::Address& who, Condition condition) {
  std::optional<ov::ProcessStatus> status;
  until([&] { return (status = status_of(who)) && condition(*status); });
  return *status;
}

class Watching : public EveryPlace {
 public:
  ~Watching() override {
    for (std::size_t mark = 0; mark < ov::kit::Board::marks; ++mark) marks.set(mark);  // nothing is held at the end
    std::filesystem::remove(path);
  }

 protected:
  std::string path = (std::filesystem::temp_directory_path() / ("octavo-marks-" + std::to_string(::getpid()))).string();
  ov::kit::Board marks{path};
};
class WatchingAlone : public Watching {};

TEST_P(Watching, AnObjectIsListedAsItIs) {
  auto p = here.make<Shown>(path);
  int pid = p->pid();
  auto idle = when(p.address(), [](const auto& s) { return s.state == ov::process_state::idle; });
  EXPECT_THAT(idle.facts.class_name, HasSubstr("Shown"));
  EXPECT_EQ(idle.facts.pid, pid);
  EXPECT_EQ(idle.on_thread, GetParam() == "thread");
  EXPECT_EQ(idle.facts.machine, GetParam() == "box" ? "box" : runtime.machine().name());
  EXPECT_EQ(idle.agent, GetParam() == "box" ? ov::agent_kind::machine : ov::agent_kind::program);
  EXPECT_EQ(idle.agent_pid == ::getpid(), GetParam() != "box");
  EXPECT_EQ(idle.calls_done, 2U);  // its constructor, and pid
  EXPECT_EQ(idle.calls_waiting, 0U);
  EXPECT_GT(idle.bytes_received, path.size());
  EXPECT_GT(idle.bytes_sent, 0U);
  EXPECT_GT(idle.memory_bytes, 0);
  EXPECT_EQ(idle.method, "");
  ov::destroy(p);
  until([&] { return !status_of(p.address()); });
}

TEST_P(Watching, ALongCallIsShownWithItsNameAndTime) {
  auto p = here.make<Shown>(path);
  auto first = ov::start(p)->hold(1), second = ov::start(p)->hold(1);
  bool counted = GetParam() != "box";  // what comes from another machine is counted when it is read
  auto busy = when(p.address(), [&](const auto& s) { return s.method.find("Shown::hold") != std::string::npos && (!counted || s.calls_waiting == 1); });
  EXPECT_EQ(busy.state, ov::process_state::running);
  EXPECT_LT(busy.method_seconds, 3600);
  when(p.address(), [&](const auto& s) { return s.method_seconds > busy.method_seconds; });
  marks.set(1);
  first.get();
  second.get();
  auto idle = when(p.address(), [](const auto& s) { return s.state == ov::process_state::idle; });
  EXPECT_EQ(idle.calls_done, 3U);
  EXPECT_EQ(idle.calls_waiting, 0U);
}

TEST_P(Watching, WhoWaitsIsShownWithWhomItWaitsFor) {
  auto a = here.make<Shown>(path), b = here.make<Shown>(path);
  auto done = ov::start(a)->ask(b, 2);
  auto waits = when(a.address(), [](const auto& s) { return s.state == ov::process_state::waiting; });
  EXPECT_EQ(waits.waits_for, b.address());
  EXPECT_THAT(waits.method, HasSubstr("Shown::ask"));
  EXPECT_THAT(waits.waits_in, HasSubstr("Shown::hold"));
  when(a.address(), [&](const auto& s) { return s.waits_seconds > waits.waits_seconds + 0.1; });
  when(b.address(), [](const auto& s) { return s.state == ov::process_state::running; });
  marks.set(2);
  done.get();
  when(a.address(), [](const auto& s) { return s.state == ov::process_state::idle && !s.waits_for; });
}

// The threads of an object on a thread are the program's.
TEST_P(WatchingAlone, TwoThatWaitForEachOtherByThreadsAreShownSo) {
  auto a = here.make<Shown>(path), b = here.make<Shown>(path);
  const std::string file = path + ".leave";
  auto done = ov::start(a)->ask_by_thread(a, b, file);
  auto first = when(a.address(), [&](const auto& s) { return s.waits_for == b.address() && s.waits_seconds > 0.2; });
  EXPECT_EQ(first.state, ov::process_state::running) << "its method waits for a thread, which Octavo does not know";
  EXPECT_THAT(first.method, HasSubstr("Shown::ask_by_thread"));
  EXPECT_THAT(first.waits_in, HasSubstr("Shown::ask("));
  auto second = when(b.address(), [&](const auto& s) { return s.waits_for == a.address(); });
  EXPECT_EQ(second.state, ov::process_state::waiting);
  EXPECT_THAT(second.waits_in, HasSubstr("Shown::hold"));
  marks.set(1);
  std::ofstream(file).put('x');
  done.get();
  when(a.address(), [](const auto& s) { return s.state == ov::process_state::idle && !s.waits_for; });
  std::filesystem::remove(file);
}

class WatchingLong : public ShortPatience, public Watching {};

TEST_P(WatchingLong, CoroutinesThatWaitForEachOtherAreShownAfterAWhile) {
  auto a = here.make<Shown>(path), b = here.make<Shown>(path);
  auto done = ov::start(a)->round(a, b, 3);  // b's waits for its gate, and all others for that
  auto first = when(a.address(), [&](const auto& s) { return s.waits_for == b.address(); });
  EXPECT_EQ(first.state, ov::process_state::suspended);
  EXPECT_THAT(first.waits_in, HasSubstr("Shown::round("));
  when(a.address(), [&](const auto& s) { return s.waits_seconds > first.waits_seconds; });
  when(b.address(), [&](const auto& s) { return s.waits_for == a.address(); });
  b->open();
  EXPECT_EQ(done.get(), 5);
  when(a.address(), [](const auto& s) { return !s.waits_for; });
  when(b.address(), [](const auto& s) { return !s.waits_for; });
}

TEST_P(Watching, TheProgramItselfIsShown) {
  auto p = here.make<Shown>(path);
  ov::Address program = runtime.processes().front().address;
  std::thread caller([&] { p->hold(3); });
  auto waits = when(program, [](const auto& s) { return s.state == ov::process_state::waiting; });
  EXPECT_EQ(waits.waits_for, p.address());
  EXPECT_THAT(waits.waits_in, HasSubstr("Shown::hold"));
  EXPECT_EQ(waits.facts.pid, ::getpid());
  marks.set(3);
  caller.join();
  when(program, [](const auto& s) { return s.state == ov::process_state::running; });
}

TEST_P(WatchingAlone, AStoppedProcessIsShownAndCanBeEnded) {
  auto p = here.make<Shown>(path);
  auto status = status_of(p.address());
  ASSERT_TRUE(status);
  ov::send_signal(*status, SIGSTOP);
  when(p.address(), [](const auto& s) { return s.state == ov::process_state::stopped; });  // it takes no call any more
  auto call = ov::start(p)->pid();
  const std::uint64_t waiting = GetParam() == "box" ? 0 : 1;
  const auto stopped = when(p.address(), [&](const auto& s) { return s.calls_waiting == waiting; });
  EXPECT_EQ(stopped.state, ov::process_state::stopped);
  ov::send_signal(stopped, SIGKILL);
  EXPECT_THROW(call.get(), ov::process_died);
  until([&] { return !status_of(p.address()); });
  EXPECT_THROW(ov::send_signal(stopped, SIGKILL), ov::gone_error);
}

TEST_P(Watching, OneOnAThreadTakesNoSignalAlone) {
  auto host = here.make<Counter>();
  auto guest = host->lodger(5);
  auto status = status_of(guest.address());
  ASSERT_TRUE(status);
  EXPECT_THROW(ov::send_signal(*status, SIGKILL), ov::usage_error);
  EXPECT_EQ(guest->value(), 5);
}

TEST_P(Watching, AMachineTellsOfItsHardware) {
  EXPECT_THAT(runtime.machines(), testing::ElementsAre(runtime.machine().name(), "box", "attic"));
  for (const auto& name : {GetParam() == "box" ? std::string("box") : runtime.machine().name(), std::string("attic")}) {
    auto facts = runtime.machine(name).facts();
    EXPECT_EQ(facts.name, name);
    EXPECT_GE(facts.cores, 1);
    EXPECT_GT(facts.memory_available, 0);
    EXPECT_LE(facts.memory_available, facts.memory_bytes);
    EXPECT_GE(facts.load, 0);
    for (const auto& disk : facts.disks) EXPECT_LE(disk.free_bytes, disk.bytes) << disk.path;
  }
}

class WatchingNames : public NamedObjects {};

TEST_F(WatchingNames, AnObjectWithANameIsShownWithIt) {
  auto p = ov::named("ov://a/ledger").make<Ledger>(4);
  auto status = status_of(p.address());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->name, "ov://a/ledger");
  EXPECT_EQ(status->agent, ov::agent_kind::lasting);
  EXPECT_EQ(status->facts.pid, p->pid());
  auto saved = ov::saved_objects("ov://a", home.string());
  ASSERT_EQ(saved.size(), 1U);
  EXPECT_EQ(saved[0].name, "ov://a/ledger");
  EXPECT_EQ(saved[0].pid, p->pid());
  EXPECT_EQ(saved[0].generation, 1U);
  EXPECT_GT(saved[0].bytes, 0);
  EXPECT_GE(saved[0].saved, saved[0].made - 1);
  EXPECT_THROW(ov::restore_saved("ov://a/ledger", home.string()), ov::refused);
  EXPECT_TRUE(ov::saved_objects("ov://b", home.string()).empty());
}

TEST_F(WatchingNames, TheStateBeforeIsRestored) {
  {
    auto p = ov::named("ov://a/ledger").make<Ledger>(4);
    p->add(5);
    ov::save(p);
    p->add(6);
    ov::save(p);
  }
  end_agent(SIGKILL);  // nothing is saved once more
  runtime.reset();
  auto restored = ov::restore_saved("ov://a/ledger", home.string());
  EXPECT_EQ(restored.generation, 2U);
  EXPECT_EQ(ov::saved_objects({}, home.string()).at(0).generation, 2U);
  EXPECT_THROW(ov::restore_saved("ov://a/nothing", home.string()), ov::usage_error);
  begin();
  EXPECT_THAT(ov::open<Ledger>("ov://a/ledger")->numbers(), testing::ElementsAre(4, 5));
}

TEST_P(Watching, ARoadIsShownWithWhyItIsThatOne) {
  auto p = here.make<Shown>(path);
  p->pid();
  auto road = [&]() -> std::optional<ov::RoadStatus> {
    for (const auto& each : ov::all_roads())
      if (each.first == p.address() || each.second == p.address()) return each;
    return std::nullopt;
  };
  auto shown = road();
  ASSERT_TRUE(shown);
  EXPECT_EQ(ov::road::to_string(shown->road), GetParam() == "thread" ? "thread" : GetParam() == "process" ? "shm" : "net");
  EXPECT_FALSE(ov::road::reason_for(shown->road).empty());
  ov::destroy(p);
  until([&] { return !road(); });
}

TEST(WatchingHome, LookingMakesNothing) {
  auto home = std::filesystem::temp_directory_path() / ("octavo-no-home-" + std::to_string(::getpid()));
  EXPECT_TRUE(ov::saved_objects({}, home.string()).empty());
  EXPECT_FALSE(std::filesystem::exists(home));
}

// C-7: what is shown of a program ends with it, however it ends.
TEST(WatchingPrograms, OneThatIsKilledIsShownNoMore) {
  ov::kit::Watchdog watchdog(60);
  int program = watchdog.fork();
  if (program == 0) {
    ov::Runtime runtime;
    [[maybe_unused]] auto p = ov::process.make<Counter>();
    for (;;) ::pause();
  }
  auto shown = [&] {
    auto all = ov::all_processes();
    return std::count_if(all.begin(), all.end(), [&](const auto& each) { return each.agent_pid == program; });
  };
  until([&] { return shown() == 2; });
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  EXPECT_EQ(shown(), 0);
}

INSTANTIATE_TEST_SUITE_P(, WatchingLong, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, Watching, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, WatchingAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
