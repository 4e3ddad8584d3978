// SPDX-License-Identifier: Apache-2.0
// The one line that gives a class its arrow: after the class, in its own namespace.
//
//   class PageDevice { public: void write(const Page&, std::size_t); Page read(std::size_t); };
//   OCTAVO_REMOTE(PageDevice, write, read)
//   class ArrayPageDevice : public PageDevice { public: Page sum(std::size_t); };
//   OCTAVO_REMOTE(ArrayPageDevice, (PageDevice), sum)        // bases in parentheses: their methods come along
//
// Methods must not be overloaded (use octavo::call<...> with a cast for one that is). Up to 40 methods a line.
// This file is the only one that would change where the compiler reflects (__cpp_impl_reflection).
#pragma once

#include "octavo/process/remote_ptr.hpp"

namespace octavo::detail {
template <class... Entry>
bool all_registered(Entry...) {
  return true;
}
}  // namespace octavo::detail

// The machinery of a variable list: OCTAVO_EACH(f, x, a, b) -> f(x, a) f(x, b)
#define OCTAVO_PARENS ()
#define OCTAVO_EXPAND(...) OCTAVO_EXPAND3(OCTAVO_EXPAND3(OCTAVO_EXPAND3(__VA_ARGS__)))
#define OCTAVO_EXPAND3(...) OCTAVO_EXPAND2(OCTAVO_EXPAND2(OCTAVO_EXPAND2(OCTAVO_EXPAND2(__VA_ARGS__))))
#define OCTAVO_EXPAND2(...) OCTAVO_EXPAND1(OCTAVO_EXPAND1(OCTAVO_EXPAND1(OCTAVO_EXPAND1(__VA_ARGS__))))
#define OCTAVO_EXPAND1(...) __VA_ARGS__
#define OCTAVO_EACH(f, x, ...) __VA_OPT__(OCTAVO_EXPAND(OCTAVO_EACH_STEP(f, x, __VA_ARGS__)))
#define OCTAVO_EACH_STEP(f, x, a, ...) f(x, a) __VA_OPT__(OCTAVO_EACH_AGAIN OCTAVO_PARENS(f, x, __VA_ARGS__))
#define OCTAVO_EACH_AGAIN() OCTAVO_EACH_STEP

// Whether the first argument is a parenthesised list.
#define OCTAVO_IS_LIST(...) OCTAVO_SECOND(OCTAVO_LIST_PROBE __VA_ARGS__, 0)
#define OCTAVO_LIST_PROBE(...) ~, 1
#define OCTAVO_SECOND(...) OCTAVO_SECOND_(__VA_ARGS__, ~)
#define OCTAVO_SECOND_(a, b, ...) b
#define OCTAVO_UNWRAP(...) __VA_ARGS__

#define OCTAVO_BASE_ARROW(T, Base) , public ::octavo::detail::arrow_t<Base, octavo_mode>
#define OCTAVO_BASE_INIT(T, Base) , ::octavo::detail::arrow_t<Base, octavo_mode>(octavo_to)
#define OCTAVO_BASE_ENTRY(T, Base) , ::octavo::detail::register_base_of<T, Base>()
#define OCTAVO_METHOD_ENTRY(T, m) , ::octavo::detail::MethodOf<&T::m>::entry
#define OCTAVO_ARROW_METHOD(T, m)                                                                                          \
  template <class... octavo_types>                                                                                         \
  auto m(octavo_types&&... octavo_values) const {                                                                          \
    return octavo_mode::template invoke<&T::m>(this->octavo_to_##T.address, std::forward<octavo_types>(octavo_values)...); \
  }

#define OCTAVO_REMOTE(T, first, ...) OCTAVO_REMOTE_PICK(OCTAVO_IS_LIST(first), T, first __VA_OPT__(, ) __VA_ARGS__)
#define OCTAVO_REMOTE_PICK(is_list, ...) OCTAVO_JOIN(OCTAVO_REMOTE_, is_list)(__VA_ARGS__)
#define OCTAVO_REMOTE_0(T, ...) OCTAVO_REMOTE_BODY(T, (), __VA_ARGS__)
#define OCTAVO_REMOTE_1(T, bases, ...) OCTAVO_REMOTE_BODY(T, bases, __VA_ARGS__)
#define OCTAVO_REMOTE_BODY(T, bases, ...)                                                                                     \
  struct octavo_address_of_##T {                                                                                              \
    ::octavo::Address address;                                                                                                \
  };                                                                                                                          \
  template <class octavo_mode>                                                                                                \
  struct octavo_arrow_##T : private octavo_address_of_##T OCTAVO_EACH(OCTAVO_BASE_ARROW, T, OCTAVO_UNWRAP bases) {            \
    octavo_address_of_##T octavo_to_##T;                                                                                      \
    explicit octavo_arrow_##T(const ::octavo::Address& octavo_to)                                                             \
        : octavo_address_of_##T{octavo_to} OCTAVO_EACH(OCTAVO_BASE_INIT, T, OCTAVO_UNWRAP bases), octavo_to_##T{octavo_to} {} \
    OCTAVO_EACH(OCTAVO_ARROW_METHOD, T, __VA_ARGS__)                                                                          \
  };                                                                                                                          \
  template <class octavo_mode>                                                                                                \
  octavo_arrow_##T<octavo_mode> octavo_arrow_of(const T*, octavo_mode);                                                       \
  [[maybe_unused]] inline const bool octavo_registered_##T =                                                                  \
      ::octavo::detail::all_registered(true OCTAVO_EACH(OCTAVO_BASE_ENTRY, T, OCTAVO_UNWRAP bases) OCTAVO_EACH(OCTAVO_METHOD_ENTRY, T, __VA_ARGS__));
