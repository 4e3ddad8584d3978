// SPDX-License-Identifier: Apache-2.0
// Each call is answered, or somebody hears that it never will be (process/inquiry/inquiry.hpp, Q-1 to Q-5).
#include <cstdlib>

#include "conformance/process/every_place.hpp"
#include "conformance/process/short_patience.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/process/detail/exchange.hpp"
#include "process/endpoint.hpp"

namespace process_tests {

class Talker {
 public:
  using Pointer = octavo::remote_ptr<Talker>;
  int add(int n) { return value_ += n; }
  octavo::future<int> later(int n) { co_return n; }
  octavo::future<int> when_opened() { return gate_.get_future(); }
  void open(int n) { gate_.set_value(n); }
  // When it was resumed, with no method below it on the stack: starts so many calls that it reads while it goes on, then waits for one.
  octavo::future<int> churn(Pointer other, int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; ++i) {
      co_await octavo::start<&Talker::later>(other, 0);
      std::vector<octavo::future<int>> started;
      for (int n = 0; n < 40; ++n) started.push_back(octavo::start<&Talker::later>(other, 1));
      octavo::call<&Talker::add>(other, 0);
      for (auto& each : started) sum += each.get();
    }
    co_return sum;
  }
  // Returns when the file is there.
  int hold(const std::string& file) {
    until([&] { return std::filesystem::exists(file); });
    return 1;
  }
  // This end of the connection with its caller is gone, and so is the way back of the answer.
  int hang_up() {
    auto& here = octavo::detail::Endpoint::require();
    std::vector<octavo::detail::PeerLink> links;
    std::uint64_t version = 0;
    here.around().links.refresh(links, version);
    for (const auto& each : links)
      if (each.facts.address.object == 1) each.connection->close();
    return 1;
  }

 private:
  int value_ = 0;
  octavo::promise<int> gate_;
};
OCTAVO_REMOTE(Talker, add, later, when_opened, open, churn, hold, hang_up)

namespace {

using namespace std::chrono_literals;
namespace detail = octavo::detail;

// A method that loses its answer, as a fault in Octavo would.
const detail::Method* const forgets = detail::register_method({.key = "process_tests::Talker::forget()",
                                                               .type = &typeid(Talker),
                                                               .identity = &typeid(Talker*),
                                                               .class_name = "process_tests::Talker",
                                                               .run = [](detail::Hosted&, octavo::wire::Message&, const detail::Reply&) {}});

class Answered : public ShortPatience, public EveryPlace {
 protected:
  Answered() : ShortPatience("1") {}
};

octavo::ProcessStatus status_of(const octavo::Address& who) {
  for (const auto& each : octavo::all_processes())
    if (each.facts.address == who) return each;
  return {};
}

std::string lost(octavo::future<int> call) {
  try {
    call.get();
  } catch (const octavo::process_died& e) {
    return std::string("it died: ") + e.what();
  } catch (const octavo::gone_error& e) {
    return e.what();
  }
  return "it was answered";
}

// The main job hung where a coroutine read a call in its place, and then waited: all later answers to that caller were lost.
TEST_P(Answered, Q1_AlsoWhenACoroutineReadsThatThenWaits) {
  auto p = here.make<Talker>(), other = here.make<Talker>();
  auto done = octavo::start(p)->churn(other, 300);
  for (int i = 0; !done.ready(); ++i) ASSERT_EQ(octavo::start(p)->later(i).get(), i);
  EXPECT_EQ(done.get(), 300 * 40);
}

TEST_P(Answered, Q2_ALostAnswerIsAnErrorThatNamesTheCall) {
  auto p = here.make<Talker>();
  octavo::wire::Outgoing out;
  auto state = std::make_shared<detail::State<int>>();
  detail::begin_call(state, p.address(), octavo::wire::frame_kind::call, *forgets, out);
  EXPECT_EQ(p->add(1), 1) << "the process goes on";
  try {
    detail::wait_for(*state, detail::forever());
    state->take_reply();
    FAIL() << "it was answered";
  } catch (const octavo::gone_error& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("Talker::forget()"), HasSubstr("neither in its queue"), HasSubstr("report it")));
  }
  EXPECT_EQ(p->add(1), 2);
}

TEST_P(Answered, Q3_ALostConnectionIsAnErrorThoughTheProcessLives) {
  auto p = here.make<Talker>();
  EXPECT_EQ(p->add(1), 1);
  EXPECT_THAT(lost(octavo::start(p)->hang_up()), testing::AnyOf(HasSubstr("the connection with that process is lost"), HasSubstr("says nothing of it")));
}

// All of these wait for three times the patience.
TEST_P(Answered, Q5_WhatRunsWaitsOrIsOwedDoesNotFail) {
  const auto file = std::filesystem::temp_directory_path() / ("octavo-answered-" + std::to_string(::getpid()) + "-" + GetParam());
  std::filesystem::remove(file);
  auto p = here.make<Talker>(), q = here.make<Talker>();
  auto owed = octavo::start(q)->when_opened();
  auto runs = octavo::start(p)->hold(file.string()), queued = octavo::start(p)->add(1);
  EXPECT_FALSE(queued.wait_for(3s));
  EXPECT_FALSE(runs.ready() || owed.ready());
  until([&] { return status_of(q.address()).state == octavo::process_state::suspended; });
  EXPECT_EQ(status_of(q.address()).calls_owed, 1U);
  std::ofstream(file).put('x');
  EXPECT_EQ(runs.get() + queued.get(), 2);
  q->open(5);
  EXPECT_EQ(owed.get(), 5);
  until([&] { return status_of(q.address()).state == octavo::process_state::idle; });
  std::filesystem::remove(file);
}

TEST_P(Answered, Q5_WhereTheWholeProgramIsIdleNothingFailsAndNothingIsSaid) {
  auto p = here.make<Talker>();
  auto owed = octavo::start(p)->when_opened();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(owed.wait_for(3s));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  p->open(5);
  EXPECT_EQ(owed.get(), 5);
}

INSTANTIATE_TEST_SUITE_P(On, Answered, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
