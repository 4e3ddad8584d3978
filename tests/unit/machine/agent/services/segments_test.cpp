// SPDX-License-Identifier: Apache-2.0
// The names of segments, without processes and without a pool: the test says which pages are there.
#include "machine/agent/services/segments.hpp"

#include <gtest/gtest.h>

#include <set>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent {
namespace {

class SegmentsTest : public testing::Test {
 protected:
  wire::PageRef make_page(std::uint64_t bytes = 80) {
    const wire::PageRef page{4096 * ++last, bytes, 1, 0, 0};
    there.insert(page.offset);
    return page;
  }
  static control::OpenSegment request(const std::string& name = "n", std::optional<wire::PageRef> offered = {}) {
    return {7, name, "float64", 10, 80, offered};
  }
  // What this process hears.
  std::optional<wire::PageRef> open(const control::OpenSegment& request) {
    auto requester = std::make_shared<fake::Requester>(child.facts.address, &child);
    segments.take(requester, request);
    return requester->last<control::SegmentAt>()->page;
  }

  std::set<std::uint64_t> there;  // pages, by offset
  std::uint64_t last = 0;
  fake::Processes processes;
  Child& child = processes.add({1, 1, 2}, 1);
  Segments segments{[this](const wire::PageRef& page) { return there.contains(page.offset); }};
};

TEST_F(SegmentsTest, ANameIsWhatIsOfferedFirst) {
  EXPECT_FALSE(open(request())) << "there is none";
  const auto first = make_page(), second = make_page();
  EXPECT_EQ(open(request("n", first))->offset, first.offset);
  EXPECT_EQ(open(request())->offset, first.offset);
  EXPECT_EQ(open(request("n", second))->offset, first.offset) << "it came too late";
  EXPECT_FALSE(open(request("other")));
}

// SEG-3
TEST_F(SegmentsTest, ANameWhosePageIsGoneIsFree) {
  const auto first = make_page();
  open(request("n", first));
  there.erase(first.offset);
  EXPECT_FALSE(open(request()));
  auto other = request("n", make_page(8));
  other.type = "int8";
  other.elements = other.bytes = 8;
  EXPECT_EQ(open(other)->offset, other.offered->offset);
}

// SEG-2
TEST_F(SegmentsTest, OneNameHasOneTypeAndSize) {
  open(request("n", make_page()));
  auto other = request();
  other.type = "int64";
  EXPECT_THROW(open(other), usage_error);
  other = request();
  other.elements = 9;
  EXPECT_THROW(open(other), usage_error);
}

TEST_F(SegmentsTest, WhatIsOfferedIsNotBelieved) {
  auto page = make_page();
  there.clear();
  EXPECT_THROW(open(request("n", page)), io_error);
  page = make_page(79);
  EXPECT_THROW(open(request("n", page)), io_error);
  EXPECT_FALSE(open(request()));
  EXPECT_THROW(open(request("", make_page())), usage_error);
  EXPECT_THROW(open(request(std::string(256, 'x'), make_page())), usage_error);
  EXPECT_TRUE(open(request(std::string(255, 'x'), make_page())));
}

TEST_F(SegmentsTest, NamesAreBoundedByThoseThatAreThere) {
  const auto first = make_page();
  open(request("0", first));
  for (std::size_t i = 1; i < Segments::most_names; ++i) open(request(std::to_string(i), make_page()));
  EXPECT_THROW(open(request("more", make_page())), refused);
  EXPECT_TRUE(open(request("17")));
  there.erase(first.offset);
  EXPECT_TRUE(open(request("more", make_page())));
  EXPECT_THROW(open(request("and more", make_page())), refused);
}

TEST_F(SegmentsTest, OnlyOwnProcessesAsk) {
  const auto far = std::make_shared<fake::Requester>(Address{18, 1, 4});
  EXPECT_THROW(segments.take(far, request()), usage_error);
  EXPECT_THROW(segments.take(far, control::SegmentAt{}), usage_error);
}

}  // namespace
}  // namespace octavo::agent
