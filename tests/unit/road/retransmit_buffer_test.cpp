// SPDX-License-Identifier: Apache-2.0
// What a steady link keeps, against a plain vector of bytes.
#include "road/net/steady/retransmit_buffer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using octavo::ByteView;
using octavo::road::Link;
using octavo::road::steady::RetransmitBuffer;

class KeptBytes : public testing::Test {
 protected:
  static constexpr std::size_t capacity = 4096;
  void put(std::size_t size, bool lent) {
    auto bytes = std::make_shared<std::vector<std::byte>>(size);
    for (auto& byte : *bytes) byte = static_cast<std::byte>(random());
    const std::size_t n = kept.put(*bytes, lent ? Link::Owner(bytes) : nullptr);
    ASSERT_EQ(n, std::min(size, capacity - static_cast<std::size_t>(kept.end() - kept.confirmed()) + n));
    all.insert(all.end(), bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(n));
    if (lent) owners.emplace_back(bytes);
    else std::fill(bytes->begin(), bytes->end(), std::byte{0});  // it is ours again
  }
  // All that is not confirmed, as a sender would walk through it.
  void check() {
    std::uint64_t at = kept.confirmed();
    while (at != kept.end()) {
      const std::size_t most = 1 + random() % 3000;
      std::size_t looked = 0;
      for (auto view : kept.view(at, std::min<std::size_t>(most, kept.end() - at))) {
        ASSERT_TRUE(std::equal(view.begin(), view.end(), all.begin() + static_cast<std::ptrdiff_t>(at + looked))) << at;
        looked += view.size();
      }
      ASSERT_NE(looked, 0U);
      ASSERT_LE(looked, most);
      at += looked;
    }
  }
  RetransmitBuffer kept{capacity};
  std::mt19937 random{7};
  std::vector<std::byte> all;
  std::vector<std::weak_ptr<const void>> owners;
};

TEST_F(KeptBytes, AreThereUntilTheyAreConfirmed) {
  for (int step = 0; step < 3000; ++step) {
    const auto what = random() % 8;
    if (what < 5) put(random() % (what == 0 ? 6000 : 200), random() % 2 == 0);
    else if (what < 7) ASSERT_TRUE(kept.confirm(kept.confirmed() + random() % (kept.end() - kept.confirmed() + 1)));
    else if (random() % 10 == 0) kept.own();
    check();
  }
  EXPECT_FALSE(kept.confirm(kept.end() + 1));
  EXPECT_FALSE(kept.confirm(kept.confirmed() - 1));
  ASSERT_TRUE(kept.confirm(kept.end()));
  for (const auto& owner : owners) EXPECT_TRUE(owner.expired()) << "confirmed, it is let go";
}

TEST_F(KeptBytes, WhatIsOwnedIsNobodyElses) {
  for (int i = 0; i < 20; ++i) put(150, i % 3 != 0);
  ASSERT_TRUE(kept.confirm(777));
  kept.own();
  for (const auto& owner : owners) EXPECT_TRUE(owner.expired());
  check();
  put(100, true);
  check();
}

}  // namespace
