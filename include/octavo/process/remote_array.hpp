// SPDX-License-Identifier: Apache-2.0
// Remote data: an array that lives in a process, used with [].
//
//   octavo::remote_ptr<double[]> data = machine1.make<double[]>(1024);   // zeros; (n, value) fills; (vector or span) copies
//   data[7] = 3.1415;  double x = data[2];             // each is one call; `auto` would give the element's stand-in, not a double
//   data[7] += 0.5;  double before = data.add(7, 1);   // done in the process: atomic, whoever else does so
//   data.read(100, std::span(mine));  data.write(0, std::span<const double>(mine));  std::vector<double> part = data.slice(10, 20);
//   auto later = octavo::start(data)->slice(10, 20);   // start() with the arrow, as for every process
//   double n = octavo::call<&norm>(data);              // double norm(std::span<const double>), run where the data is
//   auto all = here.make<octavo::remote_ptr<Worker>[]>(64);  all[3] = p;  all[3]->work();
//
// E is anything that travels: numbers, strings, aggregates, remote pointers. Flat elements go as one piece of memory.
// Contract: as for every process (C-1 to C-12): one call at a time, in the order made. What is read is a copy. Programs of other builds can make
// all calls, but for call<&f>, which the program that made the array must make, too, and operators of one's own.
// Failure: std::out_of_range with index and size; usage_error, refused from make; process_died.
#pragma once

#include "octavo/process/detail/block.hpp"
#include "octavo/process/remote_ptr.hpp"

namespace octavo {

namespace detail {

// The calls on a remote array, by the way of calling: what start(data)-> gives, and with Waiting what the pointer itself has.
template <class E, class Mode>
class ArrayCalls {
 public:
  ArrayCalls() = default;
  explicit ArrayCalls(const Address& to) : to_(to) {}

  [[nodiscard]] auto size() const { return Mode::template invoke<&on_block::size<E>>(to_); }
  [[nodiscard]] auto get(std::size_t index) const { return Mode::template invoke<&on_block::get<E>>(to_, index); }
  auto set(std::size_t index, const E& value) const { return Mode::template invoke<&on_block::set<E>>(to_, index, value); }
  // What was there before; nothing comes between the look and the change.
  auto exchange(std::size_t index, const E& value) const { return Mode::template invoke<&on_block::exchange<E>>(to_, index, value); }
  auto add(std::size_t index, const E& value) const { return combine<std::plus<>>(index, value); }
  // Puts `value` where `expected` is; false if something else is.
  auto replace_if_equal(std::size_t index, const E& expected, const E& value) const {
    return Mode::template invoke<&on_block::replace_if_equal<E>>(to_, index, expected, value);
  }
  template <class Operation>
  auto combine(std::size_t index, const E& value) const {
    static_assert(
        requires(const E& a, const E& b) { static_cast<E>(Operation{}(a, b)); }, "the elements of this array have no such operator");
    return Mode::template invoke<&on_block::combine<E, Operation>>(to_, index, value);
  }
  // A copy of `count` elements, or of all.
  [[nodiscard]] auto slice(std::size_t first, std::size_t count) const { return Mode::template invoke<&on_block::slice<E>>(to_, first, count); }
  [[nodiscard]] auto items() const { return Mode::template invoke<&on_block::all<E>>(to_); }
  auto write(std::size_t first, std::span<const E> values) const {
    Elements<E> borrowed(values);
    return Mode::template invoke<&on_block::write<E>>(to_, first, std::move(borrowed));
  }
  auto assign(const E& value) const { return Mode::template invoke<&on_block::assign<E>>(to_, value); }
  // Straight into the caller's memory; so it waits.
  void read(std::size_t first, std::span<E> target) const {
    static_assert(std::is_same_v<Mode, Waiting>, "read() writes to the caller's memory, and so must wait: start(data)->slice(first, count) gives a future");
    auto state = std::make_shared<State<void>>();
    Client<&on_block::slice<E>>::template With<std::size_t, std::size_t>::send(state, to_, first, target.size());
    auto reply = finish_call(*state);
    wire::Decoder in(reply);
    Into<E> into(target);
    in(into);
  }

 protected:
  Address to_;
};

}  // namespace detail

template <class E, class Mode>
detail::ArrayCalls<E, Mode> octavo_arrow_of(const E (*)[], Mode);

// Stands for one element: converts to its value, is assigned to, and knows the atomic operators. Holds nothing but address and index.
template <class E>
class remote_element {
 public:
  remote_element(const Address& array, std::size_t index) : array_(array), index_(index) {}
  remote_element(const remote_element&) = default;

  [[nodiscard]] E get() const { return array_.get(index_); }
  operator E() const { return get(); }  // NOLINT: it is used like the element
  const remote_element& operator=(const E& value) const {
    array_.set(index_, value);
    return *this;
  }
  remote_element& operator=(const remote_element& other) {  // NOLINT: the value, as of a double&
    array_.set(index_, other.get());
    return *this;
  }
  const remote_element& operator+=(const E& value) const { return combine<std::plus<>>(value); }
  const remote_element& operator-=(const E& value) const { return combine<std::minus<>>(value); }
  const remote_element& operator*=(const E& value) const { return combine<std::multiplies<>>(value); }
  const remote_element& operator&=(const E& value) const { return combine<std::bit_and<>>(value); }
  const remote_element& operator|=(const E& value) const { return combine<std::bit_or<>>(value); }
  const remote_element& operator^=(const E& value) const { return combine<std::bit_xor<>>(value); }
  template <class Other>
    requires(!std::is_same_v<Other, remote_element> && requires(const E& e, const Other& o) { static_cast<bool>(e == o); })
  friend bool operator==(const remote_element& a, const Other& b) { return a.get() == b; }
  friend bool operator==(const remote_element& a, const remote_element& b) { return a.get() == b.get(); }

  // Of an array of remote pointers: all[3]->work(), rows[3][4].
  auto operator->() const requires requires { typename E::element_type; }
  { return get().operator->(); }
  auto operator[](std::size_t index) const requires requires {
    typename E::element_type;
    requires std::is_array_v<typename E::element_type>;
  }
  { return get()[index]; }

 private:
  template <class Operation>
  const remote_element& combine(const E& value) const {
    array_.template combine<Operation>(index_, value);
    return *this;
  }
  detail::ArrayCalls<E, Waiting> array_;
  std::size_t index_;
};

template <class E>
class remote_ptr<E[]> : public detail::ArrayCalls<E, Waiting> {
 public:
  using element_type = E[];
  remote_ptr() = default;
  explicit remote_ptr(const Address& address) : detail::ArrayCalls<E, Waiting>(address) {}

  [[nodiscard]] const Address& address() const noexcept { return this->to_; }
  explicit operator bool() const noexcept { return static_cast<bool>(this->to_); }
  friend auto operator<=>(const remote_ptr& a, const remote_ptr& b) noexcept { return a.to_ <=> b.to_; }
  friend bool operator==(const remote_ptr& a, const remote_ptr& b) noexcept { return a.to_ == b.to_; }
  remote_element<E> operator[](std::size_t index) const { return remote_element<E>(this->to_, index); }
  // By value: the pointer itself may be a temporary.
  auto operator->() const { return detail::ArrowHolder<detail::ArrayCalls<E, Waiting>>(this->to_); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(this->to_);
  }
};

// start(all[3])->work()
template <class T>
auto start(const remote_element<remote_ptr<T>>& element) {
  return start(element.get());
}

// A function of the elements, run where they are: R f(std::span<E>, P...) or R f(std::span<const E>, P...).
template <auto F, class E, class... A>
  requires requires { typename detail::on_block::Apply<F, decltype(F)>::element; }
auto call(const remote_ptr<E[]>& data, A&&... arguments) {
  static_assert(std::is_same_v<typename detail::on_block::Apply<F, decltype(F)>::element, E>, "the function takes a span of other elements");
  return Waiting::invoke<&detail::on_block::Apply<F, decltype(F)>::run>(data.address(), std::forward<A>(arguments)...);
}
template <auto F, class E, class... A>
  requires requires { typename detail::on_block::Apply<F, decltype(F)>::element; }
auto start(const remote_ptr<E[]>& data, A&&... arguments) {
  static_assert(std::is_same_v<typename detail::on_block::Apply<F, decltype(F)>::element, E>, "the function takes a span of other elements");
  return Starting::invoke<&detail::on_block::Apply<F, decltype(F)>::run>(data.address(), std::forward<A>(arguments)...);
}

}  // namespace octavo
