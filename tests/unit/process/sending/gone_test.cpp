// SPDX-License-Identifier: Apache-2.0
// What is sent to a process that is gone: its sender hears what became of it, and no page is lost.
#include <gtest/gtest.h>

#include <future>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "unit/process/sending/sending.hpp"

namespace octavo::detail {
namespace {

class SenderToTheGone : public SenderTest {
 protected:
  void send_page() {
    auto out = frame_of(wire::frame_kind::call, 1);
    out.pages.push_back(mine.pool.allocate(5000));
    out.owner.keeper = &mine.pool;
    sender.send(peer.address(), out);
  }
  const std::int64_t all = mine.pool.free_bytes();
};

TEST_F(SenderToTheGone, C6_IsToldByTheObituary) {
  peer.back.connection->close();  // its end is seen first
  auto heard = std::async(std::launch::async, [&] { machine.kill(peer.around); });
  EXPECT_THROW(send_page(), process_died);
  heard.get();
  EXPECT_EQ(mine.pool.free_bytes(), all) << "its pages are released";
}

TEST_F(SenderToTheGone, KnownToBeDeadNothingIsSent) {
  machine.kill(peer.around);
  EXPECT_THROW(send_page(), process_died);
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(SenderToTheGone, WithoutAnAgentNobodySaysWhatItDiedOf) {
  peer.back.connection->close();
  mine.links.lose_agent();
  EXPECT_THROW(send_page(), gone_error);
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(SenderToTheGone, WhoWaitsForRoomHearsOfIt) {
  on_pump = [&] { machine.kill(peer.around); };
  EXPECT_THROW(
      {
        for (std::uint64_t call = 1; call <= many; ++call) send(call);
      },
      process_died);
}

}  // namespace
}  // namespace octavo::detail
