// SPDX-License-Identifier: Apache-2.0
// D-6: who hears of what was written behind and is lost, and that a state of a version before still tells of it.
#include "data/device/write_behind.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "octavo/data/page_device.hpp"
#include "octavo/wire/archive.hpp"

namespace {

using octavo::Box;
using octavo::WriteBehind;
using Programs = std::vector<WriteBehind::Program>;

struct WriteBehinds : testing::Test {
  static constexpr WriteBehind::Program a = 1, b = 2, c = 3;
  void fail(WriteBehind::Program by, const std::string& why) {
    const Box place{{0}, {1}};
    (void)behind.begin(place, 8);
    behind.written(place, 8, std::make_exception_ptr(std::runtime_error(why)), by);
  }
  std::string heard_by(WriteBehind::Program program) {
    try {
      if (auto error = behind.take_error(program)) std::rethrow_exception(error);
      return "nothing";
    } catch (const std::runtime_error& e) {
      return e.what();
    }
  }
  WriteBehind behind{64};
};

TEST_F(WriteBehinds, D6_TheNextFlushHearsAndEachWriterOnce) {
  fail(b, "of b");
  EXPECT_EQ(behind.still_to_hear(c), Programs{b});
  EXPECT_EQ(heard_by(c), "of b");
  EXPECT_EQ(heard_by(c), "nothing");
  EXPECT_EQ(behind.still_to_hear(b), Programs{});
  EXPECT_EQ(heard_by(b), "of b");
  EXPECT_EQ(heard_by(b), "nothing");
}

TEST_F(WriteBehinds, D6_AnErrorThatNobodyHeardStaysForWhoFlushesNext) {
  fail(b, "of b");
  EXPECT_EQ(heard_by(c), "of b");
  fail(a, "of a");
  EXPECT_EQ(behind.still_to_hear(b), (Programs{0, a}));
  EXPECT_EQ(heard_by(b), "of b");
  EXPECT_EQ(heard_by(b), "of a") << "whose program may have ended";
  EXPECT_EQ(heard_by(a), "of a");
}

// As a device of before wrote it: a bool was the last.
struct StateBefore {
  octavo::Storage storage;
  octavo::Shape page;
  octavo::DeviceOptions options;
  bool unflushed = false;
};

TEST(DeviceStates, D10_AStateOfAVersionBeforeIsLoaded) {
  for (const bool unflushed : {false, true}) {
    octavo::wire::Outgoing out;
    octavo::wire::Encoder encoder(out);
    encoder(StateBefore{{.path = "/a", .shape = {4}, .chunk = {2}}, {2}, {.cache_bytes = 7}, unflushed});
    auto message = octavo::wire::message_of(out);
    octavo::wire::Decoder decoder(message);
    octavo::DeviceState state;
    decoder(state);
    EXPECT_EQ(state.storage.path, "/a");
    EXPECT_EQ(state.options.cache_bytes, 7);
    EXPECT_EQ(state.file_id, "");
    EXPECT_EQ(state.unflushed, unflushed ? Programs{0} : Programs{});
  }
}

}  // namespace
