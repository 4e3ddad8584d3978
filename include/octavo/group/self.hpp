// SPDX-License-Identifier: Apache-2.0
// An object as a member of its groups, and the collectives: what each member calls within its own method, and all complete together.
//
//   octavo::future<double> Worker::norm() {
//     auto me = octavo::self<Worker>();                       // see G-4; octavo::self<Worker>(g) chooses
//     double all = me.all_reduce(x_ * x_, std::plus<>());
//     auto row = me.split(static_cast<std::int64_t>(me.index()) / 4);  // a part with indices of its own
//     row.barrier();
//     auto next = me.peers()[(me.index() + 1) % me.size()];
//     co_await octavo::start(next)->take(all);                // in a ring, each that waited in its method would wait for itself: call_cycle
//     co_return std::sqrt(all);
//   }
//
// G-4  self<T>() needs no base class. In a call to all of a group it is in that one, else in the one made last. pointer() works without any group; the rest
// throws usage_error, with the cure, for an object in none. G-5  barrier: nobody leaves before all have come. broadcast gives each the root's value, scatter
// its element of the root's vector,
//      gather the root (all_gather: each) a vector of all values by index (elsewhere it is empty).
// G-6  reduce gives the root (elsewhere: nothing), all_reduce each, op(...op(op(v0, v1), v2)..., vn): operands in the order of the indices, grouped as
//      suits the machines. `op` must be associative; it need not be commutative. All members get the same bits. A vector or span of numbers is
//      reduced element by element.
// G-7  All members call the same collectives of a group in the same order, with the same types and root. Where two differ, both and all
//      others get a usage_error that names them (in the next one, where all had left before it showed). One that never comes is waited for, but where G-16
//      holds.
// G-8  What a collective throws at one member (its op, a type that cannot be read, a wrong size) is thrown at all that are in it.
// G-16 A collective that is called in a call to all (g->f(), start(g), call(g)) of its group, or of one that its group is a part of, belongs to that call. A
//      member that has answered that call without coming to it takes no part any more: those who wait for it get what it threw, or a usage_error that
//      names it if it has returned, and with them all others, as in G-8. The next call to all finds the group as a new one does. (A method that
//      returns a future has answered when that is ready.) Of members that were called one by one, one that never comes cannot be told from one that is late.
// G-9  When a member dies or is destroyed, each collective of its groups that has not completed throws process_died naming it, at every member
//      within a second, and so does each later one. Groups without it go on. Where a member with a name that died is called to all, it answers so itself.
// G-10 Between two machines a value goes once each way. Connections are made when first used: 2 log2(n) a member at most, one in the mean;
//      by all_to_all between each and each.
// G-11 While a member waits in a collective it serves callbacks of its own root, as in any wait (C-3). A callback may not enter a collective of the
//      same group: usage_error.
// G-12 The members are the objects as they were when the group was made. One with a name that died, or was saved and ended, and came back
//      is in no group of before; a group that is made of it now has nothing to do with its earlier lives.
// G-13 scan gives member i op(...op(op(v0, v1), v2)..., vi), exclusive_scan op(init, op(...op(v0, v1)..., v(i-1))), and the first its init: as std::
//      and MPI have them. Operands, `op` and vectors of numbers as in G-6, but the grouping is each member's own. Where op throws at one member, others may
//      have theirs and have left (G-8).
// G-14 all_to_all gives each member what all have for it, by index: element j of what member i gave is element i of what member j gets. Values may differ in
//      length (vectors of vectors).
// G-15 Members with names may be on several machines. A program whose engine names these leads them to each other: when it ends, each collective
//      that has not completed throws process_died; a group that another such program makes knows nothing of that.
// G-17 A barrier, and an all_reduce of a number, or of at most 48 bytes of them, by an operation of the standard library (std::plus<>; in Python its name),
// costs
//      no message where all members, at most 32, are of the agent whose process makes the group (of one program on one machine): some KiB of the pool are
//      theirs as long as a member knows the group. Where that has no room, after a collective that some may leave early, and in parts that split() made it goes
//      by messages. All else is the same.
//
// Threading: on the thread that runs the object's methods; one collective of a group at a time.
#pragma once

#include "octavo/group/detail/scan.hpp"
#include "octavo/group/group.hpp"

namespace octavo {

template <class T>
class member {
 public:
  // See self().
  explicit member(std::shared_ptr<detail::Membership> in) : in_(std::move(in)) {}

  [[nodiscard]] remote_ptr<T> pointer() const { return remote_ptr<T>(detail::facts_of_object().address); }
  [[nodiscard]] std::size_t index() const { return in().index(); }
  [[nodiscard]] std::size_t size() const { return in().size(); }
  // All members by index, this one among them.
  [[nodiscard]] std::vector<remote_ptr<T>> peers() const { return group().members(); }
  [[nodiscard]] octavo::group<T> group() const { return octavo::group<T>::known(in().of()); }

  void barrier() const {
    run("barrier", detail::spacing::together, [](detail::Collective& c) { c.meet(); });
  }
  template <class V>
  V broadcast(V value, std::size_t root) const {
    check<V>(root);
    return run(text_of<V>("broadcast of ", " from ", root), detail::spacing::bounded,
               [&](detail::Collective& c) { return detail::send_down(c, c.tree(at(root)), std::move(value)); });
  }
  // `values` matters at the root, where it has one for each member.
  template <class V>
  V scatter(std::vector<V> values, std::size_t root) const {
    check<V>(root);
    return run(text_of<V>("scatter of ", " from ", root), detail::spacing::bounded, [&](detail::Collective& c) {
      detail::Bundle<V> all;
      if (index() == root) all = detail::bundle_of(std::move(values), in());
      return detail::scatter_down(c, c.tree(at(root)), std::move(all));
    });
  }
  template <class V>
  std::vector<V> gather(V value, std::size_t root) const {
    check<V>(root);
    return run(text_of<V>("gather of ", " to ", root), detail::spacing::bounded, [&](detail::Collective& c) {
      auto all = detail::gather_up(c, c.tree(at(root)), std::move(value));
      return index() == root ? detail::vector_of(std::move(all)) : std::vector<V>();
    });
  }
  template <class V>
  std::vector<V> all_gather(V value) const {
    check<V>(0);
    return run(text_of<V>("all_gather of "), detail::spacing::together, [&](detail::Collective& c) {
      auto all = detail::gather_up(c, c.tree(0), std::move(value));
      return detail::send_down(c, c.tree(0), detail::vector_of(std::move(all)));
    });
  }
  template <class V, class Op>
  std::optional<V> reduce(V value, Op op, std::size_t root) const {
    check<V>(root);
    detail::Joining<V, Op> join{op};
    return run(text_of<V>("reduce of ", " to ", root) + join.extent(value), detail::spacing::bounded,
               [&](detail::Collective& c) { return detail::reduce_up(c, c.tree(at(root)), std::move(value), join); });
  }
  template <class V, class Op>
    requires(!detail::is_span<V>::value)
  V all_reduce(V value, Op op)
  const {
    check<V>(0);
    if constexpr (detail::elementwise<V, Op>) {
      all_reduce(std::span(value), op);
      return value;
    } else {
      detail::Joining<V, Op> join{op};
      return run(text_of<V>("all_reduce of "), detail::spacing::together, [&](detail::Collective& c) -> V {
        if constexpr (std::is_arithmetic_v<V>)
          if (detail::all_reduce_shared(c, std::span<V>(&value, 1), op)) return value;
        auto all = detail::reduce_up(c, c.tree(0), std::move(value), join);
        return detail::send_down(c, c.tree(0), all ? std::move(*all) : V{});
      });
    }
  }
  // In place, element by element.
  template <class E, std::size_t N, class Op>
    requires(std::is_arithmetic_v<E> && !std::is_const_v<E>)
  void all_reduce(std::span<E, N> data, Op op) const {
    run(text_of<E>("all_reduce of ") + "[" + std::to_string(data.size()) + "]", detail::spacing::together,
        [&](detail::Collective& c) { detail::all_reduce_elements(c, std::span<E>(data), op); });
  }
  // What all up to this member give together.
  template <class V, class Op>
  V scan(V value, Op op) const {
    check<V>(0);
    detail::Joining<V, Op> join{op};
    return run(text_of<V>("scan of ") + join.extent(value), detail::spacing::together, [&](detail::Collective& c) {
      auto before = detail::Scan<V, decltype(join)>(c, c.tree(0), join).before(value);
      return before.end == 0 ? std::move(value) : join(std::move(before.value), std::move(value));
    });
  }
  // What `init` and all before this member give together.
  template <class V, class Op>
  V exclusive_scan(V value, std::type_identity_t<V> init, Op op) const {
    check<V>(0);
    detail::Joining<V, Op> join{op};
    return run(text_of<V>("exclusive_scan of ") + join.extent(value), detail::spacing::together, [&](detail::Collective& c) {
      join.check_lengths(init, value);
      auto before = detail::Scan<V, decltype(join)>(c, c.tree(0), join).before(value);
      return before.end == 0 ? std::move(init) : join(std::move(init), std::move(before.value));
    });
  }
  // `values` has one for each member; what each has for this one comes, by index.
  template <class V>
  std::vector<V> all_to_all(std::vector<V> values) const {
    check<V>(0);
    return run(text_of<V>("all_to_all of "), detail::spacing::together,
               [&](detail::Collective& c) { return detail::exchange_with_each(c, std::move(values)); });
  }
  // Parts by colour, each ordered by key, then by index here. Every member gets one. It lasts as long as a `member` of it is kept, and is not what
  // self<T>() chooses.
  [[nodiscard]] member split(std::int64_t color, std::int64_t key = 0) const {
    return member(run("split", detail::spacing::together, [&](detail::Collective& c) { return detail::split_of(c, color, key); }));
  }

 private:
  [[nodiscard]] detail::Membership& in() const {
    if (!in_) detail::raise_no_member(0);
    return *in_;
  }
  template <class V>
  void check(std::size_t root) const {
    static_assert(wire::travels<V>,
                  "a value of this type cannot travel to other members: give it a serialize(Archive&), or make it an aggregate of types that do");
    static_assert(std::is_default_constructible_v<V>, "the values of a collective must be default-constructible");
    in().check_index(root, "root");
  }
  static std::uint32_t at(std::size_t root) { return static_cast<std::uint32_t>(root); }
  template <class V>
  static std::string text_of(const char* what) {
    return what + std::string(detail::type_name<V>());
  }
  template <class V>
  static std::string text_of(const char* what, const char* where, std::size_t root) {
    return text_of<V>(what) + where + std::to_string(root);
  }
  template <class Work>
  auto run(std::string text, detail::spacing how, Work work) const {
    return detail::in_collective(in(), std::move(text), how, std::move(work));
  }
  std::shared_ptr<detail::Membership> in_;
};

// The object whose method runs: in a call to all of a group in that group, else in the one made last.
template <class T>
member<T> self() {
  detail::check_object(typeid(T), detail::type_name<T>());
  return member<T>(detail::membership_in(0));
}
template <class T, class U>
member<T> self(const group<U>& g) {
  detail::check_object(typeid(T), detail::type_name<T>());
  auto in = g.id() != 0 ? detail::membership_in(g.id()) : nullptr;
  if (!in) detail::raise_no_member(g.id());
  return member<T>(std::move(in));
}

}  // namespace octavo
