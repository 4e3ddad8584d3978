// SPDX-License-Identifier: Apache-2.0
#include "group/board.hpp"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

#include "octavo/base/error.hpp"
#include "process/forked.hpp"

namespace octavo::detail {

namespace {
constexpr std::uint64_t nothing = UINT64_MAX;  // a size
// Some tens of microseconds, as nothing is read meanwhile.
constexpr PollLimits until_all_came{.usual = 256, .fewest = 64, .most = 1024};
}  // namespace

// A line. What it says is complete when its stamp is there.
struct alignas(64) Board::Entry {
  std::atomic<std::uint64_t> stamp{0}, bytes{0};
  std::array<std::atomic<std::uint64_t>, most_bytes / 8> words{};
};

// Of one member; the first row is nobody's, and counts who sleeps. Zero bytes are a valid one. Processors fetch lines in pairs: who polls the entries leaves
// alone what is beside them.
struct alignas(256) Board::Row {
  std::array<Entry, 2> entries;
  alignas(64) std::atomic<std::uint64_t> inside{0};  // the stamp of the collective that its member is in
  std::atomic<std::uint32_t> asleep{0};
};

std::optional<wire::PageRef> Board::make_page(Pool& pool, std::size_t members) {
  if (members < 2 || members > most_members) return std::nullopt;
  const auto bytes = (members + 1) * sizeof(Row);
  auto page = pool.try_allocate(static_cast<std::int64_t>(bytes));
  if (page) std::memset(pool.at(*page), 0, bytes);
  return page;
}

Board::Board(std::shared_ptr<Pool> pool, const wire::PageRef& page, std::uint32_t index, std::uint32_t members)
    : pool_(std::move(pool)),
      page_(page),
      life_(forks()),
      index_(index),
      crowded_(members > std::thread::hardware_concurrency()),
      entry_of_(members),
      budget_(until_all_came) {
  static_assert(sizeof(Row) == 256 && std::atomic<std::uint64_t>::is_always_lock_free);
  if (page.bytes < (members + 1) * sizeof(Row)) {
    pool_->release(page);
    throw io_error("the memory of a group of " + std::to_string(members) + " has " + std::to_string(page.bytes) + " bytes");
  }
  rows_ = reinterpret_cast<Row*>(pool_->at(page));
}

Board::~Board() {
  if (life_ == forks()) pool_->release(page_);
}

Board::Row& Board::row(std::uint32_t member) const noexcept { return rows_[member + 1]; }

std::uint32_t Board::awaits_room_of() const noexcept {
  std::uint32_t member = 0;
  const auto stamp = row(index_).entries[next_entry_].stamp.load(std::memory_order_relaxed);
  if (left_well_ || stamp == 0) return size();
  while (member < size() && (member == index_ || row(member).inside.load(std::memory_order_acquire) != stamp)) ++member;
  return member;
}

void Board::put(std::uint64_t stamp, const std::optional<ByteView>& gives) noexcept {
  auto& mine = row(index_);
  auto& entry = mine.entries[next_entry_];
  std::array<std::uint64_t, most_bytes / 8> words{};
  if (gives) std::memcpy(words.data(), gives->data(), std::min(gives->size(), most_bytes));
  for (std::size_t i = 0; i < words.size(); ++i) entry.words[i].store(words[i], std::memory_order_relaxed);
  entry.bytes.store(gives ? gives->size() : nothing, std::memory_order_relaxed);
  mine.inside.store(stamp, std::memory_order_release);
  entry.stamp.exchange(stamp, std::memory_order_seq_cst);  // before this member looks who sleeps
  stamp_ = stamp;
  come_ = 0;
  next_entry_ ^= 1;
}

bool Board::has_come(std::uint32_t member) noexcept {
  for (std::uint8_t which = 0; which < 2; ++which) {
    if (row(member).entries[which].stamp.load(std::memory_order_seq_cst) != stamp_) continue;
    entry_of_[member] = which;
    return true;
  }
  return false;
}

std::uint32_t Board::first_missing() noexcept {
  while (come_ < size() && has_come(come_)) ++come_;
  return come_;
}

bool Board::poll() noexcept {
  PollBudget::Spell spell(budget_.now());
  while (first_missing() != size()) {
    const auto next = spell.after_a_poll(crowded_ || oversubscribed_);
    if (next == PollBudget::Spell::next::end) {
      budget_.was_in_vain();
      return false;
    }
    if (next == PollBudget::Spell::next::pause) {
      _mm_pause();
      continue;
    }
    const auto before = __rdtsc();
    ::sched_yield();
    oversubscribed_ = spell.turn_took(__rdtsc() - before);
  }
  budget_.paid();
  return true;
}

void Board::leave(bool well) noexcept {
  row(index_).inside.store(0, std::memory_order_release);
  left_well_ = well;
}

bool Board::all_gave() const noexcept {
  for (std::uint32_t i = 0; i < size(); ++i)
    if (row(i).entries[entry_of_[i]].bytes.load(std::memory_order_relaxed) == nothing) return false;
  return true;
}

std::array<std::byte, Board::most_bytes> Board::given_by(std::uint32_t member) const noexcept {
  std::array<std::uint64_t, most_bytes / 8> words{};
  const auto& entry = row(member).entries[entry_of_[member]];
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = entry.words[i].load(std::memory_order_relaxed);
  return std::bit_cast<std::array<std::byte, most_bytes>>(words);
}

Board::Asleep::Asleep(Board& board) noexcept : board_(board) {
  board.rows_->asleep.fetch_add(1, std::memory_order_seq_cst);
  board.row(board.index_).asleep.exchange(1, std::memory_order_seq_cst);
}
Board::Asleep::~Asleep() {
  board_.row(board_.index_).asleep.store(0, std::memory_order_relaxed);
  board_.rows_->asleep.fetch_sub(1, std::memory_order_relaxed);
}

bool Board::any_sleeps() const noexcept { return rows_->asleep.load(std::memory_order_seq_cst) != 0; }
bool Board::sleeps(std::uint32_t member) const noexcept { return row(member).asleep.load(std::memory_order_seq_cst) != 0; }

}  // namespace octavo::detail
