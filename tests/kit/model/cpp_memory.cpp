// SPDX-License-Identifier: Apache-2.0
#include "kit/model/cpp_memory.hpp"

#include <algorithm>

namespace octavo::kit::model {

namespace {
bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
}  // namespace

void CppMemory::View::learn(const View& other) noexcept {
  for (int p = 0; p < most_places; ++p) at[p] = std::max(at[p], other.at[p]);
  plain |= other.plain;
}

void CppMemory::View::add_to(Digest& all) const noexcept {
  std::uint64_t word = plain;
  for (const auto each : at) word = word << 8 | each;
  all.add(word);
}

void CppMemory::add_to(Digest& all) const noexcept {
  for (const auto& place : places_) {
    all.add(place.count | place.in_order << 8);
    for (int at = 0; at < place.count; ++at) {
      all.add(place.writes[at].value << 1 | (place.writes[at].changes ? 1 : 0));
      place.writes[at].view.add_to(all);
    }
  }
  for (const auto& each : knows_) each.add_to(all);
  for (const auto& each : late_) all.add(static_cast<std::uint8_t>(each.place) << 8 | each.at);
  for (const auto value : plain_) all.add(value);
  rung_.add_to(all);
}

int CppMemory::new_place(Value value) noexcept {
  places_[kept_].count = 1;
  places_[kept_].writes[0].value = value;
  return kept_++;
}

void CppMemory::let_late_come(int thread) noexcept {
  auto& mine = late_[thread];
  if (mine.place >= 0) places_[mine.place].in_order = std::max(places_[mine.place].in_order, mine.at);
  mine = {};
}

int CppMemory::oldest_readable(int thread, int place, std::memory_order order) noexcept {
  const int known = knows_[thread].at[place];
  if (order != std::memory_order_seq_cst) return known;
  let_late_come(thread);
  return std::max<int>(known, places_[place].in_order);
}

void CppMemory::read(int thread, int place, std::memory_order order, int at) noexcept {
  auto& mine = knows_[thread];
  mine.at[place] = static_cast<std::uint8_t>(at);
  if (acquires(order)) mine.learn(places_[place].writes[at].view);
}

Given CppMemory::load(int thread, int place, std::memory_order order, int choice) {
  const int oldest = oldest_readable(thread, place, order), at = places_[place].last() - choice;
  read(thread, place, order, at);
  return {.value = places_[place].writes[at].value, .options = places_[place].count - oldest};
}

// The write comes last of its place. A change takes over what is learnt from the write that it changes.
const char* CppMemory::write(int thread, int place, std::memory_order order, Value value, bool changes) {
  auto& here = places_[place];
  auto& mine = knows_[thread];
  for (int at = mine.at[place] + 1; at < here.count; ++at)
    if (!here.writes[at].changes) return "two threads write one place, and neither knows of the other";
  if (here.count == most_writes) return "the model keeps too few writes (most_writes)";
  const View before = here.writes[here.last()].view;
  const auto at = here.count++;
  mine.at[place] = at;
  auto& made = here.writes[at];
  made = {.value = value, .changes = changes, .view = {.at = {}, .plain = 0}};
  if (releases(order)) made.view = mine;
  if (changes) made.view.learn(before);
  made.view.at[place] = at;
  if (order == std::memory_order_seq_cst) {
    let_late_come(thread);
    late_[thread] = {.place = static_cast<std::int8_t>(place), .at = at};
  }
  return nullptr;
}

Value CppMemory::begin_change(int thread, int place, std::memory_order order) {
  read(thread, place, order, places_[place].last());
  return places_[place].writes[places_[place].last()].value;
}

Given CppMemory::exchange_if(int thread, int place, Value expected, Value value, int choice) {
  constexpr auto order = std::memory_order_seq_cst;
  auto& here = places_[place];
  const int oldest = oldest_readable(thread, place, order), options = here.count - oldest;
  int at = here.last() - choice;
  if (here.writes[at].value == expected && at != here.last()) at = here.last();  // it cannot fail by reading that: no further result
  if (here.writes[at].value != expected) {
    read(thread, place, order, at);
    return {.value = here.writes[at].value, .options = options};
  }
  begin_change(thread, place, order);
  return {.value = expected, .options = options, .complaint = write(thread, place, order, value, true)};
}

void CppMemory::barrier() noexcept {
  for (int t = 0; t < most_threads; ++t) {
    let_late_come(t);
    for (int p = 0; p < most_places; ++p) knows_[t].at[p] = static_cast<std::uint8_t>(std::max(0, places_[p].last()));
  }
}

const char* CppMemory::touch(int thread, int plain) noexcept {
  const auto bit = static_cast<std::uint8_t>(1U << plain), others = static_cast<std::uint8_t>(~bit);
  const bool knew = (knows_[thread].plain & bit) != 0;
  for (auto& each : knows_) each.plain &= others;
  rung_.plain &= others;
  for (auto& place : places_)
    for (auto& each : place.writes) each.view.plain &= others;
  knows_[thread].plain |= bit;
  return knew ? nullptr : "plain data is touched by a thread that does not know of the last touch by another";
}

void CppMemory::tidy(unsigned running) noexcept {
  std::array<std::uint8_t, most_places> base{};
  for (int p = 0; p < most_places; ++p) {
    if (places_[p].count == 0) continue;
    base[p] = static_cast<std::uint8_t>(places_[p].last());
    for (int t = 0; t < most_threads; ++t) {
      if ((running >> t & 1) == 0) knows_[t] = {}, late_[t] = {};
      else base[p] = std::min(base[p], knows_[t].at[p]);
    }
  }
  auto shift = [&](View& view) {
    for (int p = 0; p < most_places; ++p) view.at[p] = static_cast<std::uint8_t>(std::max(view.at[p], base[p]) - base[p]);
  };
  for (int p = 0; p < most_places; ++p) {
    auto& here = places_[p];
    std::copy(here.writes.begin() + base[p], here.writes.begin() + here.count, here.writes.begin());
    std::fill(here.writes.begin() + (here.count - base[p]), here.writes.begin() + here.count, Write{});
    here.count = static_cast<std::uint8_t>(here.count - base[p]);
    here.in_order = static_cast<std::uint8_t>(std::max(here.in_order, base[p]) - base[p]);
    for (int at = 0; at < here.count; ++at) shift(here.writes[at].view);
  }
  shift(rung_);
  for (int t = 0; t < most_threads; ++t) {
    auto& each = late_[t];
    if ((running >> t & 1) != 0) shift(knows_[t]);
    if (each.place < 0) continue;
    const auto& here = places_[each.place];
    each.at = static_cast<std::uint8_t>(std::max(each.at, base[each.place]) - base[each.place]);
    if (each.at <= here.in_order) each = {};  // nothing would change
  }
}

}  // namespace octavo::kit::model
