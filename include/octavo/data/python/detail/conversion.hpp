// SPDX-License-Identifier: Apache-2.0
// C++ values to Python values and back: the table in docs/groups.md.
//
//   put_python(value, std::vector<double>{1, 2});                 // a numpy.ndarray of float64 there
//   auto x = take_python<double>(reader);                         // of a float, or of an int that fits
//
// Threading: values. Failure: usage_error, which names both types, for a value that is no T.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "octavo/data/python/detail/tagged_value.hpp"
#include "octavo/process/remote_ptr.hpp"

namespace octavo::python {
class object;
}

namespace octavo::detail {

template <class T>
struct vector_of_values : std::false_type {};
template <class E, class A>
struct vector_of_values<std::vector<E, A>> : std::true_type {};
template <class T>
struct remote_pointer : std::false_type {};
template <class T>
struct remote_pointer<remote_ptr<T>> : std::true_type {};
template <class T>
inline constexpr bool is_complex_element = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
// An element of an array.
template <class T>
inline constexpr bool is_element = (is_number<T> && sizeof(T) <= 8 && !std::is_same_v<T, long double>) || is_complex_element<T>;

// Whether Python has values of this type.
template <class T>
constexpr bool known_to_python() {
  if constexpr (vector_of_values<T>::value) return known_to_python<typename T::value_type>() || std::is_same_v<T, std::vector<std::byte>>;
  else
    return is_element<T> || std::is_same_v<T, bool> || std::is_same_v<T, std::string> || std::is_same_v<T, ArrayPage> || std::is_same_v<T, python::object> ||
           remote_pointer<T>::value;
}
template <class T>
constexpr void check_known_to_python() {
  static_assert(known_to_python<T>(),
                "Python has no values of this type: use bool, numbers, std::string, std::vector<std::byte>, octavo::ArrayPage, std::vectors of these, "
                "octavo::python::object or octavo::remote_ptr");
}

// Of the numbers that an array can have: long long as long, char as signed char.
template <class E>
constexpr dtype element_type() {
  if constexpr (is_complex_element<E> || std::is_floating_point_v<E>) return dtype_of<E>();
  else {
    constexpr int log2 = sizeof(E) == 1 ? 0 : sizeof(E) == 2 ? 1 : sizeof(E) == 4 ? 2 : 3;
    return static_cast<dtype>(static_cast<int>(std::is_signed_v<E> ? dtype::int8 : dtype::uint8) + log2);
  }
}

template <class T>
std::string words_of() {
  if constexpr (std::is_same_v<T, std::string>) return "std::string";
  else if constexpr (vector_of_values<T>::value) return "std::vector<" + words_of<typename T::value_type>() + ">";
  else if constexpr (is_number<T> && std::is_integral_v<T> && is_element<T>) return "std::" + std::string(name_of(element_type<T>())) + "_t";
  else return std::string(type_name<T>());
}

[[noreturn]] void raise_misfit(const TaggedReader& came, const std::string& wanted);
void put_integer(TaggedValue& to, std::uint64_t value);
void put_object(TaggedValue& to, const python::object& object);
python::object take_object(TaggedReader& from);

template <class T>
void put_python(TaggedValue& to, const T& value) {
  check_known_to_python<T>();
  if constexpr (std::is_same_v<T, bool>) to.put_tag(value ? value_tag::yes : value_tag::no);
  else if constexpr (is_complex_element<T>) to.put_scalar(dtype_of<T>(), {reinterpret_cast<const std::byte*>(&value), sizeof value});
  else if constexpr (std::is_floating_point_v<T>) to.put_real(static_cast<double>(value));
  else if constexpr (std::is_unsigned_v<T>) put_integer(to, static_cast<std::uint64_t>(value));
  else if constexpr (std::is_integral_v<T>) to.put_integer(static_cast<std::int64_t>(value));
  else if constexpr (std::is_same_v<T, std::string>) {
    to.put_tag(value_tag::text);
    to.put_text(value);
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) to.put_bytes(value);
  else if constexpr (std::is_same_v<T, ArrayPage>) to.put_array(value);
  else if constexpr (std::is_same_v<T, python::object>) put_object(to, value);
  else if constexpr (remote_pointer<T>::value) to.put_pointer(value.address(), class_title<hosted_type<typename T::element_type>>);
  else if constexpr (is_element<typename T::value_type>) {
    const auto* bytes = reinterpret_cast<const std::byte*>(value.data());
    to.put_array(element_type<typename T::value_type>(), {static_cast<std::int64_t>(value.size())}, {bytes, value.size() * sizeof(typename T::value_type)});
  } else {
    to.put_list(value.size());
    for (const auto& each : value) put_python<typename T::value_type>(to, each);
  }
}

template <class T>
T take_number(TaggedReader& from) {
  TaggedReader ahead = from;
  const auto tag = from.tag();
  bool fits = false;
  T value{};
  const auto from_number = [&](auto number) {
    if constexpr (is_complex_element<T>) {
      if constexpr (is_complex_element<decltype(number)>) value = T(number);
      else value = T(static_cast<typename T::value_type>(number));
      fits = true;
    } else if constexpr (!is_complex_element<decltype(number)>) {
      using N = decltype(number);
      if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<N>) {
        value = static_cast<T>(number), fits = true;
      } else if constexpr (std::is_floating_point_v<T>) {  // all of its digits
        value = static_cast<T>(number);
        fits = std::abs(value) <= std::ldexp(T(1), std::numeric_limits<T>::digits);
      } else if constexpr (std::is_integral_v<N>) {
        value = static_cast<T>(number);
        fits = static_cast<N>(value) == number && (value < T(0)) == (number < N(0));
      }
    }
  };
  if (tag == value_tag::integer) from_number(from.take_integer());
  else if (tag == value_tag::real) from_number(from.take_real());
  else if (tag == value_tag::scalar) {
    const auto scalar = from.take_scalar();
    with_type(scalar.type, [&](auto zero) {
      auto number = zero;
      std::memcpy(&number, scalar.elements.data(), sizeof number);
      from_number(number);
    });
  }
  if (!fits) raise_misfit(ahead, words_of<T>());
  return value;
}

template <class T>
T take_python(TaggedReader& from);

template <class T>
T take_vector(TaggedReader& from) {
  using E = typename T::value_type;
  const auto tag = from.tag();
  T values;
  if constexpr (is_element<E>) {
    if (tag == value_tag::array) {
      const TaggedReader before = from;
      const auto array = from.take_array();
      if (array.type != element_type<E>() || array.shape.size() != 1) raise_misfit(before, words_of<T>());
      values.resize(static_cast<std::size_t>(array.shape[0]));
      if (!values.empty()) std::memcpy(values.data(), array.elements.data(), array.elements.size());
      return values;
    }
  }
  if (tag != value_tag::list && tag != value_tag::tuple) raise_misfit(from, words_of<T>());
  for (auto count = from.take_list(); count != 0; --count) values.push_back(take_python<E>(from));
  return values;
}

ArrayPage take_array_page(TaggedReader& from);

template <class T>
T take_python(TaggedReader& from) {
  check_known_to_python<T>();
  const auto tag = from.tag();
  if constexpr (std::is_same_v<T, bool>) {
    if (tag != value_tag::yes && tag != value_tag::no) raise_misfit(from, words_of<T>());
    return from.take_tag() == value_tag::yes;
  } else if constexpr (is_element<T>) {
    return take_number<T>(from);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (tag != value_tag::text) raise_misfit(from, words_of<T>());
    (void)from.take_tag();
    return std::string(from.take_text());
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    if (tag != value_tag::bytes) raise_misfit(from, words_of<T>());
    const auto bytes = from.take_bytes();
    return T(bytes.begin(), bytes.end());
  } else if constexpr (std::is_same_v<T, ArrayPage>) {
    if (tag != value_tag::array) raise_misfit(from, "octavo::ArrayPage");
    return take_array_page(from);
  } else if constexpr (std::is_same_v<T, python::object>) {
    if (tag != value_tag::pointer) raise_misfit(from, "octavo::python::object");
    T (*take)(TaggedReader&) = &take_object;  // of a class that need not be complete where this is read
    return take(from);
  } else if constexpr (remote_pointer<T>::value) {
    if (tag != value_tag::pointer) raise_misfit(from, words_of<T>());
    std::string title;
    return T(from.take_pointer(title));
  } else {
    return take_vector<T>(from);
  }
}

template <class T>
T from_python(const TaggedValue& value) {
  TaggedReader from(value);
  return take_python<T>(from);
}
template <class T>
SizedValue to_python(const T& value) {
  SizedValue made;
  put_python(made.value, value);
  return made;
}

}  // namespace octavo::detail
