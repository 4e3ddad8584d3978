// SPDX-License-Identifier: Apache-2.0
// The crews whose workers are processes elsewhere: a thread of this program for each sends it what it takes, two calls at a time, so that the next is there
// when it has done one, and hands its results on.
#pragma once

#include <deque>
#include <tuple>

#include "octavo/stream/detail/crews.hpp"
#include "octavo/stream/detail/hosted.hpp"

namespace octavo::stream {

template <class Is>
class PlacedCrew final : public Crew {
  using Entry = typename Ways<Is>::Entry;
  using Exit = typename Ways<Is>::Exit;
  using Body = typename Is::body_type;
  using In = typename Is::In;
  static_assert(detail::can_travel<In>() && detail::can_travel<typename Is::Result>(),
                "octavo: what goes to a stage on a place, and comes from there, is to be a type that travels");
  using Host = HostOf<Body, In>;
  using Hosted = typename Host::type;
  using OfItem = typename Hosted::OfItem;

 public:
  PlacedCrew(StageSettings settings, Body& body, std::shared_ptr<Entry> entry, std::shared_ptr<Exit> exit)
      : Crew(std::move(settings), exit->workers(), Is::numbers(exit->workers())), body_(body), entry_(std::move(entry)), exit_(std::move(exit)) {
    check_redo(this->settings(), Host::has_state, std::is_copy_constructible_v<In>);
  }

 private:
  // Some slots in one call.
  struct Call {
    std::vector<std::uint64_t> numbers = {};
    std::vector<std::size_t> counts = {};  // of items, of each slot
    Row<In> row = {};                      // while it may have to be done again
    std::optional<future<Row<OfItem>>> results = {};
    int deaths = 0;                 // of workers that had it
    std::exception_ptr error = {};  // of the slot of which an item could not be sent: the last of these, as far as that item, or the one behind them
    std::uint64_t failed = 0;       // its number
    [[nodiscard]] bool is_cut_in(std::size_t slot) const { return error != nullptr && numbers[slot] == failed; }
    [[nodiscard]] std::uint64_t first() const { return numbers.empty() ? failed : numbers.front(); }
  };
  struct Worker {
    std::size_t index;
    remote_ptr<Hosted> host = {};
    std::deque<Call> calls = {};
  };
  static constexpr int most_deaths = 3;

  void work(std::size_t index) override {
    Worker worker{index};
    try {
      begin(worker);
      take_all(worker);
      end(worker);
    } catch (...) {
      if (worker.host) {
        end_at_once(worker.host.address());
        destroy_what_is_left(worker.host);
      }
      throw;
    }
    destroy(worker.host);
  }
  static void destroy_what_is_left(const remote_ptr<Hosted>& host) noexcept {
    try {
      destroy(host);
    } catch (const std::exception&) {  // it is gone, which is what we want
    }
  }
  // Its process may die before it has begun anything.
  void begin(Worker& worker) {
    for (int deaths = 0;;) {
      try {
        worker.host = Host::make(place_of(settings(), worker.index), body_);
        return call<&Hosted::begin>(worker.host);
      } catch (const process_died&) {
        if (!settings().redo || ++deaths == most_deaths) throw;
      }
    }
  }
  void end(Worker& worker) {
    try {
      call<&Hosted::end>(worker.host);
    } catch (const process_died&) {  // all that it gave is there
      if (!settings().redo) throw;
    }
  }
  void take_all(Worker& worker) {
    Counters& mine = counters(worker.index);
    Portion portion(1024, std::chrono::microseconds(200));  // a call alone takes a tenth of it
    auto& calls = worker.calls;
    for (bool over = false; !over || !calls.empty();) {
      if (!over && calls.size() < 2) {
        const auto waiting = [&](auto wait) { mine.timed(doing::waits_for_input, wait); };
        const auto claim = calls.empty() ? entry_->claim(worker.index, portion.now(), waiting) : entry_->try_claim(worker.index, portion.now());
        if (claim) over = claim->count == 0 || !begin_call(worker, *claim);
        if (claim) continue;
      }
      portion.begin();
      finish_call(worker);
      portion.end();
    }
  }
  // False: not all of it could be sent.
  bool begin_call(Worker& worker, const Claim& claim) {
    Call made;
    for (std::uint64_t claimed = claim.first; claimed < claim.first + claim.count; ++claimed) {
      auto taken = entry_->take(worker.index, claimed);
      auto& items = made.row.items;
      const std::size_t before = items.size();
      give_each(std::move(taken.slot), [&](In&& item) { items.push_back(std::move(item)); });
      made.numbers.push_back(taken.number);
      made.counts.push_back(items.size() - before);
    }
    counters(worker.index).taken += made.row.items.size();
    worker.calls.push_back(std::move(made));
    try {
      send(worker, worker.calls.back());
    } catch (const process_died&) {  // while it had nothing to do
      if (!settings().redo) throw;
    }
    return worker.calls.back().error == nullptr;
  }
  // Where an item cannot be encoded, those before it are sent.
  void send(Worker& worker, Call& made) {
    for (bool sent = false; !sent;) {
      Before<In> before;
      made.row.leaves(&before);
      try {
        made.results = start_run(worker, made.row);
        sent = true;
      } catch (...) {
        if (!before.failed) throw;
        made.error = std::current_exception();
        cut(made, std::move(before.items));
      }
    }
  }
  future<Row<OfItem>> start_run(Worker& worker, Row<In>& row) {
    if constexpr (std::is_copy_constructible_v<In>)
      if (settings().redo) return start<&Hosted::run>(worker.host, row);
    return start<&Hosted::run>(worker.host, std::move(row));
  }
  static void cut(Call& made, std::vector<In>&& good) {
    std::size_t slots = 0, items = 0;
    while (items + made.counts[slots] <= good.size()) items += made.counts[slots++];
    made.failed = made.numbers[slots];
    if (items < good.size()) made.counts[slots++] = good.size() - items;
    made.numbers.resize(slots);
    made.counts.resize(slots);
    made.row.items = std::move(good);
  }
  // All before the item that failed are given, then the error is thrown.
  void finish_call(Worker& worker) {
    Row<OfItem> results;
    try {
      results = come_of(worker, worker.calls.front());
    } catch (const process_died& death) {
      at_item(worker.index, worker.calls.front().first());
      if (!settings().redo) throw;
      return begin_again(worker, death);
    }
    const Call done = std::move(worker.calls.front());
    worker.calls.pop_front();
    give_all(worker.index, done, std::move(results.items), results.error);
    if (results.error) std::rethrow_exception(results.error);
    if (!done.error) return;
    at_item(worker.index, done.failed);
    std::rethrow_exception(done.error);
  }
  // What the items gave, or those before the first that failed. It may do so there, or its results on their way.
  Row<OfItem> come_of(Worker& worker, Call& made) {
    if (!made.results) send(worker, made);
    while (!made.results->wait_for(std::chrono::milliseconds(100)))
      if (is_cancelled(worker.index)) throw Stopped();
    std::exception_ptr error;
    for (std::size_t left = made.numbers.size() + 2; left > 0; --left) {  // each time they are fewer
      try {
        auto row = error ? call<&Hosted::before>(worker.host) : made.results->get();
        if (!row.error) row.error = error;
        return row;
      } catch (const process_died&) {
        throw;
      } catch (...) {
        error = std::current_exception();
      }
    }
    return Row<OfItem>(error);
  }
  void give_all(std::size_t worker, const Call& done, std::vector<OfItem>&& results, const std::exception_ptr& error) {
    auto next = results.begin();
    for (std::size_t slot = 0; slot < done.numbers.size(); ++slot) {
      at_item(worker, done.numbers[slot]);
      if (done.numbers[slot] >= fails_at()) throw Stopped();
      const auto last = next + std::min(static_cast<std::ptrdiff_t>(done.counts[slot]), results.end() - next);
      const bool whole = last - next == static_cast<std::ptrdiff_t>(done.counts[slot]);
      if (!whole && (next == last || !error)) break;
      exit_->results_of(done.numbers[slot], worker, counters(worker), [&](auto&& give) {
        for (; next != last; ++next) give_item(done.numbers[slot], *next, give);
        if (!whole) std::rethrow_exception(error);
        if (done.is_cut_in(slot)) std::rethrow_exception(done.error);
      });
    }
  }
  template <class Give>
  void give_item([[maybe_unused]] std::uint64_t number, OfItem& done, Give& give) {
    if constexpr (Is::loops) {
      for (auto&& each : done.again) entry_->again(number, In(std::move(each)));
      for (auto&& each : done.results) give(typename Is::Result(std::move(each)));
    } else if constexpr (!Is::is_last) {
      if constexpr (Hosted::is_flat) give(std::move(done));
      else
        for (auto&& each : done) give(typename Is::Result(std::move(each)));
    }
  }

  // Another worker does what the one that died had: its first call slot by slot, so that the item it died of is found.
  void begin_again(Worker& worker, const process_died& death) {
    Call front = std::move(worker.calls.front());
    if (++front.deaths == most_deaths) throw_again(death, front);
    worker.calls.pop_front();
    for (Call& each : worker.calls) each.results.reset();
    const bool is_cut = !front.numbers.empty() && front.is_cut_in(front.numbers.size() - 1);
    if (front.error && !is_cut) worker.calls.push_front({.error = front.error, .failed = front.failed});
    auto next = front.row.items.end();
    for (std::size_t slot = front.numbers.size(); slot-- > 0;) {
      const auto first = next - static_cast<std::ptrdiff_t>(front.counts[slot]);
      Call alone{.numbers = {front.numbers[slot]}, .counts = {front.counts[slot]}, .deaths = front.deaths};
      std::move(first, next, std::back_inserter(alone.row.items));
      if (front.is_cut_in(slot)) std::tie(alone.error, alone.failed) = std::pair(front.error, front.failed);
      worker.calls.push_front(std::move(alone));
      next = first;
    }
    begin(worker);
  }
  [[noreturn]] void throw_again(const process_died& death, const Call& made) const {
    process_died named(death);
    named.add_context("item " + std::to_string(made.first() / Is::numbers(workers())) + " of stage '" + settings().name + "' of a stream, of which " +
                      std::to_string(most_deaths) + " workers died");
    throw named;
  }
  [[nodiscard]] bool is_cancelled(std::size_t worker) const noexcept { return exit_->is_cancelled() || (Is::is_last && entry_->is_cancelled(worker)); }
  void leave(std::size_t worker) noexcept override { entry_->leave(worker); }
  void close_where_it_failed() noexcept override { exit_->close_in_order(fails_at()); }
  void close_output() noexcept override { exit_->close(std::min(entry_->end(), fails_at())); }

  Body& body_;
  const std::shared_ptr<Entry> entry_;
  const std::shared_ptr<Exit> exit_;
};

}  // namespace octavo::stream
