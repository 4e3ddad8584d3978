// SPDX-License-Identifier: Apache-2.0
// What both processes copy (src/road/shm/cooperative_copy.hpp): all of it comes once, and nobody writes into memory that was given back.
#include "road/shm/cooperative_copy.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <random>
#include <thread>

#include "kit/watchdog.hpp"
#include "road/shm/lent_bulk.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;
constexpr std::size_t piece = 256 << 10, some_bytes = 8 * piece + 1234;
constexpr std::uint64_t offer = 7;

std::vector<std::byte> noise_of(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::mt19937_64 random(size);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

struct Together : testing::Test {
  Together() { EXPECT_TRUE(writers.is_proven()); }
  void begin(std::size_t from = 0) {
    writer.offers(offer);
    into.assign(bulk.size() - from, std::byte{0});
    reader.begin(offer, from, into);
  }
  // As the reader does, of what is left; how many bytes it were.
  std::size_t read_the_rest(std::size_t from = 0) {
    std::size_t here = 0;
    for (auto part = reader.next(); !part.empty(); part = reader.next()) {
      EXPECT_EQ(part.data(), into.data() + here);
      std::copy_n(bulk.begin() + static_cast<std::ptrdiff_t>(from + here), part.size(), part.begin());
      here += part.size();
    }
    return here;
  }
  std::size_t end() { return end_of(reader, writers); }
  static std::size_t end_of(road::CooperativeReader& reader, const road::PeerMemory& writers, bool hung_up = false) {
    reader.close();
    while (!reader.settled(writers, hung_up)) ::sched_yield();
    return reader.brought();
  }
  octavo::kit::Watchdog watchdog{60};
  road::MemoryProofControl writers_proof, readers_proof;
  road::MemoryProof writers_number{writers_proof}, readers_number{readers_proof};
  road::CooperativeCopyControl control;
  road::PeerMemory writers{writers_proof, 0};
  road::CooperativeReader reader{&control};
  road::CooperativeWriter writer{&control, readers_proof, 0};
  const std::vector<std::byte> bulk = noise_of(some_bytes);
  std::vector<std::byte> into;
};

TEST_F(Together, TheWriterBringsPiecesFromTheBack) {
  begin();
  EXPECT_TRUE(writer.wanted());
  for (int pieces = 0; pieces < 3; ++pieces) writer.bring(bulk);
  const auto read = read_the_rest();
  EXPECT_EQ(read, 6 * piece);
  EXPECT_FALSE(writer.wanted());
  EXPECT_EQ(end(), bulk.size() - read);
  EXPECT_EQ(into, bulk);
}

TEST_F(Together, OfAPartThatBeginsWithinTheOffer) {
  begin(1000);
  writer.bring(bulk);
  const auto read = read_the_rest(1000);
  EXPECT_EQ(end(), into.size() - read);
  EXPECT_TRUE(std::equal(into.begin(), into.end(), bulk.begin() + 1000));
}

TEST_F(Together, OneOfThemMayCopyAll) {
  begin();
  EXPECT_EQ(read_the_rest(), bulk.size());
  writer.bring(bulk);
  EXPECT_EQ(end(), 0U);
  begin();
  EXPECT_TRUE(writer.wanted());
  while (writer.wanted()) writer.bring(bulk);
  EXPECT_TRUE(reader.next().empty());
  EXPECT_EQ(end(), bulk.size());
  EXPECT_EQ(into, bulk);
}

TEST_F(Together, AtOnceManyTimes) {
  for (std::uint64_t round = 1; round < 300; ++round) {
    writer.offers(round);
    into.assign(bulk.size(), std::byte{0});
    const std::uint64_t none = round << 48 | 9;
    reader.begin(round, 0, into);
    std::thread other([&] {
      while (writer.wanted()) writer.bring(bulk);
    });
    while (round % 2 == 0 && control.pieces.load() == none) ::sched_yield();  // then it brings some for sure
    const auto read = read_the_rest(), brought = end();
    EXPECT_EQ(read + brought, bulk.size());
    EXPECT_TRUE(round % 2 == 1 || brought > 0);
    EXPECT_EQ(into, bulk);
    other.join();
  }
}

TEST_F(Together, WhatWasEndedIsNotWrittenAnyMore) {
  begin();
  writer.bring(bulk);
  static_cast<void>(reader.next());
  EXPECT_EQ(end(), bulk.size() - 8 * piece);
  std::fill(into.begin(), into.end(), std::byte{5});
  EXPECT_FALSE(writer.wanted());
  writer.bring(bulk);
  EXPECT_EQ(std::count(into.begin(), into.end(), std::byte{5}), static_cast<std::ptrdiff_t>(into.size()));
}

TEST_F(Together, WhatWasTakenBackCountsAsNotBrought) {
  begin();
  writer.bring(bulk);
  writer.offers(offer + 1);
  EXPECT_EQ(read_the_rest(), 8 * piece);
  EXPECT_EQ(end(), 0U);
}

TEST_F(Together, NothingIsBroughtOfAnotherOffer) {
  begin();
  writer.offers(offer + 1);
  EXPECT_FALSE(writer.wanted());
  writer.bring(bulk);
  EXPECT_EQ(read_the_rest(), bulk.size());
  EXPECT_EQ(end(), 0U);
  EXPECT_FALSE(reader.possible(offer, bulk.size(), writers)) << "once for each";
  EXPECT_TRUE(reader.possible(offer + 1, bulk.size(), writers));
  EXPECT_FALSE(reader.possible(offer + 1, road::least_cooperative - 1, writers));
}

// A number of a process that is another's now, or one that may not be written to.
TEST_F(Together, WithoutAProofTheReaderReadsAlone) {
  readers_proof.number[0].fetch_add(1);
  begin();
  writer.bring(bulk);
  EXPECT_FALSE(writer.wanted());
  EXPECT_EQ(read_the_rest(), bulk.size());
  EXPECT_EQ(end(), 0U);
  EXPECT_EQ(into, bulk);
  EXPECT_FALSE(reader.possible(offer + 1, bulk.size(), writers)) << "for good";
}

TEST_F(Together, WhatCannotBeWrittenIsLeftToTheReader) {
  begin();
  writer.bring(bulk);
  control.to.store(16);  // no memory lies there
  writer.bring(bulk);
  EXPECT_FALSE(writer.wanted());
  EXPECT_EQ(read_the_rest(), 7 * piece);
  EXPECT_EQ(end(), bulk.size() - 8 * piece) << "and between them one piece that nobody brought";
}

// The other process may be broken.
TEST_F(Together, TheWriterBringsNothingBeyondWhatWasOffered) {
  for (auto* what : {&control.begin, &control.bytes}) {
    road::CooperativeWriter fresh(&control, readers_proof, 0);
    fresh.offers(offer);
    into.assign(bulk.size(), std::byte{0});
    reader.begin(offer, 0, into);
    what->store(UINT64_MAX - 5);
    EXPECT_TRUE(fresh.wanted());
    fresh.bring(bulk);
    EXPECT_FALSE(fresh.wanted()) << "it gave up";
    EXPECT_EQ(std::count(into.begin(), into.end(), std::byte{0}), static_cast<std::ptrdiff_t>(into.size()));
  }
  begin();
  control.pieces.store(offer << 48 | 100);  // of nine
  writer.bring(bulk);
  EXPECT_EQ(std::count(into.begin(), into.end(), std::byte{0}), static_cast<std::ptrdiff_t>(into.size()));
}

TEST_F(Together, TheReaderBelievesNoCounts) {
  for (const std::uint64_t word : {std::uint64_t{0}, UINT64_MAX, offer << 48 | 500, offer << 48 | std::uint64_t{8} << 24 | 9, (offer + 1) << 48 | 9}) {
    begin();
    const auto first = reader.next();
    ASSERT_EQ(first.size(), piece);
    control.pieces.store(word);
    EXPECT_TRUE(reader.next().empty());
    control.brought.store(offer << 48 | 0xffff'ffff'fffe);
    EXPECT_LE(end(), bulk.size() - piece);
  }
}

// Whom the other end names may be any process.
TEST_F(Together, NobodyElsesMemoryIsWrittenThanThatOfTheProcessThatIsKnown) {
  road::CooperativeWriter knows(&control, readers_proof, ::getppid());
  writer.offers(offer);
  knows.offers(offer);
  into.assign(bulk.size(), std::byte{0});
  reader.begin(offer, 0, into);
  knows.bring(bulk);
  EXPECT_FALSE(knows.wanted()) << "it gave up";
  EXPECT_EQ(std::count(into.begin(), into.end(), std::byte{0}), static_cast<std::ptrdiff_t>(into.size()));
  road::PeerMemory known(readers_proof, ::getpid()), another(readers_proof, ::getppid());
  EXPECT_TRUE(known.is_proven());
  EXPECT_FALSE(another.is_proven());
}

template <class T>
T* shared() {
  void* at = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return new (at) T;
}

// In a process of its own that begins to bring a piece, and never tells of it; then, when it is told to, begins another program.
class Halfway : public Together {
 protected:
  void SetUp() override {
    ASSERT_GE(child = ::fork(), 0);
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const road::MemoryProof mine(*proof);
      while (pieces->pieces.load() == 0) ::sched_yield();
      pieces->pieces.fetch_sub(1);
      while (!begins->load()) ::sched_yield();
      ::execlp("sleep", "sleep", "60", nullptr);
      ::_exit(1);
    }
    pieces->brought.store(offer << 48);
    while (proof->process.load() == 0) ::sched_yield();
    ASSERT_TRUE(its.is_proven());
    ASSERT_TRUE(its.shows_its_end());
    into.assign(bulk.size(), std::byte{0});
    alone.begin(offer, 0, into);
    while (pieces->pieces.load() == (offer << 48 | 9)) ::sched_yield();
    alone.close();
    EXPECT_FALSE(alone.told());
    EXPECT_FALSE(alone.settled(its, false));
    EXPECT_FALSE(alone.settled(its, true)) << "it may have closed its end, and copy all the same";
  }
  void TearDown() override {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::munmap(pieces, sizeof *pieces);
    ::munmap(proof, sizeof *proof);
    ::munmap(begins, sizeof *begins);
  }
  pid_t child = -1;
  road::CooperativeCopyControl* pieces = shared<road::CooperativeCopyControl>();
  road::MemoryProofControl* proof = shared<road::MemoryProofControl>();
  std::atomic<bool>* begins = shared<std::atomic<bool>>();
  road::PeerMemory its{*proof, 0};
  road::CooperativeReader alone{pieces};
};

TEST_F(Halfway, ADeadWriterIsNotWaitedFor) {
  ::kill(child, SIGKILL);
  while (!alone.settled(its, false)) ::sched_yield();  // before anybody has waited for it
  EXPECT_EQ(alone.brought(), 0U);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(alone.settled(its, false));
}

TEST_F(Halfway, NorOneThatIsAnotherProgramNow) {
  begins->store(true);
  while (!alone.settled(its, true)) ::sched_yield();
  EXPECT_EQ(alone.brought(), 0U);
}

}  // namespace
