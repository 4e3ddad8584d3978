// SPDX-License-Identifier: Apache-2.0
// An array spread over the members of a group: each has a part of it in its own process, as ordinary memory.
//
//   octavo::DistributedArray<double> a({n, n}, octavo::Split::block({4, 1}).halo({1, 0}), g);   // by the program; me.group() in members
//   g->relax(a);                                                                   // as an argument it is small: each member finds its own part
//   a.exchange_halo();  for (auto row : a.with_halo().rows()) smooth(row);         // in a method of a member
//   auto b = a.resplit(octavo::Split::block({1, 4}));  double s = b.sum();         // in members, called by all; or by the program
//   std::vector<double> full = b.gather(0);                                        // at member 0, or in the program
//   b.to_disk("b.npy");
//   auto c = octavo::DistributedArray<double>::from_array(octavo::open_array("b.npy"), split, g);
//
// DA-1 Each element is at one member, as the split says (split.hpp). Parts lie in the pool of the members' processes, and end with the group; earlier where
//      nobody has the array any more: the program that made it, or, made in members, this one. What a member has given to others stays until the group
//      ends. Where the pool has no room at one member, all get refused.
// DA-2 local, with_halo, local_box, local_indices, shape and split cost no message. They are the memory itself: what is written is there for all that follows.
// DA-3 All else but a copy is collective: all members call it, in the same order, with the same arguments, or the program does, and then it runs on all.
//      G-5 to G-11 and G-16 hold: where members differ all get a usage_error that names both, where one dies all get process_died within a second.
// DA-4 exchange_halo fills the border of each member with what the neighbours have there, corners too, and beyond the array's edge as `boundary` says.
//      Elements of their own are not changed. It returns when nobody reads this member's elements any more.
// DA-5 resplit gives a new array of the same elements, split otherwise, with a border of zeros.
// DA-6 gather gives all elements in C order to the root, elsewhere none; within a machine they are copied once, from each other one their bytes come once.
// DA-7 Reductions are the same bits at all members. Integers are added up in 64 bits, numbers of single precision in double; min and max are NaN where an
//      element is; any and all ask whether elements are not zero. min, max, var and std of no elements are a usage_error. Halos do not count. Along an axis
//      they give an array of the other axes, of the same split there; where that axis is split, at the first of the members along it.
// DA-8 to_disk makes an array of the same shape at the path, all of which is on the disk when it returns; from_array reads one. Each member moves its own.
//      It has its name when it is whole: where the disk is full at one member, or one dies, nothing is left under it, and an old array there stays.
// DA-9 Arithmetic, and in Python NumPy's functions of elements, take arrays of one split, and numbers, and give a new one of that split. With arrays of
//      another split, shape or group, or of NumPy's, they are a usage_error: nothing is moved without a word. In members `a += b` waits for nobody.
//
// Threading: in members the object's methods, elsewhere any thread. Failure: as DA-3; usage_error for local elements outside of the members.
#pragma once

#include <optional>

#include "octavo/data/local_elements.hpp"
#include "octavo/distributed/detail/distributed.hpp"
#include "octavo/distributed/detail/more_reductions.hpp"
#include "octavo/group/group.hpp"

namespace octavo {

// any, all, var and std are in its base.
template <class T>
class DistributedArray : public detail::MoreReductions<T, DistributedArray> {
 public:
  using value_type = T;
  // What a sum or product of it is: 64 bits for integers.
  using sum_type = std::conditional_t<!std::is_integral_v<T>, T, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

  // Of arithmetic: an array, or a number.
  struct Operand : detail::Operand {
    Operand(const DistributedArray& each) : detail::Operand{&each.body(), {}} {}  // NOLINT(google-explicit-constructor): a + 1
    Operand(T value) : detail::Operand{nullptr, detail::Scalar::of(value)} {}     // NOLINT(google-explicit-constructor)
  };

  DistributedArray() = default;  // none, to be assigned to
  template <class Member>
  DistributedArray(const Shape& shape, const Split& split, const group<Member>& g, T value = {})
      : body_(detail::Distributed::make(*checked(g.founding()), shape, dtype_of<T>(), split, detail::Scalar::of(value))) {}
  // The elements of memory that has all of them, in C order; in members each takes its own from what it gives.
  template <class Member>
  static DistributedArray from_array(std::span<const T> all, const Shape& shape, const Split& split, const group<Member>& g) {
    DistributedArray made(shape, split, g);
    made.put(all);
    return made;
  }
  // Of an array on disk, in members the same at all.
  template <class Member>
  static DistributedArray from_array(const Array& array, const Split& split, const group<Member>& g) {
    DistributedArray made(array.shape(), split, g);
    made.body().read(array);
    return made;
  }

  [[nodiscard]] const Shape& global_shape() const { return body().facts().shape; }
  [[nodiscard]] const Split& split() const { return body().facts().split; }
  // The machine of each member, by index.
  [[nodiscard]] const std::vector<std::string>& hosts() const { return body().facts().hosts; }

  [[nodiscard]] LocalElements<T> local() const {
    const Shape strides = dense_strides(body().wide());
    std::int64_t first = 0;
    for (int axis = 0; axis < strides.size(); ++axis) first += split().halo()[axis] * strides[axis];
    return {body().part(), elements() + first, body().extents(), strides};
  }
  [[nodiscard]] LocalElements<T> with_halo() const { return {body().part(), elements(), body().wide(), dense_strides(body().wide())}; }
  [[nodiscard]] Box local_box() const { return body().box(); }
  [[nodiscard]] std::vector<std::int64_t> local_indices(int axis) const { return body().indices(axis); }

  void exchange_halo(boundary how = boundary::nearest) const { body().exchange_halo(how, {}); }
  // With this value beyond the edge.
  void exchange_halo(T beyond) const { body().exchange_halo(boundary::value, detail::Scalar::of(beyond)); }
  [[nodiscard]] DistributedArray resplit(const Split& split) const { return DistributedArray(body().resplit(split)); }
  [[nodiscard]] std::vector<T> gather(std::size_t root) const {
    std::vector<T> all;
    if (body().is_gathered_here(root)) all.resize(static_cast<std::size_t>(global_shape().count()));
    body().gather(root, reinterpret_cast<std::byte*>(all.data()));
    return all;
  }
  [[nodiscard]] sum_type sum() const { return body().reduce(reduction::sum).template as<sum_type>(); }
  [[nodiscard]] sum_type product() const { return body().reduce(reduction::product).template as<sum_type>(); }
  [[nodiscard]] T min() const { return body().reduce(reduction::min).template as<T>(); }
  [[nodiscard]] T max() const { return body().reduce(reduction::max).template as<T>(); }
  // Along an axis: an array of the others, split as this one is there. Where this axis is split, it lies at the first of the members along it.
  [[nodiscard]] DistributedArray<sum_type> sum(int axis) const { return along<sum_type>(reduction::sum, axis); }
  [[nodiscard]] DistributedArray<sum_type> product(int axis) const { return along<sum_type>(reduction::product, axis); }
  [[nodiscard]] DistributedArray min(int axis) const { return along<T>(reduction::min, axis); }
  [[nodiscard]] DistributedArray max(int axis) const { return along<T>(reduction::max, axis); }
  void to_disk(const std::string& path, const NewArrayOptions& options = {}) const { body().write_disk(path, options); }

  // Element by element, with arrays of the same split and numbers (DA-9).
  DistributedArray& operator+=(const Operand& other) { return combine(arithmetic::add, *this, other); }
  DistributedArray& operator-=(const Operand& other) { return combine(arithmetic::subtract, *this, other); }
  DistributedArray& operator*=(const Operand& other) { return combine(arithmetic::multiply, *this, other); }
  DistributedArray& operator/=(const Operand& other) { return combine(arithmetic::divide, *this, other); }
  friend DistributedArray operator+(const Operand& left, const Operand& right) { return combined(arithmetic::add, left, right); }
  friend DistributedArray operator-(const Operand& left, const Operand& right) { return combined(arithmetic::subtract, left, right); }
  friend DistributedArray operator*(const Operand& left, const Operand& right) { return combined(arithmetic::multiply, left, right); }
  friend DistributedArray operator/(const Operand& left, const Operand& right) { return combined(arithmetic::divide, left, right); }

  template <class Archive>
  void save(Archive& archive) const {
    if (body_) body_->keep();
    archive(body_ ? body_->facts() : detail::DistributedFacts());
  }
  template <class Archive>
  void load(Archive& archive) {
    detail::DistributedFacts facts;
    archive(facts);
    if (facts.id != 0) check_type(facts);
    body_ = facts.id != 0 ? detail::Distributed::known(std::move(facts)) : nullptr;
  }

 private:
  template <class Other>
  friend class DistributedArray;
  friend detail::MoreReductions<T, DistributedArray>;
  template <class Result>
  [[nodiscard]] DistributedArray<Result> along(reduction how, int axis) const {
    return DistributedArray<Result>(body().reduce(how, axis));
  }
  explicit DistributedArray(std::shared_ptr<detail::Distributed> body) : body_(std::move(body)) {}
  [[nodiscard]] const detail::Distributed& body() const {
    if (!body_) throw usage_error("a distributed array that is none was used", "Make it first, or assign one to it");
    return *body_;
  }
  DistributedArray& combine(arithmetic how, const Operand& left, const Operand& right) {
    body().combine(how, left, right);
    return *this;
  }
  static DistributedArray combined(arithmetic how, const Operand& left, const Operand& right) {
    DistributedArray made((left.array != nullptr ? left.array : right.array)->another());
    return made.combine(how, left, right);
  }
  [[nodiscard]] T* elements() const { return reinterpret_cast<T*>(body().data()); }
  void put(std::span<const T> all) const {
    if (static_cast<std::int64_t>(all.size()) != global_shape().count())
      throw usage_error(std::to_string(all.size()) + " elements for a " + body().facts().text(), "Give as many as its shape has");
    body().put(reinterpret_cast<const std::byte*>(all.data()));
  }
  static std::shared_ptr<const detail::Founding> checked(std::shared_ptr<const detail::Founding> of) {
    if (of->id == 0) throw usage_error("a distributed array over a group of nobody", "Make the group first");
    return of;
  }
  static void check_type(const detail::DistributedFacts& facts) {
    if (facts.type != dtype_of<T>()) throw usage_error("a " + facts.text() + " came for one of " + std::string(name_of(dtype_of<T>())), "Name its type");
  }
  std::shared_ptr<detail::Distributed> body_;
};

}  // namespace octavo
