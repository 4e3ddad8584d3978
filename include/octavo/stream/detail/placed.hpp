// SPDX-License-Identifier: Apache-2.0
// The crews whose workers are processes elsewhere: a thread of this program for each sends it what it takes from the belt, two calls at a time, so that the
// next is there when it has done one, and puts the results on the belt behind.
#pragma once

#include <deque>

#include "octavo/process/detail/can_travel.hpp"
#include "octavo/process/runtime.hpp"
#include "octavo/stream/detail/crews.hpp"

namespace octavo::stream {

// At its place. Its class needs no OCTAVO_REMOTE: these calls are by address.
template <class Doer, class In, class... A>
class HostedDoer {
  using svc = Svc<Doer, In>;
  using Out = std::conditional_t<std::is_void_v<typename svc::gives>, char, typename svc::gives>;

 public:
  using Results = std::vector<Out>;
  explicit HostedDoer(A... arguments) : doer_(std::move(arguments)...) {}
  void begin() { begin_doer(doer_); }
  // The results of each item. What one throws leaves those before it here, for before(); then it does no more.
  std::vector<Results> run(std::vector<In> items) {
    if (failed_) return {};
    failed_ = true;
    for (In& item : items) {
      Results results;
      svc::run(doer_, std::move(item), [&]([[maybe_unused]] auto&& result) { results.push_back(std::move(result)); });
      done_.push_back(std::move(results));
    }
    failed_ = false;
    return std::exchange(done_, {});
  }
  std::vector<Results> before() { return std::exchange(done_, {}); }
  void end() { end_doer(doer_); }

 private:
  Doer doer_;
  std::vector<Results> done_;
  bool failed_ = false;
};

template <class Body, class In>
struct HostOf {
  static_assert(std::is_empty_v<typename Body::doer> && std::is_default_constructible_v<typename Body::doer>,
                "octavo: a function with captures is a stage of this program's threads. To have it on a place write a class with svc, which is made there");
  using type = HostedDoer<typename Body::doer, In>;
  static remote_ptr<type> make(const Place& place, Body& /*body*/) { return place.make<type>(); }
};
template <class T, class... A, class In>
struct HostOf<ClassBody<T, A...>, In> {
  using type = HostedDoer<T, In, A...>;
  static remote_ptr<type> make(const Place& place, ClassBody<T, A...>& body) {
    return std::apply([&](const A&... arguments) { return place.make<type>(arguments...); }, body.arguments);
  }
};

// Ends a process that may be in the middle of an item.
void end_at_once(const Address& who) noexcept;

template <class Body, bool several, class InSlot>
class PlacedCrew final : public Crew {
  using Is = Shape<Body, several, InSlot>;
  using OutSlot = typename Is::OutSlot;
  using In = typename Is::In;
  static_assert(detail::can_travel<In>() && (Is::is_last || detail::can_travel<std::conditional_t<Is::is_last, char, typename Is::Out>>()),
                "octavo: what goes to a stage on a place, and comes from there, is to be a type that travels");
  using Host = HostOf<Body, In>;
  using Hosted = typename Host::type;
  using Results = std::vector<typename Hosted::Results>;

 public:
  PlacedCrew(StageSettings settings, Body& body, std::shared_ptr<Belt<InSlot>> in, std::shared_ptr<Belt<OutSlot>> out)
      : Crew(settings, workers_of(settings)), body_(body), in_(std::move(in)), out_(std::move(out)), by_number_(several && settings.ordered) {}

 private:
  struct Call {
    std::uint64_t first;
    std::vector<std::size_t> items;  // of each slot
    future<Results> results;
  };

  void work(std::size_t worker) override {
    const auto host = Host::make(place_of(settings(), worker), body_);
    try {
      call<&Hosted::begin>(host);
      take_all(worker, host);
      call<&Hosted::end>(host);
    } catch (...) {
      end_at_once(host.address());
      destroy_what_is_left(host);
      throw;
    }
    destroy(host);
  }
  static void destroy_what_is_left(const remote_ptr<Hosted>& host) noexcept {
    try {
      destroy(host);
    } catch (const std::exception&) {  // it is gone, which is what we want
    }
  }
  void take_all(std::size_t worker, const remote_ptr<Hosted>& host) {
    Counters& mine = counters(worker);
    Portion portion(true);
    std::deque<Call> calls;
    for (bool over = false; !over || !calls.empty();) {
      if (!over && calls.size() < 2 && (calls.empty() || in_->has())) {
        const Claim claim = in_->claim(portion.now(), workers(), [&](auto wait) { Counters::timed(mine.waited_for_input, wait); });
        over = claim.count == 0;
        if (!over) calls.push_back(begin_call(mine, host, claim));
        continue;
      }
      Call front = std::move(calls.front());
      calls.pop_front();
      portion.begin();
      finish_call(worker, host, front);
      portion.end();
    }
  }
  Call begin_call(Counters& mine, const remote_ptr<Hosted>& host, const Claim& claim) {
    std::vector<In> items;
    Call made{claim.first, {}, {}};
    for (std::uint64_t number = claim.first; number < claim.first + claim.count; ++number) {
      const std::size_t before = items.size();
      give_each(in_->take(number), [&](In&& item) { items.push_back(std::move(item)); });
      made.items.push_back(items.size() - before);
    }
    mine.taken += items.size();
    made.results = start<&Hosted::run>(host, std::move(items));
    return made;
  }
  // All before the item that failed are given, then the error is thrown.
  void finish_call(std::size_t worker, const remote_ptr<Hosted>& host, Call& made) {
    Counters& mine = counters(worker);
    while (!made.results.wait_for(std::chrono::milliseconds(100)))
      if (is_cancelled()) throw Stopped();
    Results results;
    std::exception_ptr error;
    try {
      results = made.results.get();
    } catch (const process_died&) {
      at_item(worker, made.first);
      throw;
    } catch (...) {
      error = std::current_exception();
      results = call<&Hosted::before>(host);
    }
    auto next = results.begin();
    for (std::size_t slot = 0; slot < made.items.size(); ++slot) {
      at_item(worker, made.first + slot);
      if (made.first + slot >= fails_at()) throw Stopped();
      if (made.items[slot] > static_cast<std::size_t>(results.end() - next)) break;
      give(mine, made.first + slot, next, next + static_cast<std::ptrdiff_t>(made.items[slot]));
      next += static_cast<std::ptrdiff_t>(made.items[slot]);
    }
    if (error) std::rethrow_exception(error);
  }
  template <class Iterator>
  void give(Counters& mine, std::uint64_t number, Iterator first, Iterator last) {
    if constexpr (!Is::is_last) {
      Output<OutSlot> output(*out_, mine);
      if (!by_number_) {
        for (; first != last; ++first)
          for (auto& each : *first) output.give(std::move(each));
      } else if constexpr (Is::bunched) {
        OutSlot bunch;
        for (; first != last; ++first) {
          mine.given += first->size();
          for (auto& each : *first) bunch.add(std::move(each));
        }
        output.put(number, std::move(bunch));
      } else {
        ++mine.given;
        output.put(number, std::move(first->front()));
      }
    }
  }
  [[nodiscard]] bool is_cancelled() const noexcept { return out_ != nullptr ? out_->is_cancelled() : in_->is_cancelled(); }
  void close_output() noexcept override {
    if (out_ == nullptr) return;
    out_->close(by_number_ ? std::min(in_->claimed(), fails_at()) : out_->numbers_given());
  }

  Body& body_;
  const std::shared_ptr<Belt<InSlot>> in_;
  const std::shared_ptr<Belt<OutSlot>> out_;
  const bool by_number_;
};

}  // namespace octavo::stream
