// SPDX-License-Identifier: Apache-2.0
// The one line that gives a class its arrow: after the class, in its own namespace.
//
//   class PageDevice { public: void write(const Page&, std::size_t); Page read(std::size_t, int tries = 1); };
//   OCTAVO_REMOTE(PageDevice, write, read)
//   class ArrayPageDevice : public PageDevice { public: double sum(std::size_t); double sum(Box); template <class V> V at(std::size_t); };
//   OCTAVO_REMOTE(ArrayPageDevice, (PageDevice), sum, at)    // bases in parentheses: their methods come along
//   device->read(7);  device->sum(box);  device->at<float>(3);
//
// A name stands for all its overloads and templates; default arguments may be left out; virtual methods are the object's own. A name that
// is one method is in the method table from here on, so that programs of another build can call it (with all arguments); the others
// where a call is compiled (detail/as_called.hpp says how they are chosen). Up to 40 names a line. The class may be written as
// Field<double> or Outer::Inner, beside its template or enclosing class; one with a comma in its name gets another: using Grid = Field<double, 3>;
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

#define OCTAVO_BASE_ARROW(T, Base) , public ::octavo::detail::base_arrow_t<Base, octavo_mode>
#define OCTAVO_BASE_INIT(T, Base) , ::octavo::detail::base_arrow_t<Base, octavo_mode>(octavo_to)
#define OCTAVO_BASE_ENTRY(T, Base) , ::octavo::detail::register_base_of<T, Base>()
#define OCTAVO_METHOD_ENTRY(T, m) , ::octavo::detail::register_named<T, octavo_name_##m<T>>()
// A method's name as a type (see detail/as_called.hpp). What is made for a class are specializations for it, so that it may have any name: Field<double>,
// Outer::Inner.
#define OCTAVO_METHOD_NAME(T, m)                                                                                        \
  template <class>                                                                                                      \
  struct octavo_name_##m;                                                                                               \
  template <>                                                                                                           \
  struct octavo_name_##m<T> {                                                                                           \
    [[maybe_unused]] static constexpr const char* text = #m;                                                            \
    template <class O>                                                                                                  \
    static constexpr auto pointer() -> decltype(&O::m) {                                                                \
      return &O::m;                                                                                                     \
    }                                                                                                                   \
    template <class O, class... A>                                                                                      \
    static auto on(O& object, A&&... arguments) -> decltype(object.m(std::forward<A>(arguments)...)) {                  \
      return object.m(std::forward<A>(arguments)...);                                                                   \
    }                                                                                                                   \
    template <class... E, class O, class... A>                                                                          \
    static auto with(O& object, A&&... arguments) -> decltype(object.template m<E...>(std::forward<A>(arguments)...)) { \
      return object.template m<E...>(std::forward<A>(arguments)...);                                                    \
    }                                                                                                                   \
    template <class O>                                                                                                  \
    struct exists : O {                                                                                                 \
      using O::m;                                                                                                       \
    };                                                                                                                  \
  };
#define OCTAVO_ARROW_METHOD(T, m)                                                                                                              \
  template <class... octavo_explicit, class... octavo_types>                                                                                   \
  auto m(octavo_types&&... octavo_values) const {                                                                                              \
    return ::octavo::detail::call_named<octavo_mode, T, octavo_name_##m<T>, octavo_explicit...>(this->octavo_target.address,                   \
                                                                                                std::forward<octavo_types>(octavo_values)...); \
  }

#define OCTAVO_REMOTE(T, first, ...) OCTAVO_REMOTE_PICK(OCTAVO_IS_LIST(first), T, first __VA_OPT__(, ) __VA_ARGS__)
#define OCTAVO_REMOTE_PICK(is_list, ...) OCTAVO_JOIN(OCTAVO_REMOTE_, is_list)(__VA_ARGS__)
#define OCTAVO_REMOTE_0(T, ...) OCTAVO_REMOTE_BODY(T, (), __VA_ARGS__)
#define OCTAVO_REMOTE_1(T, bases, ...) OCTAVO_REMOTE_BODY(T, bases, __VA_ARGS__)
#define OCTAVO_REMOTE_BODY(T, bases, ...)                                                                                                               \
  template <class>                                                                                                                                      \
  struct octavo_address_of;                                                                                                                             \
  template <>                                                                                                                                           \
  struct octavo_address_of<T> {                                                                                                                         \
    ::octavo::Address address;                                                                                                                          \
  };                                                                                                                                                    \
  OCTAVO_EACH(OCTAVO_METHOD_NAME, T, __VA_ARGS__)                                                                                                       \
  template <class, class>                                                                                                                               \
  struct octavo_methods_in_OCTAVO_REMOTE_of;                                                                                                            \
  template <class octavo_mode>                                                                                                                          \
  struct octavo_methods_in_OCTAVO_REMOTE_of<T, octavo_mode> : private octavo_address_of<T> OCTAVO_EACH(OCTAVO_BASE_ARROW, T, OCTAVO_UNWRAP bases) {     \
    octavo_address_of<T> octavo_target;                                                                                                                 \
    explicit octavo_methods_in_OCTAVO_REMOTE_of(const ::octavo::Address& octavo_to)                                                                     \
        : octavo_address_of<T>{octavo_to} OCTAVO_EACH(OCTAVO_BASE_INIT, T, OCTAVO_UNWRAP bases), octavo_target{octavo_to} {}                            \
    OCTAVO_EACH(OCTAVO_ARROW_METHOD, T, __VA_ARGS__)                                                                                                    \
  };                                                                                                                                                    \
  template <class octavo_mode>                                                                                                                          \
  octavo_methods_in_OCTAVO_REMOTE_of<T, octavo_mode> octavo_arrow_of(const T*, octavo_mode);                                                            \
  template <class>                                                                                                                                      \
  struct octavo_registered;                                                                                                                             \
  template <>                                                                                                                                           \
  struct octavo_registered<T> {                                                                                                                         \
    [[maybe_unused]] static inline const bool all =                                                                                                     \
        ::octavo::detail::all_registered(true OCTAVO_EACH(OCTAVO_BASE_ENTRY, T, OCTAVO_UNWRAP bases) OCTAVO_EACH(OCTAVO_METHOD_ENTRY, T, __VA_ARGS__)); \
  };
