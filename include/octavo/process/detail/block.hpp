// SPDX-License-Identifier: Apache-2.0
// The elements of a remote array where they live, and what is done to them there.
#pragma once

#include <array>
#include <concepts>

#include "octavo/process/detail/elements.hpp"
#include "octavo/process/detail/has_operator.hpp"
#include "octavo/process/detail/invoke.hpp"

namespace octavo::detail {

// With the values, for std::out_of_range.
[[noreturn]] void raise_bad_index(std::size_t index, std::size_t size);
[[noreturn]] void raise_bad_range(std::size_t first, std::size_t count, std::size_t size);
// The size a caller gave, or usage_error, refused.
std::size_t checked_size(std::int64_t count, std::size_t element_bytes);
[[noreturn]] void raise_no_memory(std::size_t count, std::size_t element_bytes);

template <class N>
concept count_type = std::integral<N> && !std::is_same_v<N, bool>;

// What make<E[]> constructs in the process.
template <class E>
class Block {
 public:
  static_assert(wire::travels<E>,
                "the elements of this remote array cannot travel: give the type a serialize(Archive&), or make it an aggregate of types that do");
  static_assert(std::is_default_constructible_v<E> && std::is_copy_constructible_v<E>,
                "the elements of a remote array must be default-constructible and copyable");
  Block() = default;  // of no elements, until the state of one with a name is loaded
  template <count_type N>
  explicit Block(N count) : elements_(made(count, E{})) {}
  template <count_type N>
  Block(N count, const E& value) : elements_(made(count, value)) {}
  explicit Block(std::vector<E> values) : elements_(std::move(values)) {}
  // Of remote pointers to a derived class, and whatever else becomes an E by itself.
  template <class D>
    requires(!std::is_same_v<D, E> && std::is_class_v<E> && std::is_convertible_v<const D&, E>)
  explicit Block(const std::vector<D>& values) : elements_(std::vector<E>(values.begin(), values.end())) {}
  explicit Block(std::span<const E> values) : elements_(std::vector<E>(values.begin(), values.end())) {}

  template <class Archive>
  void save(Archive& archive) const {
    archive(all());
  }
  template <class Archive>
  void load(Archive& archive) {
    std::vector<E> values;
    archive(values);
    elements_ = FlatVector<E>(std::move(values));
  }

  [[nodiscard]] std::span<E> all() noexcept { return {elements_.data(), elements_.size()}; }
  [[nodiscard]] std::span<const E> all() const noexcept { return {elements_.data(), elements_.size()}; }
  [[nodiscard]] E& at(std::size_t index) { return all()[checked(index)]; }
  [[nodiscard]] const E& at(std::size_t index) const { return all()[checked(index)]; }
  void check_range(std::size_t first, std::size_t count) const {
    if (first > elements_.size() || count > elements_.size() - first) raise_bad_range(first, count, elements_.size());
  }

 private:
  [[nodiscard]] std::size_t checked(std::size_t index) const {
    if (index >= elements_.size()) raise_bad_index(index, elements_.size());
    return index;
  }
  template <class N>
  static std::vector<E> made(N count, const E& value) {
    auto size = checked_size(std::in_range<std::int64_t>(count) ? static_cast<std::int64_t>(count) : INT64_MAX, sizeof(E));
    try {
      return std::vector<E>(size, value);
    } catch (const std::bad_alloc&) {
      raise_no_memory(size, sizeof(E));
    }
  }
  FlatVector<E> elements_;
};

}  // namespace octavo::detail

template <class E>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::detail::Block<E>> = true;

namespace octavo::detail {

template <class E>
struct Hosts<E[]> {
  using type = Block<E>;
};

// "double[]"
template <class E>
struct ArrayTitle {
  static constexpr auto text = [] {
    constexpr auto name = type_name<E>();
    std::array<char, name.size() + 2> all{};
    std::copy(name.begin(), name.end(), all.begin());
    all[name.size()] = '[';
    all[name.size() + 1] = ']';
    return all;
  }();
};
template <class E>
inline constexpr std::string_view class_title<Block<E>> = std::string_view(ArrayTitle<E>::text.data(), ArrayTitle<E>::text.size());

// The calls on a block: extension functions, each one method of the process and so not interrupted by another.
namespace on_block {

template <class E>
std::size_t size(const Block<E>& block) {
  return block.all().size();
}
template <class E>
E get(const Block<E>& block, std::size_t index) {
  return block.at(index);
}
template <class E>
void set(Block<E>& block, std::size_t index, E value) {
  block.at(index) = std::move(value);
}
template <class E>
E exchange(Block<E>& block, std::size_t index, E value) {
  return std::exchange(block.at(index), std::move(value));
}
template <class E>
bool replace_if_equal(Block<E>& block, std::size_t index, const E& expected, E value) {
  E& element = block.at(index);
  if (!(element == expected)) return false;
  element = std::move(value);
  return true;
}
// Gives what was there before.
template <class E, class Operation>
E combine(Block<E>& block, std::size_t index, const E& value) {
  E& element = block.at(index);
  E before = element;
  element = static_cast<E>(Operation{}(before, value));
  return before;
}
template <class E>
std::span<const E> slice(const Block<E>& block, std::size_t first, std::size_t count) {
  block.check_range(first, count);
  return block.all().subspan(first, count);
}
template <class E>
std::span<const E> all(const Block<E>& block) {
  return block.all();
}
template <class E>
void write(Block<E>& block, std::size_t first, Elements<E> values) {
  block.check_range(first, values.size());
  values.move_to(block.all().subspan(first, values.size()));
}
template <class E>
void assign(Block<E>& block, const E& value) {
  std::ranges::fill(block.all(), value);
}

// A function of the elements: R f(std::span<E>, P...).
template <auto F, class Type>
struct Apply;
template <auto F, class X, class R, class... P>
struct Apply<F, R (*)(std::span<X>, P...)> {
  using element = std::remove_const_t<X>;
  static R run(Block<element>& block, P... arguments) { return F(std::span<X>(block.all()), std::forward<P>(arguments)...); }
};
template <auto F, class X, class R, class... P>
struct Apply<F, R (*)(std::span<X>, P...) noexcept> : Apply<static_cast<R (*)(std::span<X>, P...)>(F), R (*)(std::span<X>, P...)> {};

}  // namespace on_block

// All but functions of the elements, which only their caller knows.
template <class E>
struct MethodsOf<Block<E>> {
  static void enter() {
    enter_methods<&on_block::size<E>, &on_block::get<E>, &on_block::slice<E>, &on_block::all<E>>();
    if constexpr (std::is_copy_assignable_v<E>) {
      enter_methods<&on_block::set<E>, &on_block::exchange<E>, &on_block::write<E>, &on_block::assign<E>>();
      if constexpr (has_operator<E, std::equal_to<>, bool>) enter_methods<&on_block::replace_if_equal<E>>();
      enter_operators<std::plus<>, std::minus<>, std::multiplies<>, std::bit_and<>, std::bit_or<>, std::bit_xor<>>();
    }
  }

 private:
  template <class... Operation>
  static void enter_operators() {
    (enter_operator<Operation>(), ...);
  }
  template <class Operation>
  static void enter_operator() {
    if constexpr (has_operator<E, Operation>) enter_methods<&on_block::combine<E, Operation>>();
  }
};

}  // namespace octavo::detail
