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
// A worker takes the next item when it is free. A farm's copies of a function are its workers' own; a stage uses the function itself.
// Failure: usage_error for 0 workers, and for a bound of 0.
#pragma once

#include <initializer_list>
#include <utility>

#include "octavo/stream/detail/body.hpp"
#include "octavo/stream/settings.hpp"

namespace octavo {

namespace stream {

template <class Body, bool is_farm, bool is_placed = false>
class Stage {
 public:
  static constexpr bool several = is_farm, placed = is_placed;
  using body_type = Body;
  Stage(Body body, StageSettings settings) : body_(std::move(body)), settings_(std::move(settings)) {
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
  auto on(Place place) && { return std::move(*this).on({std::move(place)}); }
  // Workers are dealt to them in turn.
  auto on(std::vector<Place> places) && {
    settings_.places = std::move(places);
    return Stage<Body, several, true>(std::move(body_), std::move(settings_));
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

  [[nodiscard]] Body& body() noexcept { return body_; }
  [[nodiscard]] const Body& body() const noexcept { return body_; }
  [[nodiscard]] StageSettings& settings() noexcept { return settings_; }

 private:
  Body body_;
  StageSettings settings_;
};

template <class T>
inline constexpr bool is_stage = false;
template <class Body, bool several, bool placed>
inline constexpr bool is_stage<Stage<Body, several, placed>> = true;
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
