// SPDX-License-Identifier: Apache-2.0
// A C++ object as a member of a group in which there are objects of Python, and the collectives that all of them call.
//
//   double Part::share() {
//     auto me = octavo::python::self();                         // in Python: me = octavo.self()
//     double all = me.all_reduce(x_, std::plus<>());            //            all = me.all_reduce(self.x, "sum")
//     me.all_reduce(field_, std::plus<>());                     // a std::vector<double>, or an ArrayPage of any shape; there an array of as many float64
//     return x_ / all;
//   }
//
// PY-1 The collectives are those of octavo::member, with G-5 to G-17, for values of the types in the table of docs/groups.md (others do not compile). PY-2 A
// value
//      that is not of the type that this member wants fails the collective at all members with a usage_error that names both types. An int is taken as a
//      floating number that holds all its digits. PY-3 Vectors of numbers and ArrayPages are reduced and scanned element by element; those of two members must
//      have the same element type and number of elements. Each member joins values by its own operation: give the same one on both sides.
//
// A group with Python in it needs this; octavo::self<Class>() there fails with the names of both collectives (but for barrier, and all_reduce of small arrays,
// which are the same). Threading, failure: as octavo::member.
#pragma once

#include "octavo/data/python/detail/joined.hpp"
#include "octavo/data/python/group.hpp"

namespace octavo::python {

class member {
  using Collective = octavo::detail::Collective;
  using SizedValue = octavo::detail::SizedValue;
  static constexpr auto together = octavo::detail::spacing::together, bounded = octavo::detail::spacing::bounded;
  template <class Work>
  auto run(std::string text, octavo::detail::spacing how, Work work) const {
    return octavo::detail::in_collective(*in_, std::move(text), how, std::move(work));
  }

 public:
  // See self().
  explicit member(std::shared_ptr<octavo::detail::Membership> in) : in_(std::move(in)) {}

  [[nodiscard]] std::size_t index() const { return in_->index(); }
  [[nodiscard]] std::size_t size() const { return in_->size(); }
  [[nodiscard]] python::group group() const { return python::group::known({in_, &in_->of()}); }
  // All members by index, this one among them.
  [[nodiscard]] std::vector<object> peers() const { return group().members(); }

  void barrier() const {
    run("barrier", together, [](Collective& c) { c.meet(); });
  }
  template <class V>
  V broadcast(const V& value, std::size_t root) const {
    check(root);
    auto mine = index() == root ? octavo::detail::to_python(value) : SizedValue();
    return run(octavo::detail::collective_text::broadcast(root), bounded,
               [&](Collective& c) { return octavo::detail::from_python<V>(octavo::detail::send_down(c, c.tree(at(root)), std::move(mine)).value); });
  }
  // `values` matters at the root, where it has one for each member.
  template <class V>
  V scatter(const std::vector<V>& values, std::size_t root) const {
    check(root);
    return run(octavo::detail::collective_text::scatter(root), bounded, [&](Collective& c) {
      octavo::detail::Bundle<SizedValue> all;
      if (index() == root) all = octavo::detail::bundle_of(encoded(values), *in_);
      return octavo::detail::from_python<V>(octavo::detail::scatter_down(c, c.tree(at(root)), std::move(all)).value);
    });
  }
  template <class V>
  std::vector<V> gather(const V& value, std::size_t root) const {
    check(root);
    return run(octavo::detail::collective_text::gather(root), bounded, [&](Collective& c) {
      auto all = octavo::detail::gather_up(c, c.tree(at(root)), octavo::detail::to_python(value));
      return index() == root ? decoded<V>(octavo::detail::vector_of(std::move(all))) : std::vector<V>();
    });
  }
  template <class V>
  std::vector<V> all_gather(const V& value) const {
    return run(octavo::detail::collective_text::all_gather, together, [&](Collective& c) {
      auto all = octavo::detail::gather_up(c, c.tree(0), octavo::detail::to_python(value));
      return decoded<V>(octavo::detail::send_down(c, c.tree(0), octavo::detail::vector_of(std::move(all))));
    });
  }
  template <class V, class Op>
  std::optional<V> reduce(V value, Op op, std::size_t root) const {
    check(root);
    if constexpr (octavo::detail::is_array<V>) {
      const bool here = octavo::detail::reduce_array(*in_, value, op, static_cast<std::int64_t>(root));
      return here ? std::optional<V>(std::move(value)) : std::nullopt;
    } else {
      octavo::detail::JoinedValues<V, Op> join{op};
      return run(octavo::detail::collective_text::reduce(root), bounded, [&](Collective& c) -> std::optional<V> {
        auto all = octavo::detail::reduce_up(c, c.tree(at(root)), octavo::detail::to_python(value), join);
        if (all) return octavo::detail::from_python<V>(all->value);
        return std::nullopt;
      });
    }
  }
  template <class V, class Op>
  V all_reduce(V value, Op op) const {
    if constexpr (octavo::detail::is_array<V>) {
      octavo::detail::reduce_array(*in_, value, op, octavo::detail::everywhere);
      return value;
    } else {
      octavo::detail::JoinedValues<V, Op> join{op};
      return run(octavo::detail::collective_text::all_reduce, together, [&](Collective& c) {
        c.share(std::nullopt);  // what does not fit this member's type, others must hear of
        auto all = octavo::detail::reduce_up(c, c.tree(0), octavo::detail::to_python(value), join);
        return octavo::detail::from_python<V>(octavo::detail::send_down(c, c.tree(0), all ? std::move(*all) : SizedValue()).value);
      });
    }
  }
  // What all up to this member give together.
  template <class V, class Op>
  V scan(const V& value, Op op) const {
    octavo::detail::JoinedValues<V, Op> join{op};
    return run(octavo::detail::collective_text::scan, together, [&](Collective& c) {
      const auto mine = octavo::detail::to_python(value);
      const auto before = octavo::detail::Scan<SizedValue, decltype(join)>(c, c.tree(0), join).before(mine);
      return octavo::detail::from_python<V>((before.end == 0 ? mine : join(before.value, mine)).value);
    });
  }
  // What `init` and all before this member give together.
  template <class V, class Op>
  V exclusive_scan(const V& value, const std::type_identity_t<V>& init, Op op) const {
    octavo::detail::JoinedValues<V, Op> join{op};
    return run(octavo::detail::collective_text::exclusive_scan, together, [&](Collective& c) {
      const auto first = octavo::detail::to_python(init);
      const auto before = octavo::detail::Scan<SizedValue, decltype(join)>(c, c.tree(0), join).before(octavo::detail::to_python(value));
      return octavo::detail::from_python<V>((before.end == 0 ? first : join(first, before.value)).value);
    });
  }
  // `values` has one for each member; what each has for this one comes, by index.
  template <class V>
  std::vector<V> all_to_all(const std::vector<V>& values) const {
    return run(octavo::detail::collective_text::all_to_all, together,
               [&](Collective& c) { return decoded<V>(octavo::detail::exchange_with_each(c, encoded(values))); });
  }
  // As octavo::member.
  [[nodiscard]] member split(std::int64_t color, std::int64_t key = 0) const {
    return member(run("split", together, [&](Collective& c) { return octavo::detail::split_of(c, color, key); }));
  }

 private:
  void check(std::size_t root) const { in_->check_index(root, "root"); }
  static std::uint32_t at(std::size_t root) { return static_cast<std::uint32_t>(root); }
  template <class V>
  static std::vector<SizedValue> encoded(const std::vector<V>& values) {
    std::vector<SizedValue> all;
    for (const V& each : values) all.push_back(octavo::detail::to_python(each));
    return all;
  }
  template <class V>
  static std::vector<V> decoded(const std::vector<SizedValue>& values) {
    std::vector<V> all;
    for (const auto& each : values) all.push_back(octavo::detail::from_python<V>(each.value));
    return all;
  }
  std::shared_ptr<octavo::detail::Membership> in_;
};

// The object whose method runs: in a call to all of a group in that group, else in the one made last; or in `g`. Throws usage_error where it is in none.
member self();
member self(const group& g);

}  // namespace octavo::python
