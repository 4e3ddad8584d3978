// SPDX-License-Identifier: Apache-2.0
// The fault matrix, while an object with a name saves its state with a call: its process, the caller, its agent or the program is killed or stopped.
// The waiting call ends rightly, the state that is opened then is the old or the new one, whole, and nothing is left behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>

#include "kit/board.hpp"
#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace octavo::saving_tests {

using namespace std::chrono_literals;
using testing::HasSubstr;

enum mark : std::size_t { is_saving, may_go, has_reached, program_may_go };
enum class moment : std::uint8_t { no, encoding, syncing };  // is held when its state is being encoded, or when it is written and not yet safe
std::atomic<kit::Board*> held_at_sync{nullptr};

class Saver {
 public:
  Saver() = default;
  explicit Saver(std::string board) : numbers_{1}, board_(std::move(board)) {}
  std::size_t add(int n, int at) {
    numbers_.push_back(n);
    at_ = static_cast<moment>(at);
    return numbers_.size();
  }
  [[nodiscard]] std::vector<int> numbers() const { return numbers_; }
  [[nodiscard]] int pid() const { return ::getpid(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers_, board_);
    if constexpr (Archive::is_saving::value) hold(std::exchange(at_, moment::no));
  }

 private:
  void hold(moment at) const {
    if (at == moment::no) return;
    auto board = std::make_unique<kit::Board>(board_);
    if (at == moment::syncing) {
      held_at_sync.store(board.release());
    } else {
      board->set(is_saving);
      board->await(may_go);
    }
  }
  std::vector<int> numbers_;
  std::string board_;
  moment at_ = moment::no;
};
OCTAVO_REMOTE(Saver, add, numbers, pid)

class Client {
 public:
  std::string add(const remote_ptr<Saver>& saver, int at, int patience_ms) {
    try {
      auto answer = start(saver)->add(2, at);
      if (!answer.wait_for(std::chrono::milliseconds(patience_ms))) return "timed out";
      answer.get();
      return "answered";
    } catch (const error& e) {
      return e.kind() == error_kind::gone ? std::string("gone: ") + e.what() : e.what();
    }
  }
  int pid() const { return ::getpid(); }
};
OCTAVO_REMOTE(Client, add, pid)

namespace {

constexpr auto patience = 300ms;  // of calls to who is stopped
using Numbers = std::vector<int>;
using Row = std::tuple<std::string, moment>;  // machine, and when

// One of a program's: everything that takes part in a save that is held. `home` outlives it.
class Scene {
 public:
  Scene(const std::filesystem::path& home, const Row& row)
      : board(home / "board"), runtime({.engine = played({"box"}, home.string()), .home = (home / "names").string()}), row_(row), place_(named("saver")) {
    if (std::get<0>(row) == "box") place_ = place_.on(runtime.machine("box"));
    saver = place_.saving_every_call().make<Saver>((home / "board").string());
    client = process.make<Client>();
    callee = saver->pid();
    caller = client->pid();
    for (const auto& each : runtime.processes())
      if (each.address.object == 0 && each.address.agent == saver.address().agent) agent = static_cast<int>(each.pid);
  }
  void reach(std::chrono::milliseconds patient = 1h) {
    outcome = start(client)->add(saver, static_cast<int>(std::get<1>(row_)), static_cast<int>(patient.count()));
    board.await(is_saving);
  }
  kit::Board board;
  Runtime runtime;
  remote_ptr<Saver> saver;
  remote_ptr<Client> client;
  future<std::string> outcome;
  int callee = -1, caller = -1, agent = -1;

 private:
  Row row_;
  NamedPlace place_;
};

class Saving : public testing::TestWithParam<Row> {
 protected:
  Saving() { std::filesystem::create_directories(home); }
  ~Saving() override {
    if (scene) end_lasting_agent(scene->runtime.machine(std::get<0>(GetParam())));
    scene.reset();
    for (int pid : pids) kit::await_end(pid);
    EXPECT_EQ(kit::shared_memory_since(files_before), std::set<std::string>());
    EXPECT_EQ(kit::open_descriptors(), descriptors_before);
    EXPECT_EQ(kit::children(), std::vector<int>());
    std::filesystem::remove_all(home);
  }
  Scene& reach(std::chrono::milliseconds patient = 1h) {
    scene.emplace(home, GetParam());
    pids = {scene->callee, scene->caller, scene->agent};
    EXPECT_GT(scene->agent, 0);
    scene->reach(patient);
    return *scene;
  }
  // When its death is known: a call may still be on its way to the dead.
  static Numbers reopened(const remote_ptr<Saver>& saver) {
    for (;;) {
      try {
        return saver->numbers();
      } catch (const error& e) {
        EXPECT_EQ(e.kind(), error_kind::gone) << e.what();
      }
    }
  }
  // What is stored for one object: its state, the one before, and nothing that is half written.
  void expect_whole_states() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home)) EXPECT_NE(entry.path().extension(), ".new") << entry.path();
  }
  kit::Watchdog watchdog{20};
  std::set<std::string> files_before = kit::shared_memory_files();
  std::vector<std::string> descriptors_before = kit::open_descriptors();
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-saving-" + std::to_string(::getpid()));
  std::vector<int> pids;
  std::optional<Scene> scene;
};

TEST_P(Saving, CalleeKilled) {
  auto& s = reach();
  ::kill(s.callee, SIGKILL);
  auto outcome = s.outcome.get();
  EXPECT_THAT(outcome, HasSubstr("gone: "));
  EXPECT_THAT(outcome, HasSubstr("SIGKILL"));
  EXPECT_EQ(reopened(s.saver), Numbers{1}) << "the call was not answered, and its state not stored";
  EXPECT_EQ(s.saver->add(3, 0), 2u);
  expect_whole_states();
}

TEST_P(Saving, CalleeStopped) {
  auto& s = reach(patience);
  kit::stop(s.callee);
  EXPECT_EQ(s.outcome.get(), "timed out");
  ::kill(s.callee, SIGCONT);
  s.board.set(may_go);
  EXPECT_EQ(s.saver->numbers(), (Numbers{1, 2})) << "it was slow, no more";
  expect_whole_states();
}

TEST_P(Saving, CallerKilled) {
  auto& s = reach();
  ::kill(s.caller, SIGKILL);
  EXPECT_THROW(s.outcome.get(), process_died);
  s.board.set(may_go);
  EXPECT_EQ(s.saver->numbers(), (Numbers{1, 2})) << "the callee goes on";
  EXPECT_EQ(s.saver->pid(), s.callee);
  ::kill(s.callee, SIGKILL);
  EXPECT_EQ(reopened(s.saver), (Numbers{1, 2}));
  expect_whole_states();
}

TEST_P(Saving, CallerStopped) {
  auto& s = reach();
  kit::stop(s.caller);
  EXPECT_FALSE(s.outcome.wait_for(patience));
  s.board.set(may_go);
  EXPECT_EQ(s.saver->numbers(), (Numbers{1, 2})) << "the callee does not wait for who stopped reading";
  ::kill(s.caller, SIGCONT);
  EXPECT_EQ(s.outcome.get(), "answered");
}

TEST_P(Saving, AgentKilled) {
  auto& s = reach();
  ::kill(s.agent, SIGKILL);
  EXPECT_THAT(s.outcome.get(), HasSubstr("gone: "));
  kit::await_end(s.callee);
  EXPECT_EQ(reopened(s.saver), Numbers{1});
  EXPECT_EQ(s.saver->add(3, 0), 2u);
  expect_whole_states();
}

TEST_P(Saving, AgentStopped) {
  auto& s = reach(patience);
  kit::stop(s.agent);
  EXPECT_EQ(s.outcome.get(), "timed out");
  ::kill(s.agent, SIGCONT);
  s.board.set(may_go);
  EXPECT_EQ(s.saver->numbers(), (Numbers{1, 2}));
  EXPECT_EQ(s.saver->pid(), s.callee);
}

// The program of these rows is a child of the test; its exit status tells how its call ended.
class SavingProgram : public Saving {
 protected:
  void begin() {
    kit::Board board(home / "board");
    child = watchdog.fork();
    if (child == 0) {
      int status = 1;
      {
        Scene own(home, GetParam());
        own.reach();
        own.board.set(has_reached);
        own.board.await(program_may_go);
        status = own.outcome.get() == "answered" ? 0 : 2;
      }
      std::_Exit(status);
    }
    board.await(has_reached);
  }
  int end() const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  // The object and its agent outlive the program.
  void expect_saved() {
    kit::Board(home / "board").set(may_go);
    Runtime runtime({.engine = played({"box"}, home.string()), .home = (home / "names").string()});
    auto machine = runtime.machine(std::get<0>(GetParam()));
    auto saver = open<Saver>(machine, "saver");
    EXPECT_EQ(saver->numbers(), (Numbers{1, 2}));
    ::kill(saver->pid(), SIGKILL);
    EXPECT_EQ(reopened(saver), (Numbers{1, 2})) << "and it was saved";
    expect_whole_states();
    end_lasting_agent(machine);
  }
  pid_t child = -1;
};

TEST_P(SavingProgram, Killed) {
  begin();
  ::kill(child, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(end()));
  expect_saved();
}

TEST_P(SavingProgram, StoppedAndContinued) {
  begin();
  kit::stop(child);
  kit::Board board(home / "board");
  board.set(may_go);
  board.set(program_may_go);
  ::kill(child, SIGCONT);
  int status = end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  expect_saved();
}

TEST_P(SavingProgram, StoppedAndKilled) {
  begin();
  kit::stop(child);
  ::kill(child, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(end()));
  expect_saved();
}

std::string name_of_row(const testing::TestParamInfo<Row>& info) {
  return std::get<0>(info.param) + (std::get<1>(info.param) == moment::encoding ? "_encoding" : "_syncing");
}
const auto rows = testing::Combine(testing::Values("local", "box"), testing::Values(moment::encoding, moment::syncing));
INSTANTIATE_TEST_SUITE_P(, Saving, rows, name_of_row);
INSTANTIATE_TEST_SUITE_P(, SavingProgram, rows, name_of_row);

}  // namespace
}  // namespace octavo::saving_tests

// Stands before the library's, so that a save can be held when its state is written and not yet safe.
extern "C" int fsync(int file) {
  if (auto* board = octavo::saving_tests::held_at_sync.exchange(nullptr)) {
    board->set(octavo::saving_tests::is_saving);
    board->await(octavo::saving_tests::may_go);
    delete board;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}
