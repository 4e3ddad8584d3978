// SPDX-License-Identifier: Apache-2.0
// What comes over a control socket is a whole notice, or refused: nothing is made up from memory, and what follows a bad datagram is heard.
#include "machine/control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace octavo {
namespace {

class Control : public testing::Test {
 protected:
  void put(ByteView datagram) { ASSERT_EQ(::send(theirs.get(), datagram.data(), datagram.size(), 0), static_cast<ssize_t>(datagram.size())); }
  std::uint64_t next_killed() {
    auto received = control::receive(ours.get());
    const auto* kill = received ? control::get_if<control::Kill>(&received->notice) : nullptr;
    return kill == nullptr ? 0 : kill->request;
  }

  kit::Watchdog watchdog{20};
  std::pair<Fd, Fd> pair = socket_pair(SOCK_SEQPACKET, "testing");
  Fd &ours = pair.first, &theirs = pair.second;
  wire::Body whole = control::encode(control::Kill{17, {1, 2, 3}, 9});
  ByteView bytes = whole;
};

TEST_F(Control, ANoticeComesAsItWasSent) {
  put(bytes);
  EXPECT_EQ(next_killed(), 17u);
}

TEST_F(Control, NoPartOfANoticeIsOne) {
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    put(bytes.first(size));
    EXPECT_THROW(control::receive(ours.get()), io_error) << size << " of " << bytes.size() << " bytes";
  }
}

TEST_F(Control, BytesThatAreLeftOverAreRefused) {
  std::vector<std::byte> longer(bytes.begin(), bytes.end());
  longer.push_back(std::byte{0});
  put(longer);
  try {
    control::receive(ours.get());
    FAIL() << "it was taken";
  } catch (const io_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("1 of " + std::to_string(longer.size()) + " bytes left over"));
  }
}

// What is wrong is said before anything is decoded.
TEST_F(Control, AnEnvelopeThatIsNotOneSaysWhy) {
  auto refusal_of = [](std::vector<std::byte> datagram) -> std::string {
    try {
      static_cast<void>(control::decode(datagram));
    } catch (const io_error& e) {
      return e.what();
    }
    return "taken";
  };
  auto with = [&](std::size_t at, unsigned value) {
    std::vector<std::byte> changed(bytes.begin(), bytes.end());
    changed[at] = static_cast<std::byte>(value);
    return changed;
  };
  constexpr auto beyond = std::variant_size_v<control::Notice> + 1;
  EXPECT_THAT(refusal_of({bytes.begin(), bytes.begin() + 7}), testing::HasSubstr("is too short: 7 bytes"));
  EXPECT_THAT(refusal_of(with(0, 200)), testing::HasSubstr("is of version 200"));
  EXPECT_THAT(refusal_of(with(2, 99)), testing::HasSubstr("is of service 99, which is not known here"));
  EXPECT_THAT(refusal_of(with(2, 0)), testing::HasSubstr("is of service 0, which is not known here"));
  EXPECT_THAT(refusal_of(with(2, beyond)), testing::HasSubstr("is of service " + std::to_string(beyond) + ", which is not known here"));
  EXPECT_THAT(refusal_of({bytes.begin(), bytes.end() - 1}), testing::HasSubstr("is cut short"));
  EXPECT_THAT(refusal_of(with(8, 77)), testing::HasSubstr("alternative 77"));  // of its service
}

TEST_F(Control, ADatagramThatWasCutIsSaidToBeTooLong) {
  put(std::vector<std::byte>(100'000, std::byte{0}));
  try {
    control::receive(ours.get());
    FAIL() << "it was taken";
  } catch (const io_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("is too long"));
  }
}

TEST_F(Control, WhatFollowsABadDatagramIsHeard) {
  put(std::vector<std::byte>(100'000, std::byte{0}));  // longer than any notice
  put({});                                             // looks like the end
  put(bytes.first(4));
  put(bytes);
  control::Received into;
  EXPECT_THROW(control::receive_now(ours.get(), into), io_error);
  EXPECT_THROW(control::receive_now(ours.get(), into), io_error);
  EXPECT_THROW(control::receive_now(ours.get(), into), io_error);
  EXPECT_EQ(next_killed(), 17u);
  EXPECT_EQ(control::receive_now(ours.get(), into), control::heard::nothing);
  theirs.reset();
  EXPECT_EQ(control::receive_now(ours.get(), into), control::heard::end);
}

TEST_F(Control, DescriptorsThatDoNotFitAreMissed) {
  if (kit::address_sanitized) GTEST_SKIP() << kit::needs_descriptors;
  std::array given{theirs.get(), theirs.get(), theirs.get()};
  ASSERT_TRUE(control::send(theirs.get(), control::Host{5}, given));
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit full = limit;
  full.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &full), 0);
  auto received = control::receive(ours.get());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_TRUE(received);
  EXPECT_TRUE(received->lost_descriptors);
  EXPECT_LT(received->descriptors.size(), 3u);
}

TEST_F(Control, WhoMustNotWaitDoesNot) {
  control::Received into;
  EXPECT_EQ(control::receive_now(ours.get(), into), control::heard::nothing);
  auto sent = control::sent::whole;
  for (int i = 0; i < 100'000 && sent == control::sent::whole; ++i) sent = control::send_now(ours.get(), bytes, {});
  EXPECT_EQ(sent, control::sent::full);
  theirs.reset();
  EXPECT_EQ(control::send_now(ours.get(), bytes, {}), control::sent::gone);
}

}  // namespace
}  // namespace octavo
