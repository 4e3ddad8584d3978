// SPDX-License-Identifier: Apache-2.0
// Calls whose callee ends while they are sent: one with a name is called in its next life, of another the caller hears.
#include <gtest/gtest.h>

#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/calls/made_calls.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

// What happens while a call is sent is the test's.
class FragileRoad final : public road::Connection {
 public:
  void send(const wire::Outgoing& frame, const road::OnFull& /*on_full*/) override {
    if (on_send) on_send();
    sent.push_back(frame.header.call);
  }
  bool flush() override { return true; }
  using Connection::receive;
  bool receive(wire::Message& /*into*/, wire::InPlaceReceiver* /*in_place*/) override { return false; }
  [[nodiscard]] bool ready() const override { return false; }
  [[nodiscard]] bool got_room() const override { return true; }
  [[nodiscard]] bool gone() const override { return false; }
  [[nodiscard]] bool lost() const override { return false; }
  void notice_gone() override {}
  void close() override {}
  [[nodiscard]] std::string_view road() const override { return "fragile"; }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }

  std::function<void()> on_send;
  std::vector<std::uint64_t> sent;
};

class Lives : public PartTest {
 protected:
  std::shared_ptr<FragileRoad> life(const Address& of, std::int64_t pid, bool by_value = false) {
    auto road = std::make_shared<FragileRoad>();
    PeerLink link;
    link.facts.address = of;
    link.facts.pid = pid;
    if (!by_value) link.route = wire::PageRoute{2, 0};
    link.connection = road;
    mine.links.enter(link);
    return road;
  }
  void begin(const Address& to, std::vector<wire::PageRef> pages = {}, wire::frame_kind kind = wire::frame_kind::call) {
    wire::Outgoing out;
    out.pages = std::move(pages);
    out.owner.keeper = &mine.pool;
    parts.calls.begin(state, to, kind, 5, out);
  }
  static void ends() { throw gone_error("the other end of a connection is gone"); }

  const Address plain{1, 1, 7}, named{1, 0, 8};
  Pool& theirs = machine.add().pool;
  const std::int64_t all = mine.pool.free_bytes();
  std::shared_ptr<State<int>> state = std::make_shared<State<int>>();
  Calling parts{mine};
};

TEST_F(Lives, AnObjectWithANameIsCalledInItsNextLife) {
  const auto first = life(named, 100), second = life(named, 101);
  first->on_send = ends;
  const auto page = mine.pool.allocate(5000);
  begin(named, {page});
  EXPECT_TRUE(first->sent.empty());
  EXPECT_EQ(second->sent, std::vector{state->call});
  EXPECT_FALSE(state->ready());
  parts.calls.look([&](const PendingCalls& pending) {
    EXPECT_EQ(pending.size(), 1U) << "each call is entered once";
    EXPECT_EQ(pending.find(state->call)->life, 101);
  });
  EXPECT_FALSE(mine.links.link_if_there(named, 100)) << "nobody takes that connection again";
  EXPECT_EQ(mine.pool.references(page), 1U);
  theirs.release(page);
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(Lives, OfAnotherTheCallerHearsAndItsPagesAreReleased) {
  mine.links.lose_agent();
  for (const bool by_value : {false, true}) {
    const Address to{1, 1, by_value ? 10U : 11U};
    life(to, 100, by_value)->on_send = ends;
    state = std::make_shared<State<int>>();
    begin(to, {mine.pool.allocate(5000)});
    EXPECT_THROW(state->take(), gone_error);
    EXPECT_TRUE(parts.calls.none_waits());
    EXPECT_EQ(mine.pool.free_bytes(), all);
  }
}

TEST_F(Lives, WhereNoOtherLifeComesTheCallerHears) {
  life(named, 100)->on_send = ends;
  begin(named, {mine.pool.allocate(5000)});
  EXPECT_THROW(state->take(), gone_error);  // the request for a connection is answered: there is no such process
  EXPECT_TRUE(parts.calls.none_waits());
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

// The name is gone with it, and what its agent says of the address is that it was destroyed.
TEST_F(Lives, OfAnObjectThatEndsBeforeItIsMadeTheCallerHearsWhatItDiedOf) {
  life(named, 100)->on_send = [&] {
    Obituary death;
    death.facts.address = named;
    death.facts.pid = 100;
    death.status = 3;
    mine.links.died(death);
    ends();
  };
  begin(named, {}, wire::frame_kind::construct);
  try {
    state->take();
    FAIL();
  } catch (const process_died& e) {
    EXPECT_EQ(e.obituary().status, 3);
  }
  EXPECT_TRUE(parts.calls.none_waits());
}

// The reader has dealt with that death before this call was entered: nobody else would tell it.
TEST_F(Lives, C6_ACallThatFindsItsCalleeForgottenFails) {
  life(plain, 100)->on_send = [&] {
    Obituary death;
    death.facts.address = plain;
    death.facts.pid = 100;
    mine.links.died(death);
    while (parts.poller.incoming()) parts.poller.pump();
  };
  begin(plain);
  EXPECT_THROW(state->take(), process_died);
  EXPECT_TRUE(parts.calls.none_waits());
}

// a call is asked after once its frame has left.
TEST_F(Lives, ACallThatWaitsForRoomIsKnownNotToHaveLeft) {
  auto has_left = [&] { return parts.calls.look([&](const PendingCalls& pending) { return pending.find(state->call)->sent; }); };
  life(plain, 100)->on_send = [&] { EXPECT_FALSE(has_left()); };
  begin(plain);
  EXPECT_TRUE(has_left());
}

}  // namespace
}  // namespace octavo::detail
