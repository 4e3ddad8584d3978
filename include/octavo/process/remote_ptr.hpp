// SPDX-License-Identifier: Apache-2.0
// A remote pointer: the value that stands for an object in a process of its own.
//
//   octavo::remote_ptr<PageDevice> p = machine.make<PageDevice>("pagefile", 1024, 32 << 20);
//   p->write(page, 17);                               // waits (C-1); needs OCTAVO_REMOTE(PageDevice, write, ...)
//   auto done = octavo::start(p)->write(page, 18);    // a future, at once
//   octavo::call<&PageDevice::write>(p, page, 19);    // the same without OCTAVO_REMOTE
//   auto also = octavo::start<&PageDevice::read>(p, 19);
//   octavo::call<&checksum>(p, 19);                   // an extension: long checksum(PageDevice&, std::size_t), run in the process of p
//   octavo::destroy(p);                               // runs its destructor and ends the process (C-7); destroy(p, 2s) waits no longer
//   octavo::kill(p);                                  // ends the process at once, whatever it does
//
// Small, copyable, comparable; may be an argument, a result, a member (C-8). It does not own. A pointer to a derived class
// converts to one to its base. Calls throw what the method threw (C-5), or process_died (C-6). Threading: any thread;
// calls of one thread to one process run in the order made (C-2).
#pragma once

#include <compare>
#include <concepts>

#include "octavo/process/detail/exchange.hpp"
#include "octavo/process/errors.hpp"

namespace octavo {

template <class T>
class remote_ptr;

namespace detail {
template <class T, class Mode>
using arrow_t = decltype(octavo_arrow_of(static_cast<const T*>(nullptr), Mode{}));  // found where OCTAVO_REMOTE stands

// The arrow of a base; of one without the line, nothing comes along.
template <class Base>
struct NoArrow {
  explicit NoArrow(const Address&) {}
};
template <class Base, class Mode>
struct BaseArrow {
  using type = NoArrow<Base>;
};
template <class Base, class Mode>
  requires requires { typename arrow_t<Base, Mode>; }
struct BaseArrow<Base, Mode> {
  using type = arrow_t<Base, Mode>;
};
template <class Base, class Mode>
using base_arrow_t = typename BaseArrow<Base, Mode>::type;

template <class Arrow>
class ArrowHolder {
 public:
  explicit ArrowHolder(const Address& to) : arrow_(to) {}
  const Arrow* operator->() const { return &arrow_; }

 private:
  Arrow arrow_;
};

template <class T, class Mode>
auto arrow_to(const Address& to) {
  constexpr bool found = requires { octavo_arrow_of(static_cast<const T*>(nullptr), Mode{}); };
  static_assert(found,
                "p->method() needs OCTAVO_REMOTE(Class, method...) after the class and above this line: what is written in the class's own body must be "
                "defined below it; octavo::call<&Class::method>(p, ...) needs nothing");
  if constexpr (found) return ArrowHolder<arrow_t<T, Mode>>(to);
  else return static_cast<T*>(nullptr);  // never used: it lets the rest of the line compile
}

template <class T>
std::add_lvalue_reference_t<T> no_element();  // of p[i] that does not compile

template <class Mode, auto F, class T, class... A>
auto call_address(const Address& to, A&&... arguments) {
  constexpr bool known = callable_remotely<std::remove_cv_t<decltype(F)>>;
  static_assert(known, "this is no method that can be called remotely (one for && objects cannot), and no function whose first parameter is an object&");
  if constexpr (known) {
    static_assert(callable_on<F, T>, "this is no method of the pointer's class, and no function whose first parameter is a reference to it");
    if constexpr (callable_on<F, T>) (void)(object_entry<T, F>);
    return Mode::template invoke<F>(to, std::forward<A>(arguments)...);
  }
}
}  // namespace detail

template <class T>
class remote_ptr {
 public:
  using element_type = T;
  remote_ptr() = default;
  explicit remote_ptr(const Address& address) : address_(address) {}
  template <class Derived>
    requires(std::is_base_of_v<T, Derived> && !std::is_same_v<T, Derived> && std::is_convertible_v<Derived*, T*>)
  remote_ptr(const remote_ptr<Derived>& other) : address_(other.address()) {  // NOLINT: converts as a pointer does
    (void)base_entry<Derived>;
  }

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  explicit operator bool() const noexcept { return static_cast<bool>(address_); }
  auto operator<=>(const remote_ptr&) const = default;

  auto operator->() const { return detail::arrow_to<T, Waiting>(address_); }

  std::add_lvalue_reference_t<T> operator[](std::integral auto) const {
    static_assert(std::is_array_v<T>, "p[i] is for remote arrays: make<T[]>(n) gives an octavo::remote_ptr<T[]>, this one points to one object");
    return detail::no_element<T>();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(address_);
  }

 private:
  // Registered before main in every program that converts, so that the server knows the base too.
  template <class Derived>
  static inline const bool base_entry = detail::register_base_of<Derived, T>();
  Address address_;
};

template <class T>
auto start(const remote_ptr<T>& p) {
  return detail::arrow_to<T, Starting>(p.address());
}

// By the method's address; where it is overloaded, a cast chooses: octavo::call<static_cast<int (T::*)(double)>(&T::f)>(p, 1.5).
template <auto F, class T, class... A>
auto call(const remote_ptr<T>& p, A&&... arguments) {
  return detail::call_address<Waiting, F, T>(p.address(), std::forward<A>(arguments)...);
}
template <auto F, class T, class... A>
auto start(const remote_ptr<T>& p, A&&... arguments) {
  return detail::call_address<Starting, F, T>(p.address(), std::forward<A>(arguments)...);
}

// Runs the destructor and ends the process; returns when that is done. Errors of dropped futures of this object are raised here, and process_died where it was
// dead before, and nothing has told so.
template <class T>
void destroy(const remote_ptr<T>& p) {
  detail::destroy(p.address(), detail::forever());
}
// The same within a time. Throws timed_out where a method runs for longer: the object ends when that has returned, and kill(p) ends it at once.
template <class T, class Rep, class Period>
void destroy(const remote_ptr<T>& p, std::chrono::duration<Rep, Period> timeout) {
  detail::destroy(p.address(), detail::deadline_after(timeout));
}
// Ends the process as `kill -9` does: nothing of the object is run any more, calls to it throw process_died. Returns when it is gone, and at once where it is.
// One with a name is there again at its next call, as it was last saved. Throws usage_error of an object that has no process of its own.
template <class T>
void kill(const remote_ptr<T>& p) {
  detail::kill(p.address());
}

// Destroys at the end of a scope: auto p = octavo::scoped(machine.make<T>());  p->f();
template <class T>
class scoped {
 public:
  explicit scoped(const remote_ptr<T>& p) : p_(p) {}
  scoped(scoped&& other) noexcept : p_(std::exchange(other.p_, {})) {}
  scoped& operator=(scoped&&) = delete;
  ~scoped() {
    if (!p_) return;
    try {
      destroy(p_);
    } catch (const std::exception&) {  // it is gone already, which is what we want
    }
  }
  [[nodiscard]] const remote_ptr<T>& get() const noexcept { return p_; }
  operator const remote_ptr<T>&() const noexcept { return p_; }  // NOLINT: it is used like the pointer
  auto operator->() const { return p_.operator->(); }
  auto operator[](std::size_t index) const requires std::is_array_v<T> { return p_[index]; }

 private:
  remote_ptr<T> p_;
};

template <class T>
auto start(const scoped<T>& p) {
  return start(p.get());
}
template <auto F, class T, class... A>
auto call(const scoped<T>& p, A&&... arguments) {
  return call<F>(p.get(), std::forward<A>(arguments)...);
}
template <auto F, class T, class... A>
auto start(const scoped<T>& p, A&&... arguments) {
  return start<F>(p.get(), std::forward<A>(arguments)...);
}

}  // namespace octavo

template <class T>
struct std::hash<octavo::remote_ptr<T>> {
  std::size_t operator()(const octavo::remote_ptr<T>& p) const noexcept { return p.address().object * 0x9e3779b97f4a7c15ull ^ p.address().agent; }
};
