// SPDX-License-Identifier: Apache-2.0
#include "schedule/line.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "octavo/process/errors.hpp"

namespace octavo::schedule {

namespace {
constexpr std::uint64_t deepest = 3;
}

// Without cycles: players with a higher number than all that wait for this one and itself have, or one of those.
std::optional<std::size_t> World::Line::choose(bool call_back) {
  auto& turns = world_.turns_;
  const auto count = world_.parts_.size();
  if (world_.options_.cycles) {
    const auto any = 1 + turns.draw(count - 1);
    return any == me_ ? std::nullopt : std::optional(any);
  }
  if (call_back && above_ != 0 && turns.one_in(3)) {
    const auto first = turns.draw(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = (first + i) % count;
      if (at != me_ && (above_ >> at & 1) != 0) return at;
    }
  }
  const std::size_t from = std::max<std::size_t>(me_ + 1, std::bit_width(above_));
  return from < count ? std::optional(from + turns.draw(count - from)) : std::nullopt;
}

Ticket World::Line::ticket(std::size_t to, bool waits) {
  auto& [line, number] = lines_[to];
  if (line == 0) line = ++world_.next_line_;
  // Only a player that serves calls while it waits can be called back.
  const auto above = waits ? above_ | (me_ != 0 ? std::uint64_t{1} << me_ : 0) : 0;
  return {line, ++number, world_.turns_.draw(1'000'000), depth_ + 1, above};
}

void World::Line::hold(std::uint64_t got, std::uint64_t right, const char* what) {
  world_.turns_.something_done();
  if (got != right) world_.fail(std::string("a wrong answer to ") + what);
}

void World::Line::act() {
  const auto kind = world_.turns_.draw(10);
  const bool deep = depth_ >= deepest;
  const auto to = choose(kind == 1);
  if (!to) return;
  const auto one = player(*to);
  switch (kind) {
    case 0: {
      const auto mine = ticket(*to, true);
      return hold(one->count(mine.line, mine.number), answer_to({mine.line, mine.number, mine.line, 0, 0}), "count");
    }
    case 1: {
      if (deep) return;
      const auto mine = ticket(*to, true);
      return hold(one->work(mine), answer_to(mine), "work");
    }
    case 2: {
      const auto mine = ticket(*to, true);
      const std::string text(1 + world_.turns_.draw(300), 'x');
      if (one->name(mine, text) != text + std::to_string(answer_to(mine))) world_.fail("a wrong answer to name");
      return;
    }
    case 3: return start_and_drop(*to);
    case 4: return start_and_cancel(*to);
    case 5: return through_a_gate(*to);
    case 6: {
      if (deep) return;
      const auto mine = ticket(*to, false);
      return hold(one->task(mine), answer_to(mine), "task");
    }
    case 7: return be_refused(*to);
    default: return start_some();
  }
}

void World::Line::start_some() {
  for (auto n = 1 + world_.turns_.draw(20); n > 0; --n) {
    const auto to = choose(false);
    if (!to) return;
    if (depth_ < deepest && world_.turns_.one_in(2)) {
      const bool task = world_.turns_.one_in(2);
      const auto mine = ticket(*to, false);  // called back by two of them, this method would serve one only within the other: that may be a cycle
      begun_.push_back({task ? start(player(*to))->task(mine) : start(player(*to))->work(mine), answer_to(mine)});
    } else {
      const auto mine = ticket(*to, false);
      begun_.push_back({start(player(*to))->count(mine.line, mine.number), answer_to({mine.line, mine.number, mine.line, 0, 0})});
    }
  }
  while (begun_.size() > 10) {
    const auto at = begun_.begin() + static_cast<std::ptrdiff_t>(world_.turns_.draw(begun_.size()));
    auto one = std::move(*at);
    begun_.erase(at);
    await(one);
  }
}

void World::Line::await(Begun& begun) { hold(begun.answer.get(), begun.right, "a started call"); }

void World::Line::end() {
  for (auto& each : begun_) {
    try {
      await(each);
    } catch (const std::exception& e) {
      if (!world_.is_expected(e)) world_.fail(std::string("a started call threw: ") + e.what());
    }
  }
  begun_.clear();
}

void World::Line::start_and_drop(std::size_t to) {
  const auto mine = ticket(to, false);
  if (depth_ < deepest && world_.turns_.one_in(2)) (void)start(player(to))->work(mine);
  else (void)start(player(to))->count(mine.line, mine.number);
}

void World::Line::start_and_cancel(std::size_t to) {
  const auto mine = ticket(to, false);
  auto begun = start(player(to))->work(mine);
  const bool cancelled = begun.cancel();
  try {
    hold(begun.get(), answer_to(mine), "a call that was not cancelled");
    if (cancelled) world_.fail("a call that was cancelled has an answer");
  } catch (const octavo::cancelled&) {
    // Of a process that died meanwhile the one answer may have come, and the other not.
    if ((!cancelled && world_.killed_ == 0) || world_.ran_.contains({mine.line, mine.number}))
      world_.fail("a call that was not cancelled, or ran, says it was");
  }
}

void World::Line::through_a_gate(std::size_t to) {
  const auto mine = ticket(to, false);
  const auto gate = mine.value ^ mine.line << 32U;
  auto answer = start(player(to))->later(mine, gate);
  try {
    player(to)->open(ticket(to, false), gate);
  } catch (const call_cycle&) {  // it may have run, or not: else nobody would open it
    (void)start(player(to))->open(ticket(to, false), gate);
    throw;
  }
  hold(answer.get(), answer_to(mine), "later");
}

void World::Line::be_refused(std::size_t to) {
  const auto mine = ticket(to, false);
  try {
    player(to)->refuse(mine);
    world_.fail("a method that throws has an answer");
  } catch (const std::out_of_range& e) {
    if (std::string(e.what()).find("refused " + std::to_string(answer_to(mine))) == std::string::npos) world_.fail(std::string("another error: ") + e.what());
  }
}

std::pair<future<std::uint64_t>, std::uint64_t> World::Line::begin_one() {
  const auto to = choose(false);
  if (!to) return {};
  const auto mine = ticket(*to, false);
  if (depth_ < deepest) return {start(player(*to))->work(mine), answer_to(mine)};
  return {start(player(*to))->count(mine.line, mine.number), answer_to({mine.line, mine.number, mine.line, 0, 0})};
}

}  // namespace octavo::schedule
