// SPDX-License-Identifier: Apache-2.0
// The lasting agent begins, ends and is lost while programs ask something of it: they wait for its next life, or hear why not.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <future>

#include "conformance/process/named/named_scene.hpp"
#include "machine/sweeper/mark.hpp"
#include "octavo/base/fd.hpp"

namespace process_tests {

// Its state cannot be written before the file "go" is where it works.
class SlowToSave {
 public:
  int add(int n) { return sum_ += n; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum_, go_);
    if constexpr (Archive::is_saving::value) until([this] { return std::filesystem::exists(go_); });
  }
  SlowToSave() = default;
  explicit SlowToSave(std::string go) : go_(std::move(go)) {}

 private:
  int sum_ = 0;
  std::string go_;
};
OCTAVO_REMOTE(SlowToSave, add)

namespace {

using LastingAgent = NamedObjects;

bool listens(const std::filesystem::path& socket) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, socket.c_str(), sizeof name.sun_path - 1);
  ov::Fd here(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(here.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

TEST_F(LastingAgent, WhoComesWhileItEndsReachesTheNext) {
  std::filesystem::create_directories(home);
  auto go = home / "go";
  std::ofstream(go).put('1');
  auto p = ov::named("slow").make<SlowToSave>(go.string());
  p->add(5);
  int ending = agent();
  std::filesystem::remove(go);
  ::kill(ending, SIGTERM);
  until([&] { return !listens(home / "agent.sock"); });
  auto other = std::async(std::launch::async, [&] {
    ov::Runtime second({.reach = ov::runtime_reach::scope, .home = home.string()});
    auto use = second.use();
    auto q = ov::open<SlowToSave>("slow");
    return q->add(1);
  });
  EXPECT_TRUE(alive(ending)) << "it waits for its object's state";
  EXPECT_EQ(other.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  std::ofstream(go).put('1');
  EXPECT_EQ(other.get(), 6) << "what was saved last";
  EXPECT_NE(agent(), ending);
}

// The program that it began in was started by an object, and ends with that; it does not, nor do its objects.
TEST_F(LastingAgent, A1_ItHasNoMarkOfTheObjectThatStartedItsProgram) {
  using namespace ov::sweeper;
  const Mark of_object = random_agent() | 1;
  ASSERT_TRUE(put_on(of_object));
  auto p = ov::named("books/first").make<Ledger>(3);
  ASSERT_TRUE(put_on(none));
  for (const pid_t each : {agent(), p->pid()}) EXPECT_NE(mark_on(each) & of_agent, of_object & of_agent);
  EXPECT_EQ(mark_on(agent()), none);
}

TEST_F(LastingAgent, A1_WhatAProgramMadeBesideANamedObjectEndsWithIt) {
  auto p = ov::named("books/first").make<Ledger>(3);
  auto beside = ov::beside(p).make<Ledger>(4);
  const int lasting = p->pid(), pid = beside->pid();
  ov::Runtime second({.reach = ov::runtime_reach::scope, .home = home.string()});
  int others = 0;
  {
    auto use = second.use();
    others = ov::beside(ov::open<Ledger>("books/first")).make<Ledger>(5)->pid();
  }
  as_another_program();
  until([&] { return !alive(pid); });
  EXPECT_TRUE(alive(lasting)) << "it has a name";
  EXPECT_TRUE(alive(others)) << "its program lives";
}

TEST_F(LastingAgent, OneThatDiesBeforeItAnswersIsReplaced) {
  ov::named("books/first").make<Ledger>(3);
  for (int i = 0; i < 20; ++i) {
    ::kill(agent(), SIGKILL);  // dead or dying when the next one comes
    as_another_program();
    EXPECT_EQ(ov::open<Ledger>("books/first")->numbers(), Numbers{3});
  }
}

TEST_F(LastingAgent, HasClosedItsNamesWhenItIsSaidToHaveEnded) {
  for (int i = 0; i < 20; ++i) {
    ov::named("books/" + std::to_string(i)).make<Ledger>(i);
    EXPECT_TRUE(exists(home / "names.db-wal"));
    ov::end_lasting_agent();
    EXPECT_FALSE(exists(home / "names.db-wal")) << "the last to close a database puts all into it";
  }
}

TEST_F(LastingAgent, WhatIsWishedOfAnUnknownOneFails) {
  ov::Address nowhere{0x1234567, 0, 9};
  EXPECT_THROW(runtime->kill(nowhere, SIGTERM), ov::gone_error);
  EXPECT_THROW(ov::remote_ptr<Ledger>(nowhere)->numbers(), ov::gone_error);
}

}  // namespace
}  // namespace process_tests
