// SPDX-License-Identifier: Apache-2.0
// L-14 and, of descriptors, L-9: links between processes of one machine, which carry them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>

#include "conformance/road/relays.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::kit::receive, octavo::kit::send, octavo::kit::stream, octavo::kit::wait_for;

class LinkDescriptors : public testing::Test {
 protected:
  octavo::kit::Watchdog watchdog{60};
  octavo::kit::Links both = octavo::kit::over_unix_sockets();
  std::unique_ptr<road::Link>&a = both.first, &b = both.second;
};

// Sets of one and of four, among bytes that come in crumbs.
TEST_F(LinkDescriptors, L14_DescriptorsComeWithTheirByteAndInOrder) {
  ASSERT_TRUE(a->carries_descriptors());
  std::vector<octavo::Fd> kept;
  std::vector<std::size_t> at;  // of the first byte of each set
  std::size_t sent = 0;
  const auto bytes = stream(1000);
  for (std::size_t set = 0; set < 6; ++set) {
    sent += send(*a, ByteView(bytes).first(100));
    std::vector<int> numbers;
    for (std::size_t i = 0; i < (set % 2 == 0 ? 1 : 4); ++i) numbers.push_back(kept.emplace_back(::memfd_create("set", MFD_CLOEXEC)).get());
    for (const int number : numbers) ASSERT_EQ(::ftruncate(number, static_cast<off_t>(1 + set)), 0);
    at.push_back(sent);
    const ByteView piece = ByteView(bytes).first(50);
    sent += a->send_with(std::span(&piece, 1), numbers);
  }
  std::size_t came = 0, sets = 0;
  std::array<std::byte, 7> room{};
  while (came < sent) {
    ByteSpan into = room;
    const std::size_t n = b->receive(std::span(&into, 1));
    if (n == 0) wait_for(*b, false);
    came += n;
    while (auto set = b->take_descriptors()) {
      ASSERT_LT(sets, at.size());
      EXPECT_LT(at[sets], came);
      EXPECT_GE(at[sets] + room.size(), came) << "and not before";
      ASSERT_EQ(set->size(), sets % 2 == 0 ? 1U : 4U);
      for (const auto& each : *set) {
        struct stat facts {};
        ASSERT_EQ(::fstat(each.get(), &facts), 0);
        EXPECT_EQ(facts.st_size, static_cast<off_t>(1 + sets));
        EXPECT_NE(::fcntl(each.get(), F_GETFD) & FD_CLOEXEC, 0);
      }
      ++sets;
    }
  }
  EXPECT_EQ(sets, at.size());
}

TEST_F(LinkDescriptors, L14_ASetThatFindsNoRoomIsEmptyAndTheNextIsWhole) {
  octavo::Fd one(::memfd_create("one", MFD_CLOEXEC)), two(::memfd_create("two", MFD_CLOEXEC));
  const std::array numbers{one.get(), two.get()};
  const auto bytes = stream(1);
  const ByteView piece(bytes);
  ASSERT_EQ(a->send_with(std::span(&piece, 1), numbers), 1U);
  ASSERT_EQ(a->send_with(std::span(&piece, 1), numbers), 1U);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  octavo::Fd next(::dup(one.get()));  // the least number that is free: one fits, and one does not
  const rlimit tight{static_cast<rlim_t>(next.get()) + 1, before.rlim_max};
  next.reset();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  EXPECT_EQ(receive(*b, 1), stream(1));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(receive(*b, 1), stream(1));
  const auto lost = b->take_descriptors(), whole = b->take_descriptors();
  ASSERT_TRUE(lost && whole);
  EXPECT_TRUE(lost->empty());
  EXPECT_EQ(whole->size(), 2U);
  EXPECT_FALSE(b->take_descriptors());
}

TEST_F(LinkDescriptors, L9_GivesUpOneThatGivesDescriptorsWhichNobodyTakes) {
  octavo::Fd one(::memfd_create("one", MFD_CLOEXEC));
  const int number = one.get();
  const auto bytes = stream(1);
  const ByteView piece(bytes);
  for (int i = 0; i < 65; ++i) {
    ASSERT_EQ(a->send_with(std::span(&piece, 1), std::span(&number, 1)), 1U);
    receive(*b, 1);
  }
  EXPECT_TRUE(b->lost());
}

}  // namespace
