// SPDX-License-Identifier: Apache-2.0
// Where an object is put. Every place has the same make, so the same program text works for each.
//
//   auto a = ov::thread.make<Counter>(5);                 // on a thread of this program
//   auto b = ov::process.make<Counter>(5);                // in a process of its own on this machine
//   auto c = runtime.machine("box").make<Counter>(5);     // on another machine
//   auto d = ov::beside(c).make<Summary>(c);              // on the machine of c, sharing its pages
//   ov::future<ov::remote_ptr<Counter>> e = ov::start(ov::process).make<Counter>(6);    // made in parallel (C-10)
//
// make() returns when the constructor has returned, and throws what it threw. An object on a thread obeys the whole contract of a
// call, but shares the fate of its program: it cannot be killed or die alone. Threading: places are values.
#pragma once

#include "octavo/machine/facts.hpp"
#include "octavo/process/remote_ptr.hpp"

namespace octavo {

namespace detail {

template <class A>
struct stored {
  using type = std::decay_t<A>;
};
template <class A>
  requires std::is_same_v < std::decay_t<A>,
const char* > || std::is_same_v<std::decay_t<A>, char*> struct stored<A> { using type = std::string; };
template <class A>
using stored_t = typename stored<A>::type;

template <class T, class... A>
Address send_construction(const std::shared_ptr<StateBase>& state, const Placement& where, A&&... arguments) {
  (check_parameter<stored_t<A>>(), ...);
  static_assert(std::is_constructible_v<hosted_type<T>, stored_t<A>...>, "the class has no constructor that takes these arguments");
  wire::Outgoing out;
  std::tuple<sent_t<stored_t<A>, A>...> sent(std::forward<A>(arguments)...);
  wire::Encoder encoder(out);
  [&]<std::size_t... I>(std::index_sequence<I...>) { (encode_argument<std::tuple_element_t<I, decltype(sent)>>(encoder, std::get<I>(sent)), ...); }
  (std::index_sequence_for<A...>());
  return begin_make(state, *ConstructorOf<hosted_type<T>, stored_t<A>...>::entry, out, where);
}

// The pointer is known when the process is; the future is ready when the constructor has returned.
template <class T>
future<remote_ptr<T>> pointer_when(std::shared_ptr<State<void>> made, Address address) {  // by value: a coroutine outlives its caller
  future<void> done(std::move(made));
  co_await done;
  co_return remote_ptr<T>(address);
}

}  // namespace detail

class Place {
 public:
  Place() = default;
  explicit Place(Placement where) : where_(std::move(where)) {}
  [[nodiscard]] const Placement& placement() const noexcept { return where_; }
  // The same place, where processes are served by this command (its program, then arguments) instead: it makes a Runtime first of all.
  [[nodiscard]] Place served_by(std::vector<std::string> command) const {
    Place other(*this);
    other.where_.server = std::move(command);
    return other;
  }

  template <class T, class... A>
  remote_ptr<T> make(A&&... arguments) const {
    auto state = std::make_shared<detail::State<void>>();
    Address address = detail::send_construction<T>(state, where_, std::forward<A>(arguments)...);
    detail::finish_call(*state);
    return remote_ptr<T>(address);
  }

 private:
  Placement where_;
};

// A machine is the place where a process on it is put.
class Machine : public Place {
 public:
  explicit Machine(std::string name) : Place(on(name)), name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Its hardware, as it is now (machine/facts.hpp).
  [[nodiscard]] MachineFacts facts() const;

 private:
  static Placement on(const std::string& name) {
    Placement where;
    where.machine = name;
    return where;
  }
  std::string name_;
};

inline const Place process{};
inline const Place thread{[] {
  Placement where;
  where.on_thread = true;
  return where;
}()};

// The machine of `p`: what is made there shares its pages without a copy.
template <class T>
Place beside(const remote_ptr<T>& p) {
  Placement where;
  where.beside = p.address();
  return Place(where);
}

// What start(place) gives.
class StartingPlace {
 public:
  explicit StartingPlace(Placement where) : where_(std::move(where)) {}
  template <class T, class... A>
  future<remote_ptr<T>> make(A&&... arguments) const {
    auto state = std::make_shared<detail::State<void>>();
    Address address = detail::send_construction<T>(state, where_, std::forward<A>(arguments)...);
    return detail::pointer_when<T>(std::move(state), address);
  }

 private:
  Placement where_;
};
inline StartingPlace start(const Place& place) { return StartingPlace(place.placement()); }

}  // namespace octavo
