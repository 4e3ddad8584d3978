// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/replacement.hpp"

#include <algorithm>
#include <utility>

namespace octavo::detail {

namespace {
constexpr int least_turns = 4, most_ahead = 8;
constexpr int current = 3;         // of the latest: a stencil's three rows, say
constexpr int most_looked = 1024;  // at, to choose one
}  // namespace

Replacement::Replacement(int buffers)
    : held_(static_cast<std::size_t>(buffers)),
      turns_(std::max(std::min(buffers, least_turns), buffers / 4)),
      ahead_(std::clamp(turns_ - current, 0, most_ahead)) {}

void Replacement::enters(int buffer) {
  const bool kept = kept_ < static_cast<int>(held_.size()) - turns_;
  ++now_;
  at(buffer) = {true, kept, false, now_, now_};
  if (kept) ++kept_;
}

std::uint32_t Replacement::leaves(int buffer) {
  if (at(buffer).kept) --kept_;
  return std::exchange(at(buffer), {}).used;
}

void Replacement::used(int buffer) {
  at(buffer).idle = false;
  at(buffer).used = at(buffer).since = now_;
}

void Replacement::idles(int buffer) {
  at(buffer).idle = true;
  at(buffer).since = now_;
}

Replacement::Oldest Replacement::oldest(const std::function<bool(int)>& may) {
  Oldest found;
  const int count = static_cast<int>(held_.size());
  int looked = 0;
  for (int step = 0; step < count && (looked < most_looked || (found.kept < 0 && found.turning < 0)); ++step, first_ = (first_ + 1) % count) {
    const Held& held = at(first_);
    ++looked;
    if (!held.there || !may(first_)) continue;
    int& best = held.kept ? found.kept : found.turning;
    if (best < 0 || held.since < at(best).since) best = first_;
  }
  return found;
}

int Replacement::choose(std::uint32_t away, const std::function<bool(int)>& may) {
  const auto [kept, turning] = oldest(may);
  if (turning < 0) return kept;
  if (kept < 0) return turning;
  // The kept one was not used for at least so long; the one that comes, for `away`.
  const std::uint32_t idle = at(kept).idle ? now_ - at(kept).since : 0;
  return idle > away ? kept : turning;
}

}  // namespace octavo::detail
