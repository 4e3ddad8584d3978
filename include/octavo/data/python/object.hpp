// SPDX-License-Identifier: Apache-2.0
// A remote object of Python, or of C++, whose methods are called by name.
//
//   octavo::python::object model = octavo::python::open("ov://home/model");   // made by a Python program: octavo.named("ov://home/model").make(Model)
//   double loss = model.call<double>("fit", data, 10);                        // waits; model.call("reset") gives nothing
//   octavo::future<double> soon = model.start<double>("fit", data, 10);
//   octavo::python::object part = p;                                          // of a remote_ptr<Part>, whose class stands in OCTAVO_PYTHON (callable.hpp)
//
// Contract: arguments and results are of the types in the table of docs/groups.md; others do not compile. A value; it does not own. Methods that are `async
// def` cannot be called so. Threading: as a remote_ptr. Failure: usage_error, which names both types, for what does not fit; process_died; what Python raised
// as remote_error, with its text. open: as octavo::open; usage_error for a name of an object of C++ (octavo::open<Class>).
#pragma once

#include "octavo/data/python/callable.hpp"
#include "octavo/group/detail/all.hpp"
#include "octavo/process/named.hpp"

namespace octavo::detail {

struct RequestByName {
  TaggedValue value;
  RequestByName(std::string_view method, std::size_t arguments);
};
future<TaggedValue> start_by_name(const Address& to, const RequestByName& request, const CallToAll& which);

template <class R>
R result_by_name(const TaggedValue& value) {
  if constexpr (!std::is_void_v<R>) return from_python<R>(value);
}
// What an argument is sent as: a text as a std::string, a span as a std::vector.
template <class A>
void put_argument(TaggedValue& to, const A& argument) {
  if constexpr (std::is_convertible_v<const A&, std::string_view>) put_python(to, std::string(std::string_view(argument)));
  else put_python<held_t<A>>(to, held_t<A>(argument));
}
template <class R, class... A>
future<R> start_named(const Address& to, const CallToAll& which, std::string_view method, const A&... arguments) {
  RequestByName request(method, sizeof...(A));
  (put_argument(request.value, arguments), ...);
  return start_by_name(to, request, which).then([](TaggedValue value) { return result_by_name<R>(value); });
}

}  // namespace octavo::detail

namespace octavo::python {

class object {
 public:
  object() = default;  // of nobody, to be assigned to
  object(const Address& address, std::string title) : address_(address), title_(std::move(title)) {}
  template <class T>
  object(const remote_ptr<T>& p)  // NOLINT: converts as a pointer does
      : address_(p.address()), title_(octavo::detail::class_title<octavo::detail::hosted_type<T>>) {}

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] const std::string& title() const noexcept { return title_; }  // of its class, as far as that is known
  explicit operator bool() const noexcept { return static_cast<bool>(address_); }
  bool operator==(const object& other) const noexcept { return address_ == other.address_; }

  template <class R = void, class... A>
  R call(std::string_view method, const A&... arguments) const {
    return start<R>(method, arguments...).get();
  }
  template <class R = void, class... A>
  future<R> start(std::string_view method, const A&... arguments) const {
    return octavo::detail::start_named<R>(address_, {}, method, arguments...);
  }

 private:
  Address address_;
  std::string title_;
};

// The object of Python with this name.
object open(const Machine& machine, std::string_view name);
object open(std::string_view name);

}  // namespace octavo::python
