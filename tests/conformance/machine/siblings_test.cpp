// SPDX-License-Identifier: Apache-2.0
// Links between the agents of two machines that are not the program's (A-4, SI-1 to SI-4), by every kind that has them: what the hub carries then, and what is
// told when such a link, or the agent at its other end, is lost.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "conformance/process/every_place.hpp"
#include "kit/engines/surroundings.hpp"
#include "kit/link/sftp_pair.hpp"
#include "octavo/group.hpp"
#include "octavo/machine/ssh.hpp"

namespace process_tests {

// One that speaks to another: its value, or much, or as late as is wanted.
class Talker {
 public:
  explicit Talker(int value) : value_(value) {}
  [[nodiscard]] int value() const { return value_; }
  [[nodiscard]] std::string big(std::int64_t bytes) const { return std::string(static_cast<std::size_t>(bytes), 'x'); }
  ov::future<int> when_opened() {
    is_asked_ = true;
    return gate_.get_future();
  }
  [[nodiscard]] bool is_asked() const { return is_asked_; }
  [[nodiscard]] int ask(const ov::remote_ptr<Talker>& other) const { return ov::call<&Talker::value>(other); }
  [[nodiscard]] std::int64_t ask_big(const ov::remote_ptr<Talker>& other, std::int64_t bytes) const {
    return static_cast<std::int64_t>(ov::call<&Talker::big>(other, bytes).size());
  }
  [[nodiscard]] int ask_back(const ov::remote_ptr<Talker>& other, const ov::remote_ptr<Talker>& me) const { return ov::call<&Talker::ask>(other, me); }
  [[nodiscard]] int ask_late(const ov::remote_ptr<Talker>& other) const { return ov::call<&Talker::when_opened>(other); }

 private:
  int value_;
  bool is_asked_ = false;
  ov::promise<int> gate_;
};
OCTAVO_REMOTE(Talker, value, big, when_opened, is_asked, ask, ask_big, ask_back, ask_late)

// A member that says, with all others, who they are.
class Speaker {
 public:
  [[nodiscard]] std::int64_t sum_of_indices() const {
    const auto me = ov::self<Speaker>();
    return me.all_reduce(static_cast<std::int64_t>(me.index()), std::plus<>());
  }
  [[nodiscard]] std::int64_t longest(std::int64_t bytes) const {
    const auto me = ov::self<Speaker>();
    std::int64_t most = 0;
    for (const auto& each : me.all_to_all(std::vector<std::string>(me.size(), std::string(static_cast<std::size_t>(bytes), 'x'))))
      most = std::max(most, static_cast<std::int64_t>(each.size()));
    return most;
  }
};
OCTAVO_REMOTE(Speaker, sum_of_indices, longest)

namespace {

using namespace std::chrono_literals;

// All that goes by the program's links.
struct Carried {
  std::atomic<std::uint64_t> bytes{0};
};
class CountingLink final : public ov::road::Link {
 public:
  CountingLink(std::unique_ptr<ov::road::Link> inner, std::shared_ptr<Carried> carried) : inner_(std::move(inner)), carried_(std::move(carried)) {}
  std::size_t send(std::span<const ov::ByteView> pieces) override { return counted(inner_->send(pieces)); }
  std::size_t send_lent(std::span<const ov::ByteView> pieces, std::span<const Owner> owners) override { return counted(inner_->send_lent(pieces, owners)); }
  std::size_t receive(std::span<const ov::ByteSpan> into) override { return counted(inner_->receive(into)); }
  [[nodiscard]] int descriptor() const override { return inner_->descriptor(); }
  [[nodiscard]] short events(bool sending) const override { return inner_->events(sending); }
  [[nodiscard]] bool lost() const override { return inner_->lost(); }
  [[nodiscard]] std::string why() const override { return inner_->why(); }
  void close() override { inner_->close(); }
  [[nodiscard]] std::string_view kind() const override { return inner_->kind(); }
  [[nodiscard]] bool awaited() const override { return inner_->awaited(); }
  [[nodiscard]] std::chrono::milliseconds least_silence() const override { return inner_->least_silence(); }

 private:
  std::size_t counted(std::size_t bytes) {
    carried_->bytes += bytes;
    return bytes;
  }
  std::unique_ptr<ov::road::Link> inner_;
  std::shared_ptr<Carried> carried_;
};
class CountingEngine final : public ov::Engine {
 public:
  CountingEngine(std::shared_ptr<ov::Engine> inner, std::shared_ptr<Carried> carried) : inner_(std::move(inner)), carried_(std::move(carried)) {}
  [[nodiscard]] std::vector<std::string> machines() const override { return inner_->machines(); }
  std::unique_ptr<ov::road::Link> start_agent(const std::string& machine) override {
    return std::make_unique<CountingLink>(inner_->start_agent(machine), carried_);
  }
  void end() override { inner_->end(); }
  void prepare(const ov::AgentTerms& terms) override { inner_->prepare(terms); }

 private:
  std::shared_ptr<ov::Engine> inner_;
  std::shared_ptr<Carried> carried_;
};

const std::vector<std::string> names{"box", "attic", "shed"};
struct Kind {
  const char* name;
  std::string (*missing)();
  std::function<std::shared_ptr<ov::Engine>()> (*make)();
};
std::string nothing() { return ""; }
std::function<std::shared_ptr<ov::Engine>()> played() {
  return [] { return ov::played(names); };
}
std::function<std::shared_ptr<ov::Engine>()> tls() {
  return [] { return ov::ssh(names, {.address = "lo", .shell = {"env"}}); };
}
std::function<std::shared_ptr<ov::Engine>()> files() {
  return [] { return ov::ssh(names, {.shell = {"env"}, .link = "files"}); };
}
std::function<std::shared_ptr<ov::Engine>()> sftp() {
  return
      [server = std::make_shared<ov::kit::SftpServer>()] { return ov::ssh(names, {.address = "lo", .shell = {"env"}, .link = "sftp:" + server->command()}); };
}
std::function<std::shared_ptr<ov::Engine>()> pipes() {
  return [] { return ov::ssh(names, {.shell = {"env"}}); };
}

class SiblingMachines : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (auto why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
    make_ = GetParam().make();
    runtime.emplace(
        ov::RuntimeOptions{.memory = 64 * ov::MiB, .engine = std::make_shared<CountingEngine>(make_(), carried), .silence = std::chrono::milliseconds(60s)});
  }
  [[nodiscard]] int agent_of(const std::string& machine) const {
    for (const auto& each : runtime->processes())
      if (each.machine == machine && each.address.object == 0) return static_cast<int>(each.pid);
    return -1;
  }
  ov::kit::Watchdog watchdog{100};
  std::shared_ptr<Carried> carried = std::make_shared<Carried>();
  std::function<std::shared_ptr<ov::Engine>()> make_;
  std::optional<ov::Runtime> runtime;
};
class WithoutSiblings : public SiblingMachines {};

constexpr std::int64_t much = 8 << 20;
// Heartbeats, and what a call to an object costs the hub.
constexpr std::uint64_t little = 64 << 10;

TEST_P(SiblingMachines, A4_SI1_TheHubCarriesNothingOfWhatTwoOtherMachinesSayToEachOther) {
  auto box = runtime->machine("box").make<Talker>(10), attic = runtime->machine("attic").make<Talker>(100);
  EXPECT_EQ(box->ask(attic), 100);
  const auto before = carried->bytes.load();
  EXPECT_EQ(box->ask_big(attic, much), much);
  EXPECT_EQ(attic->ask_big(box, much), much);
  EXPECT_LT(carried->bytes.load() - before, little);
  EXPECT_EQ(box->ask_back(attic, box), 10) << "a callback, too";
}

TEST_P(SiblingMachines, A4_MembersOfAGroupSpeakDirectly) {
  std::vector<ov::Place> places;
  for (const auto& name : names) places.emplace_back(runtime->machine(name));
  auto all = ov::make_group<Speaker>(places, places.size());
  for (const auto sum : all->sum_of_indices()) EXPECT_EQ(sum, 3);
  static_cast<void>(all->longest(1));
  const auto before = carried->bytes.load();
  for (const auto bytes : all->longest(1 << 20)) EXPECT_EQ(bytes, 1 << 20);
  EXPECT_LT(carried->bytes.load() - before, little);
}

TEST_P(SiblingMachines, AMachineThatJoinsLateIsSpokenToDirectlyAndOneThatLeavesIsToldOf) {
  auto box = runtime->machine("box").make<Talker>(10), attic = runtime->machine("attic").make<Talker>(100);
  EXPECT_EQ(box->ask(attic), 100);
  auto shed = runtime->machine("shed").make<Talker>(1000);
  EXPECT_EQ(attic->ask(shed), 1000);
  EXPECT_EQ(shed->ask(box), 10);
  const auto before = carried->bytes.load();
  EXPECT_EQ(shed->ask_big(box, much), much);
  EXPECT_LT(carried->bytes.load() - before, little);
  ::kill(agent_of("shed"), SIGKILL);
  for (int tries = 0; tries < 2; ++tries) {
    try {
      for (;;) static_cast<void>(attic->ask(shed));
    } catch (const ov::process_died& e) {
      EXPECT_EQ(e.obituary().facts.address, shed.address()) << "and it is told again";
      EXPECT_THAT(e.what(), HasSubstr("its machine is lost"));
    }
  }
  EXPECT_EQ(box->ask(attic), 100) << "the others go on";
  auto again = runtime->machine("shed").make<Talker>(5);
  EXPECT_EQ(box->ask(again), 5);
}

TEST_P(SiblingMachines, A2_TheDeathOfAProcessIsToldByItsOwnAgent) {
  auto box = runtime->machine("box").make<Talker>(1), attic = runtime->machine("attic").make<Talker>(2);
  EXPECT_EQ(box->ask(attic), 2);
  runtime->kill(attic.address(), SIGKILL);
  try {
    for (;;) static_cast<void>(box->ask(attic));
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, attic.address());
    EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
  }
}

TEST_P(WithoutSiblings, A4_TheHubIsTheWay) {
  auto box = runtime->machine("box").make<Talker>(10), attic = runtime->machine("attic").make<Talker>(100);
  EXPECT_EQ(box->ask(attic), 100);
  const auto before = carried->bytes.load();
  EXPECT_EQ(box->ask_big(attic, much), much);
  EXPECT_GT(carried->bytes.load() - before, static_cast<std::uint64_t>(much));
}

INSTANTIATE_TEST_SUITE_P(Every, SiblingMachines,
                         testing::Values(Kind{"played", nothing, played}, Kind{"tls", nothing, tls}, Kind{"files", nothing, files},
                                         Kind{"sftp", ov::kit::SftpServer::missing, sftp}),
                         [](const auto& which) { return which.param.name; });
INSTANTIATE_TEST_SUITE_P(Every, WithoutSiblings, testing::Values(Kind{"pipes", nothing, pipes}), [](const auto& which) { return which.param.name; });

// --- a link that is cut, between played machines ---

// The sockets of the link between siblings, and where they listen, as this agent has them: they are of a Unix socket with a name of Octavo's.
void cut_siblings_of(int agent) {
  const ov::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, agent, 0)));
  for (const auto& each : std::filesystem::directory_iterator("/proc/" + std::to_string(agent) + "/fd")) {
    const ov::Fd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd.get(), std::stoi(each.path().filename()), 0)));
    if (!copy) continue;
    sockaddr_un name{};
    socklen_t size = sizeof name;
    if (::getsockname(copy.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0 || name.sun_family != AF_UNIX) continue;
    if (std::string_view(name.sun_path + 1, 7) == "octavo-") ::shutdown(copy.get(), SHUT_RDWR);
  }
}

class CutSiblings : public testing::Test {
 protected:
  [[nodiscard]] int agent_of(const std::string& machine) const {
    for (const auto& each : runtime.processes())
      if (each.machine == machine && each.address.object == 0) return static_cast<int>(each.pid);
    return -1;
  }
  void cut() const {
    for (const auto* machine : {"box", "attic"}) cut_siblings_of(agent_of(machine));
  }
  ov::kit::Watchdog watchdog{100};
  ov::Runtime runtime{{.engine = ov::played({"box", "attic"}), .silence = std::chrono::milliseconds(60s)}};
  ov::Machine box = runtime.machine("box"), attic = runtime.machine("attic");
};

TEST_F(CutSiblings, SI3_ACallThatCannotBeAnsweredSaysThatTheMachineMayLiveAndSoDoesTheNextOne) {
  auto there = box.make<Talker>(10), beyond = attic.make<Talker>(100);
  EXPECT_EQ(there->ask(beyond), 100);
  auto waiting = ov::start(there)->ask_late(beyond);
  until([&] { return beyond->is_asked(); });
  cut();
  for (int tries = 0; tries < 2; ++tries) {
    try {
      if (tries == 0) waiting.get();
      else static_cast<void>(there->ask(beyond));
      FAIL() << tries;
    } catch (const ov::process_died& e) {
      FAIL() << "it lives: " << e.what();
    } catch (const ov::error& e) {
      EXPECT_EQ(e.kind(), ov::error_kind::gone);
      EXPECT_THAT(e.what(), HasSubstr("machine attic may live, but is not reached from box")) << tries;
    }
  }
  EXPECT_EQ(there->value(), 10) << "the program reaches both";
  EXPECT_EQ(beyond->value(), 100);
  auto other = box.make<Talker>(20);
  EXPECT_EQ(other->ask(beyond), 100) << "others speak by another link, or by the hub";
}

TEST_F(CutSiblings, SI3_EveryMemberOfAGroupHearsOfItAndAgainAtTheNextCollective) {
  std::vector<ov::Place> places{ov::process, box, attic};
  auto all = ov::make_group<Speaker>(places, places.size());
  for (const auto bytes : all->longest(1)) EXPECT_EQ(bytes, 1);
  cut();
  for (int tries = 0; tries < 2; ++tries) {
    try {
      for (;;) static_cast<void>(all->longest(1));
    } catch (const ov::process_died& e) {
      FAIL() << "it lives: " << e.what();
    } catch (const ov::error& e) {
      EXPECT_THAT(e.what(), HasSubstr("may live, but is not reached from"));
    }
  }
}

}  // namespace
}  // namespace process_tests
