// SPDX-License-Identifier: Apache-2.0
// Ends of channels that never arrive: in a result, a message, a channel; and values that cannot be sent after all (CH-1, CH-6).
#include <csignal>

#include "conformance/message/channel/pump.hpp"
#include "message/channel/edges.hpp"

namespace channel_tests {
namespace {

using process_tests::until;
using testing::HasSubstr;

// A value that may refuse to be encoded, with an end beside it.
struct Difficult {
  int number = 0;
  bool refuses = false;
  ov::ChannelReader<int> reader;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(reader, number, refuses);
    if (std::is_same_v<Archive, ov::wire::Encoder> && refuses) throw ov::io_error("no value of that kind goes on a journey");
  }
};

class Keeper {
 public:
  explicit Keeper(ov::Mailbox<ov::ChannelReader<int>> box) : box_(std::move(box)) {}
  void read_box() { (void)box_.try_retrieve(); }
  void take_ends(ov::ChannelReader<ov::ChannelReader<int>> ends) { ends_ = std::move(ends); }
  void take(ov::ChannelReader<Difficult> in) { in_ = std::move(in); }
  ov::ChannelReader<Difficult> give() { return std::move(in_); }
  bool has_one() const { return static_cast<bool>(in_); }
  std::string next() {
    try {
      auto got = in_.retrieve();
      return got ? std::to_string(got->number) : "the end";
    } catch (const ov::error& e) {
      return std::string(ov::to_string(e.kind())) + ": " + e.what();
    }
  }
  int pid() const { return ::getpid(); }

 private:
  ov::Mailbox<ov::ChannelReader<int>> box_;
  ov::ChannelReader<ov::ChannelReader<int>> ends_;
  ov::ChannelReader<Difficult> in_;
};
OCTAVO_REMOTE(Keeper, read_box, take_ends, take, give, has_one, next, pid)

// Calls an object that gives it an end, and never takes the answer up.
class Caller {
 public:
  void ask(const ov::remote_ptr<Keeper>& keeper) {
    answer_ = ov::start(keeper)->give();
    ::kill(::getpid(), SIGSTOP);
  }
  int pid() const { return ::getpid(); }

 private:
  ov::future<ov::ChannelReader<Difficult>> answer_;
};
OCTAVO_REMOTE(Caller, ask, pid)

class LostEnds : public process_tests::EveryPlace {};
class UnsentValues : public process_tests::EveryPlace {};

template <class T>
void expect_lost(ov::ChannelWriter<T>& out) {
  until([&] {
    try {
      out.post(T{});
      return false;
    } catch (const ov::gone_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("lost on its way"));
      return true;
    }
  });
}

TEST_P(LostEnds, CH6_InAMailboxWhoseReaderIsKilled) {
  ov::Mailbox<ov::ChannelReader<int>> box("ends of channels");
  auto keeper = here.make<Keeper>(box);
  const int pid = keeper->pid();
  keeper->read_box();
  auto [out, in] = ov::channel<int>();
  box.post(std::move(in));
  EXPECT_EQ(keeper->pid(), pid) << "it comes behind the end";
  ::kill(pid, SIGKILL);
  expect_lost(out);
}

TEST_P(LostEnds, CH6_InAChannelWhoseReaderIsKilled) {
  auto keeper = here.make<Keeper>(ov::Mailbox<ov::ChannelReader<int>>("unused"));
  const int pid = keeper->pid();
  auto [give, take] = ov::channel<ov::ChannelReader<int>>();
  keeper->take_ends(std::move(take));
  auto [out, in] = ov::channel<int>();
  give.post(std::move(in));
  ::kill(pid, SIGKILL);
  expect_lost(out);
}

// Its first place goes on with the end, and is gone before that was taken out: it is not lost.
TEST_P(LostEnds, CH6_InAChannelWhoseReaderMovesAndItsFirstPlaceGoes) {
  auto keeper = here.make<Keeper>(ov::Mailbox<ov::ChannelReader<int>>("unused"));
  auto [give, take] = ov::channel<Difficult>();
  keeper->take(std::move(take));
  auto [out, in] = ov::channel<int>();
  give.post({4, false, std::move(in)});
  (void)keeper->pid();  // it comes behind the end
  auto back = keeper->give();
  auto came = back.retrieve();
  ov::destroy(keeper);
  ASSERT_TRUE(came);
  out.post(7);
  EXPECT_EQ(came->reader.retrieve(), 7);
}

TEST_P(LostEnds, CH6_InTheAnswerToACallerThatIsKilled) {
  auto keeper = here.make<Keeper>(ov::Mailbox<ov::ChannelReader<int>>("unused"));
  auto [out, in] = ov::channel<Difficult>();
  keeper->take(std::move(in));
  auto caller = here.make<Caller>();
  const int pid = caller->pid();
  auto asking = ov::start(caller)->ask(keeper);
  until([&] { return !keeper->has_one(); });
  ::kill(pid, SIGKILL);
  expect_lost(out);
}

TEST_P(UnsentValues, CH1_OneThatCouldNotBeEncodedIsToldInItsPlace) {
  auto keeper = here.make<Keeper>(ov::Mailbox<ov::ChannelReader<int>>("unused"));
  auto [out, in] = ov::channel<Difficult>();
  auto [lost_out, lost_in] = ov::channel<int>();
  for (int i = 0; i < 3; ++i) out.post({i, i == 1, i == 1 ? std::move(lost_in) : ov::ChannelReader<int>()});
  keeper->take(std::move(in));  // what lies here follows
  EXPECT_EQ(keeper->next(), "0");
  EXPECT_THAT(keeper->next(), HasSubstr("no value of that kind goes on a journey"));
  EXPECT_EQ(keeper->next(), "2");
  expect_lost(lost_out);                                // it was beside the value
  EXPECT_THROW(out.post({3, true, {}}), ov::io_error);  // at once
  out.post({4, false, {}});
  EXPECT_EQ(keeper->next(), "4");
  out.close();
  EXPECT_EQ(keeper->next(), "the end");
}

INSTANTIATE_TEST_SUITE_P(, LostEnds, process_tests::every_process, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, UnsentValues, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace channel_tests
