// SPDX-License-Identifier: Apache-2.0
// A group: an ordered set of objects that know their own index and each other.
//
//   auto g = octavo::make_group<Worker>(octavo::process, 8, data);       // 8 objects, made in parallel; or octavo::group<Worker> g(p0, p1, p2)
//   std::vector<double> parts = g->sum();                 // a call to all, in parallel; the results in the order of the members
//   g->read(octavo::each(files), flags);                  // member i gets files[i]
//   auto done = octavo::start(g)->solve();                // octavo::future<std::vector<double>>
//   octavo::call<&Worker::sum>(g);                        // the same without OCTAVO_REMOTE
//   g.barrier();  g[3]->stop();  for (auto p : g) p->stop();
//
// G-1 Making a group tells each member its index, the size and the addresses of all; it returns when all know. A group is a small value: it
//     can be copied, compared (equal: of one making), and passed to other objects. Members know it as long as they live.
// G-2 A call to all runs on all in parallel and returns when each has answered. Results come in the order of the members; of several
//     errors the one of the lowest index is thrown, after all have answered; it says which member it was (in what() if the error is of this
//     side, else in octavo::origin(e)->trace).
// G-3 g.barrier() returns when the calls made before by this caller have returned on every member, and raises what dropped futures of them would
//     have thrown. (A method that returns a future has returned when it has given that, C-12.)
// G-4 to G-17 are about the inside: self.hpp.
//
// Errors: usage_error (an empty group, a pointer twice or to nowhere), process_died. Threading: a value.
#pragma once

#include "octavo/group/detail/all.hpp"
#include "octavo/process/place.hpp"

namespace octavo {

template <class T>
class group {
 public:
  using element_type = T;
  group() = default;  // of nobody, to be assigned to
  explicit group(std::vector<remote_ptr<T>> members) { make(std::move(members)); }
  template <class... P>
    requires(sizeof...(P) > 0 && (std::is_convertible_v<const P&, remote_ptr<T>> && ...))
  explicit group(const P&... members) { make({static_cast<remote_ptr<T>>(members)...}); }

  // A group of a derived class is one of its base: the same one, seen so.
  template <class Derived>
    requires(!std::is_same_v<Derived, T> && std::is_convertible_v<const remote_ptr<Derived>&, remote_ptr<T>>)
  group(const group<Derived>& other) {  // NOLINT: converts as a remote_ptr does
    if (other.id() == 0) return;
    auto body = std::make_shared<Body>();
    body->of = *other.founding();
    body->pointers.assign(other.begin(), other.end());
    body_ = std::move(body);
  }

  [[nodiscard]] std::size_t size() const noexcept { return body_ ? body_->pointers.size() : 0; }
  [[nodiscard]] const remote_ptr<T>& operator[](std::size_t index) const { return body().pointers.at(index); }
  [[nodiscard]] const std::vector<remote_ptr<T>>& members() const { return body().pointers; }
  [[nodiscard]] auto begin() const { return body().pointers.begin(); }
  [[nodiscard]] auto end() const { return body().pointers.end(); }
  bool operator==(const group& other) const noexcept { return id() == other.id(); }
  auto operator<=>(const group& other) const noexcept { return id() <=> other.id(); }
  [[nodiscard]] std::uint64_t id() const noexcept { return body_ ? body_->of.id : 0; }

  auto operator->() const {
    static_assert(
        requires { octavo_arrow_of(static_cast<const T*>(nullptr), detail::WaitingForAll{}); },
        "g->method() needs OCTAVO_REMOTE(Class, method...) after the class; octavo::call<&Class::method>(g, ...) needs nothing");
    return detail::GroupArrow<detail::arrow_t<T, detail::WaitingForAll>>(founding());
  }
  void barrier() const { detail::barrier_from_outside(body().of); }
  // A new group of some of them, in this order.
  [[nodiscard]] group sub(const std::vector<std::size_t>& indices) const {
    std::vector<remote_ptr<T>> some;
    for (auto i : indices) some.push_back(body().pointers.at(i));
    return group(std::move(some));
  }

  template <class Archive>
  void save(Archive& archive) const {
    archive(body().of);
  }
  template <class Archive>
  void load(Archive& archive) {
    detail::Founding of;
    archive(of);
    *this = known(std::move(of));
  }
  // A group that its members know already.
  static group known(detail::Founding of) {  // NOLINT(performance-unnecessary-value-param): it is moved on
    auto body = std::make_shared<Body>();
    for (const auto& each : of.members) body->pointers.emplace_back(each);
    body->of = std::move(of);
    group made;
    if (body->of.id != 0) made.body_ = std::move(body);
    return made;
  }
  [[nodiscard]] std::shared_ptr<const detail::Founding> founding() const { return {body_, &body().of}; }

 private:
  struct Body {
    detail::Founding of;
    std::vector<remote_ptr<T>> pointers;
  };
  [[nodiscard]] const Body& body() const {
    static const Body nobody;
    return body_ ? *body_ : nobody;
  }
  void make(std::vector<remote_ptr<T>> members) {
    detail::Founding of{detail::new_group_id(), std::string(detail::type_name<T>()), {}, {}};
    for (const auto& each : members) of.members.push_back(each.address());
    detail::found(of);
    *this = known(std::move(of));
  }
  std::shared_ptr<const Body> body_;
};

template <class T>
auto start(const group<T>& g) {
  return detail::GroupArrow<detail::arrow_t<T, detail::StartingAll>>(g.founding());
}
template <auto F, class T, class... A>
auto call(const group<T>& g, A&&... arguments) {
  auto of = g.founding();
  return detail::WaitingForAll::invoke<F>(detail::carry(&of), std::forward<A>(arguments)...);
}
template <auto F, class T, class... A>
auto start(const group<T>& g, A&&... arguments) {
  auto of = g.founding();
  return detail::StartingAll::invoke<F>(detail::carry(&of), std::forward<A>(arguments)...);
}

// n objects, made in parallel, as a group: object i on places[i % places.size()]. An argument may be octavo::each(values). If a constructor
// throws, those that were made are destroyed.
template <class T, class... A>
group<T> make_group(const std::vector<Place>& places, std::size_t n, const A&... arguments) {
  if (places.empty()) throw usage_error("a group was to be made on no place", "Name a place, for instance octavo::process");
  (detail::check_argument(arguments, n), ...);
  std::vector<std::shared_ptr<detail::State<void>>> making;
  std::vector<remote_ptr<T>> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    making.push_back(std::make_shared<detail::State<void>>());
    try {
      made[i] = remote_ptr<T>(detail::send_construction<T>(making[i], places[i % places.size()].placement(), detail::argument_of(arguments, i)...));
    } catch (...) {
      making[i]->fail(std::current_exception());
    }
  }
  std::exception_ptr first;
  for (std::size_t i = 0; i < n; ++i) {
    try {
      detail::finish_call(*making[i]);
    } catch (...) {
      made[i] = {};
      if (!first) first = std::current_exception();
    }
  }
  if (!first) return group<T>(std::move(made));
  for (auto& each : made) scoped<T> unwanted(each);
  std::rethrow_exception(first);
}
template <class T, class... A>
group<T> make_group(const Place& place, std::size_t n, const A&... arguments) {
  return make_group<T>(std::vector<Place>{place}, n, arguments...);
}

}  // namespace octavo
