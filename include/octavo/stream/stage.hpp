// SPDX-License-Identifier: Apache-2.0
// What turns items into items: a stage has one worker, a farm several.
//
//   struct Blur { explicit Blur(int radius); Image svc(Image in); };    // svc_init() and svc_end() are called, if they are there
//   octavo::stage<Blur>(3).on(node1)                                    // 3 is Blur's radius; it is made where it works
//   octavo::farm<Blur>(3).workers(4).on({node1, node2}).unordered()     // four in all, dealt in turn
//   octavo::farm([](Task task) { return task.run(); }).bound({.items = 8})
//
// A stage takes a function, or a class with svc: `Out svc(In)`, `std::optional<Out> svc(In)` (empty: nothing), `void svc(In, octavo::emit<Out>&)` (any
// number), `void svc(In)` (the last stage). `In&` gets the item itself, to be changed in place.
// Where `on` says nothing a worker is a thread of this program; a place is a process of its own there. What goes to a place is made of constructor arguments,
// or is a lambda without captures; items then travel as arguments of calls do. A farm's results are in the order of the items, if it is not unordered().
// A worker takes the next item when it is free; else say which: .round_robin(), .by(key), .broadcast(), .scatter(parts), or give octavo::To (emit.hpp).
// A farm's copies of a function are its workers' own; a stage uses the function itself. An octavo::again feeds back (again.hpp).
// ST-7  Dealt items are done by each worker in their order. by(): items of one key go to one worker. broadcast() and scatter(): each worker has the item, or
// its
//       part, and its results lie in the order of the workers, or with gather() in one std::vector; unordered() has them as they come.
// ST-9  on_death("redo"): what a worker had when its process died is done by another one, and each item's results are given once. Functions may be redone, a
//       class if it says stateless(). An item that three workers died of ends the stream, and is named.
// Failure: usage_error for 0 workers, for a bound of 0, and where a class is to be redone that does not say stateless().
#pragma once

#include <initializer_list>
#include <utility>

#include "octavo/stream/detail/body.hpp"
#include "octavo/stream/detail/dealing.hpp"
#include "octavo/stream/settings.hpp"

namespace octavo {

namespace stream {

template <class Body, bool is_farm, bool is_placed = false, class Deals = ToWhoIsFree>
class Stage {
 public:
  static constexpr bool several = is_farm, placed = is_placed;
  using body_type = Body;
  using Dealing = Deals;
  Stage(Body body, StageSettings settings, Dealing dealing = {}) : body_(std::move(body)), settings_(std::move(settings)), dealing_(std::move(dealing)) {
    if (settings_.name.empty()) settings_.name = Body::name();
  }

  // As the report and errors call it; a class's name if not said.
  Stage named(std::string name) && {
    settings_.name = std::move(name);
    return std::move(*this);
  }
  // Of what lies before it.
  Stage bound(StreamBound bound) && {
    settings_.bound = checked(bound);
    return std::move(*this);
  }
  // As many as come, up to so many bytes: then an error that names this stage. 0: a quarter of the machine's memory.
  Stage unbounded(std::uint64_t bytes = 0) && {
    settings_.unbounded = true;
    settings_.bound.bytes = bytes == 0 ? memory_for_streams() : bytes;
    return std::move(*this);
  }
  auto on(Place place) && { return std::move(*this).on({std::move(place)}); }
  // Workers are dealt to them in turn.
  auto on(std::vector<Place> places) && {
    settings_.places = std::move(places);
    return Stage<Body, several, true, Dealing>(std::move(body_), std::move(settings_), std::move(dealing_));
  }
  auto on(std::initializer_list<Place> places) && { return std::move(*this).on(std::vector<Place>(places)); }
  Stage workers(std::size_t workers) && requires several {
    settings_.workers = checked_workers(workers);
    return std::move(*this);
  }
  // Results as they come.
  Stage unordered() && requires several {
    settings_.ordered = false;
    return std::move(*this);
  }
  Stage ordered() && requires several {
    settings_.ordered = true;
    return std::move(*this);
  }
  // Items go to the workers in turn, and not to the first that is free.
  auto round_robin() && requires several { return std::move(*this).dealt(InTurn()); }
  // Items of one key go to one worker. `key` is called here, and what it gives has a std::hash.
  template <class Key>
      auto by(Key key) && requires several {
    return std::move(*this).dealt(ByKey<Key>(std::move(key)));
  }
  // Each item goes to all workers.
  auto broadcast() && requires several { return std::move(*this).dealt(ToAll<false>()); }
  // `parts(item, workers)` gives a vector with each worker's part. It is called here.
  template <class Parts>
      auto scatter(Parts parts) && requires several {
    return std::move(*this).dealt(InParts<Parts, false>{std::move(parts)});
  }
  // The results to an item, of all workers, are one std::vector.
  auto gather() && requires several {
    static_assert(Dealing::to_all,
                  "octavo::farm: gather() is of a farm whose workers all have each item: write .broadcast().gather(), or .scatter(parts).gather()");
    return std::move(*this).dealt(gathered(std::move(dealing_)));
  }
  // "redo": what a worker had when it died, another one does. "error", if nothing is said: the stream ends.
  Stage on_death(std::string_view what) && {
    settings_.redo = redoes(what);
    return std::move(*this);
  }
  // Its svc depends on the item alone.
  Stage stateless() && {
    settings_.stateless = true;
    return std::move(*this);
  }

  // Of a description that is kept: a copy with that setting.
  Stage named(std::string name) const& { return Stage(*this).named(std::move(name)); }
  Stage bound(StreamBound bound) const& { return Stage(*this).bound(bound); }
  Stage unbounded(std::uint64_t bytes = 0) const& { return Stage(*this).unbounded(bytes); }
  auto on(Place place) const& { return Stage(*this).on(std::move(place)); }
  auto on(std::vector<Place> places) const& { return Stage(*this).on(std::move(places)); }
  auto on(std::initializer_list<Place> places) const& { return Stage(*this).on(places); }
  Stage workers(std::size_t workers) const& requires several { return Stage(*this).workers(workers); }
  Stage unordered() const& requires several { return Stage(*this).unordered(); }
  Stage ordered() const& requires several { return Stage(*this).ordered(); }
  auto round_robin() const& requires several { return Stage(*this).round_robin(); }
  template <class Key>
  auto by(Key key) const& requires several {
    return Stage(*this).by(std::move(key));
  }
  auto broadcast() const& requires several { return Stage(*this).broadcast(); }
  template <class Parts>
  auto scatter(Parts parts) const& requires several {
    return Stage(*this).scatter(std::move(parts));
  }
  auto gather() const& requires several { return Stage(*this).gather(); }
  Stage on_death(std::string_view what) const& { return Stage(*this).on_death(what); }
  Stage stateless() const& { return Stage(*this).stateless(); }

  [[nodiscard]] Body& body() noexcept { return body_; }
  [[nodiscard]] const Body& body() const noexcept { return body_; }
  [[nodiscard]] StageSettings& settings() noexcept { return settings_; }
  [[nodiscard]] const Dealing& dealing() const noexcept { return dealing_; }

 private:
  template <class Other>
  auto dealt(Other dealing) && {
    return Stage<Body, several, placed, Other>(std::move(body_), std::move(settings_), std::move(dealing));
  }

  Body body_;
  StageSettings settings_;
  Dealing dealing_;
};

template <class T>
inline constexpr bool is_stage = false;
template <class Body, bool several, bool placed, class Dealing>
inline constexpr bool is_stage<Stage<Body, several, placed, Dealing>> = true;
template <class T>
inline constexpr bool is_pipeline = false;  // pipeline.hpp
template <class T>
concept function_like = !is_stage<std::decay_t<T>> && !is_pipeline<std::decay_t<T>>;

}  // namespace stream

// Of a class, with its constructor's arguments.
template <class T, class... A>
auto stage(A&&... arguments) {
  using Body = stream::ClassBody<T, detail::stored_t<A>...>;
  static_assert(std::is_constructible_v<T, const detail::stored_t<A>&...>, "octavo::stage: the class has no constructor that takes these arguments");
  return stream::Stage<Body, false>({{detail::stored_t<A>(std::forward<A>(arguments))...}}, {});
}
template <class T, class... A>
auto farm(A&&... arguments) {
  using Body = stream::ClassBody<T, detail::stored_t<A>...>;
  static_assert(std::is_constructible_v<T, const detail::stored_t<A>&...>, "octavo::farm: the class has no constructor that takes these arguments");
  return stream::Stage<Body, true>({{detail::stored_t<A>(std::forward<A>(arguments))...}}, {.workers = 0});
}

// Of a function.
template <stream::function_like F>
auto stage(F&& function) {
  return stream::Stage<stream::FunctionBody<std::decay_t<F>>, false>({std::forward<F>(function)}, {});
}
template <stream::function_like F>
auto farm(F&& function) {
  return stream::Stage<stream::FunctionBody<std::decay_t<F>>, true>({std::forward<F>(function)}, {.workers = 0});
}

}  // namespace octavo
