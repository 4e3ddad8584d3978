// SPDX-License-Identifier: Apache-2.0
// What a stage's worker has at its place: an object that does some items in one call.
#pragma once

#include "octavo/process/detail/can_travel.hpp"
#include "octavo/process/runtime.hpp"
#include "octavo/stream/detail/loop.hpp"
#include "octavo/stream/detail/sent/row.hpp"

namespace octavo::stream {

// Of one item: its results, and what it feeds back.
template <class Result, class In>
struct RoundOf {
  std::vector<Result> results;
  std::vector<In> again;
};

// At its place. Its class needs no OCTAVO_REMOTE: these calls are by address.
template <class Doer, class In, class... A>
class HostedDoer {
  using svc = Svc<Doer, In>;
  using Result = std::conditional_t<std::is_void_v<typename svc::gives>, char, typename svc::gives>;

 public:
  // One value to an item, and no vector; a vector of bool has no references to its elements.
  static constexpr bool is_flat = !svc::loops && !std::is_same_v<Result, bool> && (svc::one_to_one || std::is_void_v<typename svc::gives>);
  using OfItem = std::conditional_t<svc::loops, RoundOf<Result, In>, std::conditional_t<is_flat, Result, std::vector<Result>>>;
  explicit HostedDoer(A... arguments) : doer_(std::move(arguments)...) {}
  void begin() { begin_doer(doer_); }
  // The results of each item. What one throws, or its results do when they are encoded, leaves those before it here, for before(); then it does no more.
  Row<OfItem> run(Row<In> row) {
    if (done_.failed) return {};
    done_.failed = true;
    for (auto&& item : row.items) done_.items.push_back(run_one(In(std::move(item))));
    if (row.error) std::rethrow_exception(row.error);
    done_.failed = false;
    return before();
  }
  Row<OfItem> before() { return Row<OfItem>(std::exchange(done_.items, {}), &done_); }
  void end() { end_doer(doer_); }

 private:
  OfItem run_one(In&& item) {
    if constexpr (is_flat && svc::one_to_one) {
      std::optional<Result> one;
      svc::run(doer_, std::move(item), [&](auto&& result) { one.emplace(std::move(result)); });
      return std::move(*one);
    } else if constexpr (svc::loops) {
      OfItem done;
      svc::run_round(
          doer_, std::move(item), [&](auto&& result) { done.results.push_back(std::move(result)); }, [&](In value) { done.again.push_back(std::move(value)); });
      return done;
    } else {
      OfItem done{};
      svc::run(doer_, std::move(item), [&]([[maybe_unused]] auto&& result) {
        if constexpr (!is_flat) done.push_back(std::move(result));
      });
      return done;
    }
  }

  Doer doer_;
  Before<OfItem> done_;
};

template <class Body, class In>
struct HostOf {
  static_assert(std::is_empty_v<typename Body::doer> && std::is_default_constructible_v<typename Body::doer>,
                "octavo: a function with captures is a stage of this program's threads. To have it on a place write a class with svc, which is made there");
  using type = HostedDoer<typename Body::doer, In>;
  static constexpr bool has_state = false;
  static remote_ptr<type> make(const Place& place, Body& /*body*/) { return place.make<type>(); }
};
template <class T, class... A, class In>
struct HostOf<ClassBody<T, A...>, In> {
  using type = HostedDoer<T, In, A...>;
  static constexpr bool has_state = true;
  static remote_ptr<type> make(const Place& place, ClassBody<T, A...>& body) {
    return std::apply([&](const A&... arguments) { return place.make<type>(arguments...); }, body.arguments);
  }
};

template <class... Body, class In>
struct HostOf<TogetherBody<Body...>, In> {
  static_assert((MadeOf<Body>::is_known && ...),
                "octavo: a function with captures is a stage of this program's threads. To have it on a place write a class with svc, which is made there");
  using Arguments = std::tuple<typename MadeOf<Body>::type...>;
  using type = HostedDoer<Doers<Body...>, In, Arguments>;
  static constexpr bool has_state = true;
  static remote_ptr<type> make(const Place& place, TogetherBody<Body...>& body) {
    return place.make<type>(std::apply([](const Body&... each) { return Arguments(MadeOf<Body>::of(each)...); }, body.bodies));
  }
};

// Ends a process that may be in the middle of an item.
void end_at_once(const Address& who) noexcept;
// Throws usage_error where a class that may have state is to be redone.
void check_redo(const StageSettings& settings, bool has_state, bool can_be_copied);

}  // namespace octavo::stream
