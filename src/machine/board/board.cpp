// SPDX-License-Identifier: Apache-2.0
#include "machine/board/board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "machine/board/words.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

using board::put, board::put_text, board::Word;

constexpr auto relaxed = std::memory_order_relaxed;

// Odd while it changes.
class SeqlockWrite {
 public:
  explicit SeqlockWrite(Word& sequence) noexcept : sequence_(sequence), number_(sequence.load(relaxed) | 1) { sequence_.store(number_, relaxed); }
  ~SeqlockWrite() { put(sequence_, number_ + 1); }
  SeqlockWrite(const SeqlockWrite&) = delete;
  SeqlockWrite& operator=(const SeqlockWrite&) = delete;

 private:
  Word& sequence_;
  std::uint64_t number_;
};

// Of the last timer tick: a few nanoseconds to read, and exact enough for a person.
std::uint64_t now() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t ns_of(std::chrono::steady_clock::time_point time) noexcept {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

}  // namespace

Fd StatusBoard::make(agent_kind kind, const ProcessFacts& agent) {
  Fd memory(::memfd_create(board::memory_name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ::ftruncate(memory.get(), sizeof(board::Board)) != 0 || ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw io_error_from(errno, "making the status board of an agent");
  StatusBoard made(memory);  // all zeros, which is what an empty board is
  auto& header = made.board_->header;
  put(header.version, board::version);
  put(header.rows, made.board_->rows.size());
  put(header.row_bytes, sizeof(board::Row));
  put(header.kind, static_cast<std::uint64_t>(kind));
  put(header.agent, agent.address.agent);
  put(header.incarnation, agent.address.incarnation);
  put(header.pid, static_cast<std::uint64_t>(agent.pid));
  put(header.begun, std::bit_cast<std::uint64_t>(agent.started));
  put_text(header.machine, agent.machine);
  put(header.magic, board::magic);
  return memory;
}

StatusBoard::StatusBoard(const Fd& memory) {
  void* at = ::mmap(nullptr, sizeof(board::Board), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping the status board of an agent");
  board_ = static_cast<board::Board*>(at);
}

StatusBoard::~StatusBoard() { ::munmap(board_, sizeof(board::Board)); }

board::Row& StatusBoard::row(unsigned slot) const {
  if (slot >= board_->rows.size()) throw io_error("a status board has no row " + std::to_string(slot));
  return board_->rows[slot];
}

void StatusBoard::enter(unsigned slot, const ProcessFacts& who, std::uint64_t host, std::string_view name) {
  auto& row = board_->rows.at(slot);
  SeqlockWrite change(row.sequence);
  for (Word* word : {&row.arrived, &row.begun, &row.done, &row.running, &row.since, &row.waits.object, &row.beside.object, &row.received, &row.sent,
                     &row.sent_aside, &row.owed, &row.method[0]})
    put(*word, 0);
  for (auto& each : row.mail) {
    put(each.mailbox, 0);
    put(each.unread, 0);
  }
  put(row.object, who.address.object);
  put(row.incarnation, who.address.incarnation);
  put(row.pid, static_cast<std::uint64_t>(who.pid));
  put(row.host, host);
  put(row.made, std::bit_cast<std::uint64_t>(who.started));
  put_text(row.class_name, who.class_name);
  put_text(row.name, name);
  put(row.living, 1);
}

void StatusBoard::leave(unsigned slot) {
  auto& row = board_->rows.at(slot);
  SeqlockWrite change(row.sequence);
  put(row.living, 0);
}

void StatusBoard::enter_road(std::uint64_t object, const Address& other, road::road_kind kind) {
  board::Road* free = nullptr;
  for (std::size_t i = 0; i < roads_ && free == nullptr; ++i)
    if (auto& road = board_->roads.at(i); (road.mark.load(relaxed) & 0xff) == 0) free = &road;
  if (free == nullptr && roads_ < board_->roads.size()) free = &board_->roads.at(roads_++);
  if (free == nullptr) return;
  const std::uint64_t count = free->mark.load(relaxed) & ~std::uint64_t{0xff};
  put(free->first, object);
  put(free->second, other.object);
  put(free->second_incarnation, other.incarnation);
  put(free->second_agent, other.agent);
  put(free->mark, count + 0x100 + static_cast<std::uint64_t>(kind) + 1);
}

void StatusBoard::leave_roads(const Address& who) {
  const bool ours = who.agent == board_->header.agent.load(relaxed);
  for (std::size_t i = 0; i < roads_; ++i) {
    auto& road = board_->roads.at(i);
    const bool is_first = ours && road.first.load(relaxed) == who.object;
    const bool is_second = road.second.load(relaxed) == who.object && road.second_agent.load(relaxed) == who.agent;
    if ((road.mark.load(relaxed) & 0xff) != 0 && (is_first || is_second)) put(road.mark, road.mark.load(relaxed) & ~std::uint64_t{0xff});
  }
}

void OwnRow::show_method(const void* what, std::string_view text, std::uint64_t since) noexcept {
  SeqlockWrite change(row_.doing);
  if (std::exchange(shown_, what) != what) put_text(row_.method, text);
  put(row_.since, since);
  put(row_.running, 1);
}

void OwnRow::name_running(const void* what, std::string_view text) noexcept {
  if (running_ == nullptr) return;
  running_ = what;
  text_ = text;
  show_method(what, text, row_.since.load(relaxed));
}

board::Word* OwnRow::show_mailbox(std::string_view name) noexcept {
  const auto number = board::mailbox_number(name);
  for (auto& each : row_.mail)
    if (each.mailbox.load(relaxed) == number) return &each.unread;
  for (auto& each : row_.mail) {
    std::uint64_t none = 0;
    if (!each.mailbox.compare_exchange_strong(none, number)) continue;
    put(each.unread, 0);
    return &each.unread;
  }
  return nullptr;
}

void OwnRow::hide_mailbox(std::string_view name) noexcept {
  for (auto& each : row_.mail)
    if (each.mailbox.load(relaxed) == board::mailbox_number(name)) put(each.mailbox, 0);
}

OwnRow::Method::Method(OwnRow& row, const void* what, std::string_view text) noexcept
    : row_(row), before_(std::exchange(row.running_, what)), text_before_(std::exchange(row.text_, text)) {
  if (before_ != nullptr) {  // what waits is shown again when this one has returned
    since_before_ = row.row_.since.load(relaxed);
    waits_before_ = std::exchange(row.waits_.by, nullptr);
    if (waits_before_ != nullptr) {
      put(row.row_.waits.object, 0);
      row.waits_.taken.store(false, relaxed);
    }
  }
  row.show_method(what, text, now());
}

OwnRow::Method::~Method() {
  row_.running_ = before_;
  row_.text_ = text_before_;
  if (before_ == nullptr) {
    put(row_.row_.running, 0);
    return;
  }
  row_.show_method(before_, text_before_, since_before_);
  if (waits_before_ == nullptr) return;
  row_.waits_.taken.store(true, relaxed);
  waits_before_->show();
}

OwnRow::Wait::Wait(OwnRow& row, bool beside, const Awaited& what, std::chrono::steady_clock::time_point since) noexcept
    : place_(beside ? row.beside_ : row.waits_), what_(what), since_(ns_of(since)), mine_(!place_.taken.exchange(true)) {
  if (!mine_) return;
  if (row.was_shown(beside, what.call)) since_ = place_.since;
  show();
}

OwnRow::Wait::~Wait() {
  if (!mine_) return;
  put(place_.words.object, 0);
  place_.by = nullptr;
  place_.taken.store(false);
}

void OwnRow::Wait::show() const noexcept {
  place_.by = this;
  place_.call.store(what_.call, relaxed);
  place_.since = since_;
  auto& words = place_.words;
  SeqlockWrite change(words.sequence);
  put(words.agent, what_.of.agent);
  put(words.incarnation, what_.of.incarnation);
  put(words.since, since_);
  put_text(words.method, what_.method);
  put(words.object, what_.of.object);
}

}  // namespace octavo
