// SPDX-License-Identifier: Apache-2.0
// Between one who lends bulk (src/road/shm/lent_bulk.hpp) and one who reads it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "conformance/road/bulk.hpp"
#include "road/shm/lent_bulk.hpp"

namespace {

namespace road = octavo::road;
using road_tests::bytes_of;

struct Lending {
  // As if its memory were another's now.
  void forget_proof() const { reinterpret_cast<std::uint64_t*>(controls.proof[0].at.load())[0] += 1; }
  road::LentControls controls;
  road::LentControl& control = controls.lent[0];
  road::MemoryProof writers{controls.proof[0]};
  road::LentWriter writer{&control};
  road::LentReader reader{&control, controls.proof[0], 0};
  std::vector<std::byte> bulk = bytes_of(1 << 20, 3), came = std::vector<std::byte>(1 << 20);
};

// It was tried, and all of the bulk stands at this place.
struct Offered : Lending {
  explicit Offered(std::uint64_t position) {
    reader.try_once();
    writer.offer(position, bulk);
  }
};

TEST(Lending, BeginsWhenTheReaderHasTriedIt) {
  Lending lending;
  EXPECT_FALSE(lending.writer.possible());
  lending.reader.try_once();
  EXPECT_TRUE(lending.writer.possible());
}

TEST(Lending, CountsWhatWasTakenBeforeItWasTakenBack) {
  Offered lending(100);
  EXPECT_EQ(lending.reader.left(99), 0U) << "it stands elsewhere";
  EXPECT_EQ(lending.reader.left(100), lending.bulk.size());
  ASSERT_EQ(lending.reader.read(100, octavo::ByteSpan(lending.came).first(1000)), 1000U);
  EXPECT_EQ(lending.reader.pass_over(100, 500), 500U);
  ASSERT_EQ(lending.reader.read(100, octavo::ByteSpan(lending.came).subspan(1500, 300)), 300U);
  EXPECT_TRUE(std::equal(lending.came.begin() + 1500, lending.came.begin() + 1800, lending.bulk.begin() + 1500));
  EXPECT_FALSE(lending.writer.settled());
  EXPECT_EQ(lending.writer.take_back(), 1800U);
  EXPECT_EQ(lending.reader.left(100), 0U);
  EXPECT_EQ(lending.reader.read(100, lending.came), 0U);
  EXPECT_EQ(lending.reader.pass_over(100, 10), 0U);
  EXPECT_EQ(lending.writer.take_back(), lending.bulk.size()) << "and does not stand again";
}

// What the reader saw may have been taken back when he reads, and another part stand elsewhere.
TEST(Lending, ReadsNothingThatStandsElsewhere) {
  Offered lending(100);
  ASSERT_EQ(lending.reader.read(100, octavo::ByteSpan(lending.came).first(1000)), 1000U);
  lending.writer.take_back();
  lending.writer.offer(200, lending.bulk);
  EXPECT_EQ(lending.reader.read(100, lending.came), 0U);
  EXPECT_EQ(lending.reader.pass_over(100, 1000), 0U);
  EXPECT_EQ(lending.reader.left(200), lending.bulk.size());
}

TEST(Lending, RingsWhenAllWasTaken) {
  Offered lending(0);
  lending.writer.want_word();
  EXPECT_FALSE(lending.reader.release());
  ASSERT_EQ(lending.reader.read(0, lending.came), lending.bulk.size());
  EXPECT_EQ(lending.came, lending.bulk);
  EXPECT_TRUE(lending.reader.release());
  EXPECT_TRUE(lending.writer.settled());
  EXPECT_EQ(lending.writer.take_back(), lending.bulk.size());
}

// A number that another process has now, or a process that may not be read any more.
TEST(Lending, EndsWhereTheProofIsMissing) {
  Offered lending(0);
  lending.writer.want_word();
  lending.forget_proof();
  EXPECT_EQ(lending.reader.read(0, lending.came), 0U);
  EXPECT_EQ(lending.reader.left(0), 0U);
  EXPECT_TRUE(lending.reader.release()) << "so the writer takes it back";
  EXPECT_TRUE(lending.writer.settled());
  EXPECT_FALSE(lending.writer.possible());

  Lending another;
  another.controls.proof[0].number[0].fetch_add(1);
  another.reader.try_once();
  EXPECT_FALSE(another.writer.possible());
}

// The other process may be broken: what it says is never believed beyond what was offered, or what there is room for.
TEST(Lending, BelievesNoSizes) {
  Offered lending(0);
  lending.control.bytes.store(UINT64_MAX);
  EXPECT_LE(lending.reader.read(0, octavo::ByteSpan(lending.came).first(10)), 10U);
  lending.control.offer.store(std::uint64_t{1} << 40 | 1);
  EXPECT_EQ(lending.writer.take_back(), lending.bulk.size());
}

// Whom the other end names may be any process.
TEST(Lending, ReadsNobodyElsesMemoryThanThatOfTheProcessThatIsKnown) {
  const Lending lending;
  road::PeerMemory known(lending.controls.proof[0], ::getpid()), another(lending.controls.proof[0], ::getppid());
  EXPECT_TRUE(known.is_proven());
  EXPECT_FALSE(another.is_proven());
}

}  // namespace
