// SPDX-License-Identifier: Apache-2.0
// Whose the pages of a frame are, at each step of its way: nothing is lost, nothing is freed twice.
#include "process/sending/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

constexpr std::int64_t page_bytes = 5000;

class Pages : public PartTest {
 protected:
  wire::PageRef page(char fill = 'x') {
    auto made = mine.pool.allocate(page_bytes);
    std::fill_n(mine.pool.at(made), page_bytes, static_cast<std::byte>(fill));
    return made;
  }
  wire::PageRef stale() {
    auto gone = page();
    mine.pool.release(gone);
    return gone;
  }
  // Its owner is set by each test, as an encoder does: it is not copied with the frame.
  static wire::Outgoing frame(std::vector<wire::PageRef> pages) {
    wire::Outgoing out;
    out.pages = std::move(pages);
    return out;
  }
  [[nodiscard]] bool all_free() const { return mine.pool.free_bytes() == all; }

  Pool& theirs = machine.add().pool;
  const std::int64_t all = mine.pool.free_bytes();
  const std::optional<wire::PageRoute> by_value;
  const std::optional<wire::PageRoute> at_once = wire::PageRoute{2, 0};
  const std::optional<wire::PageRoute> by_a_way = wire::PageRoute{2, 7};
};

TEST_F(Pages, ThoseOfASharedPoolAreTheReceiversOnceTheyHaveLeft) {
  const auto sent = page();
  {
    auto out = frame({sent});
    out.owner.keeper = &mine.pool;
    const PagesUnderWay pages(mine.pool, out, at_once);
    EXPECT_TRUE(out.bulk.empty()) << "the bytes do not travel";
  }
  EXPECT_EQ(theirs.references(sent), 1U) << "the frame has gone, and its page not with it";
  theirs.release(sent);
  EXPECT_TRUE(all_free());
}

TEST_F(Pages, ByValueTheyAreBulkBehindTheOtherUntilTheFrameWasSent) {
  const std::vector<std::byte> other(3);
  const auto sent = page('p');
  auto out = frame({sent});
  out.owner.keeper = &mine.pool;
  out.bulk.emplace_back(other);
  {
    const PagesUnderWay pages(mine.pool, out, by_value);
    ASSERT_EQ(out.bulk.size(), 2U);
    EXPECT_EQ(out.bulk[1].size(), static_cast<std::size_t>(page_bytes));
    EXPECT_EQ(out.bulk[1][0], static_cast<std::byte>('p'));
    EXPECT_FALSE(all_free());
  }
  EXPECT_TRUE(all_free());
}

TEST_F(Pages, OfAFrameThatCannotBeSentTheyAreReleased) {
  for (const auto& route : {by_value, at_once, by_a_way}) {
    auto out = frame({page(), page()});
    out.owner.keeper = &mine.pool;
    {
      PagesUnderWay pages(mine.pool, out, route);
      pages.take_back();
    }
    EXPECT_TRUE(all_free());
  }
}

TEST_F(Pages, OfAFrameThatMayGoAgainTheyAreKept) {
  for (const auto& first : {by_value, at_once, by_a_way}) {
    for (const auto& second : {by_value, at_once, by_a_way}) {
      const auto sent = page('k');
      {
        auto out = frame({sent});
        out.owner.keeper = &mine.pool;
        PagesUnderWay pages(mine.pool, out, first, PagesUnderWay::keeps::yes);
        for (int life = 0; life < 3; ++life) {
          pages.take_back();
          pages.leave_again(second, {});
        }
        EXPECT_EQ(out.bulk.empty(), first && second) << "by value its bytes travel";
      }
      if (second && first) {
        if (second->way != 0) theirs.accept(sent, second->way);
        ASSERT_EQ(theirs.references(sent), 1U);
        EXPECT_EQ(theirs.at(sent)[0], static_cast<std::byte>('k'));
        theirs.release(sent);
      }
      EXPECT_TRUE(all_free());
    }
  }
}

TEST_F(Pages, WhereTheyCannotBeKeptNoneIsLost) {
  {
    auto out = frame({page(), stale()});
    out.owner.keeper = &mine.pool;
    EXPECT_THROW(PagesUnderWay(mine.pool, out, at_once, PagesUnderWay::keeps::yes), io_error);
  }
  EXPECT_TRUE(all_free());
}

// SEG-4: elsewhere its bytes would be something else.
TEST_F(Pages, OneInCommonDoesNotLeaveByValueAndStaysTheFrames) {
  auto common = page();
  common.in_common = 1;
  {
    auto out = frame({page(), common});
    out.owner.keeper = &mine.pool;
    EXPECT_THROW(PagesUnderWay(mine.pool, out, by_value), not_supported);
    EXPECT_TRUE(out.bulk.empty());
    EXPECT_FALSE(all_free());
  }
  EXPECT_TRUE(all_free());
  auto out = frame({common = page()});
  out.pages[0].in_common = 1;
  { const PagesUnderWay pages(mine.pool, out, at_once); }
  EXPECT_EQ(theirs.references(common), 1U);
  theirs.release(common);
}

// What is left of them would be lost: nobody else knows of a frame that was never sent.
TEST_F(Pages, WhereOneCannotLeaveAllAreReleased) {
  for (const auto& route : {by_value, at_once, by_a_way}) {
    auto out = frame({page(), stale(), page()});
    out.owner.keeper = &mine.pool;
    EXPECT_THROW(PagesUnderWay(mine.pool, out, route), io_error);
    EXPECT_TRUE(all_free());
  }
}

TEST_F(Pages, TheyComeBackFromAFrameThatGoesAnotherWay) {
  {
    auto out = frame({page(), page()});
    out.owner.keeper = &mine.pool;
    PagesUnderWay pages(mine.pool, out, by_a_way);
    ASSERT_TRUE(pages.come_back());
    EXPECT_EQ(mine.pool.references(out.pages[0]), 1U);
    EXPECT_EQ(mine.pool.references(out.pages[1]), 1U);
  }
  EXPECT_TRUE(all_free()) << "they are the frame's again, and go with it";
}

TEST_F(Pages, TheyDoNotComeBackFromAReceiverThatIsGone) {
  {
    auto out = frame({page(), page()});
    out.owner.keeper = &mine.pool;
    PagesUnderWay pages(mine.pool, out, by_a_way);
    theirs.close_way(by_a_way->way);
    EXPECT_FALSE(pages.come_back());
  }
  EXPECT_TRUE(all_free());
}

// --- at the receiver ---

wire::Buffer bytes_of(std::size_t size, char fill) {
  wire::Buffer bytes(size);
  std::fill_n(bytes.span().begin(), size, static_cast<std::byte>(fill));
  return bytes;
}
wire::PageRef foreign(std::uint64_t bytes) { return {1 << 20, bytes, 9, 1}; }

TEST_F(Pages, WhatCameByValueIsMadeAPageHere) {
  wire::Message message;
  message.bulk.push_back(bytes_of(3, 'b'));
  message.bulk.push_back(bytes_of(page_bytes, 'v'));
  message.pages = {foreign(page_bytes)};
  adopt_pages(mine.pool, message);
  ASSERT_EQ(message.bulk.size(), 1U) << "the other bulk";
  EXPECT_EQ(message.pages[0].by_value, 0U);
  EXPECT_EQ(mine.pool.at(message.pages[0])[page_bytes - 1], static_cast<std::byte>('v'));
  message.clear();
  EXPECT_TRUE(all_free());
}

TEST_F(Pages, ThoseOfOurPoolStayAsTheyAre) {
  wire::Message message;
  message.pages = {page()};
  message.keeper = &mine.pool;
  const auto offset = message.pages[0].offset;
  adopt_pages(mine.pool, message);
  EXPECT_EQ(message.pages[0].offset, offset);
}

TEST_F(Pages, ByValueWithoutItsBytesOrWithOthersIsRefused) {
  wire::Message none;
  none.pages = {foreign(page_bytes)};
  EXPECT_THROW(adopt_pages(mine.pool, none), io_error);
  none.pages.clear();
  wire::Message shorter;
  shorter.bulk.push_back(bytes_of(page_bytes, 'v'));
  shorter.bulk.push_back(bytes_of(page_bytes - 1, 'v'));
  shorter.pages = {foreign(page_bytes), foreign(page_bytes)};
  EXPECT_THROW(adopt_pages(mine.pool, shorter), io_error);
  shorter.clear();
  EXPECT_TRUE(all_free()) << "also the one that was made before";
}

// --- of a call that may be sent again ---

TEST_F(Pages, ThoseOfACallThatMayBeSentAgainAreKept) {
  const auto sent = page();
  auto out = frame({sent});
  {
    const PagesUnderWay pages(mine.pool, out, at_once, PagesUnderWay::keeps::yes);
    theirs.release(sent);
    EXPECT_EQ(mine.pool.references(sent), 1U) << "for the next time";
  }
  EXPECT_TRUE(all_free());
}

}  // namespace
}  // namespace octavo::detail
