// SPDX-License-Identifier: Apache-2.0
// The method table: the one mutable global of the library. Filled by registrars before main; read-only afterwards.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

#include "octavo/process/future.hpp"

namespace octavo::detail {

// Where __PRETTY_FUNCTION__ ends the one template argument: the argument may contain any sign itself (T = X<double []>).
constexpr std::size_t end_of_text(std::string_view text) {
  auto note = text.rfind("; std::string_view = ");
  return note == std::string_view::npos ? text.rfind(']') : note;
}

template <class T>
constexpr std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  auto from = text.find("T = ") + 4;
  return text.substr(from, end_of_text(text) - from);
}

// "&PageDevice::write" -> "write"
template <auto F>
constexpr std::string_view method_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  auto from = text.find("F = ") + 4;
  text = text.substr(from, text.find_first_of(";]", from) - from);
  auto colon = text.rfind("::");
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

// "geometry::area_of<double>": of a function that is no method, with all that tells it from others.
template <auto F>
constexpr std::string_view function_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  auto from = text.find("F = ") + 4;
  return text.substr(from, end_of_text(text) - from);
}

constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

// The hosted object, able to be seen as each of its bases.
class Hosted {
 public:
  virtual ~Hosted() = default;
  [[nodiscard]] virtual const std::type_info& type() const = 0;
  [[nodiscard]] virtual void* get() = 0;
};
template <class T>
class HostedAs final : public Hosted {
 public:
  template <class... A>
  explicit HostedAs(A&&... arguments) : object_(std::forward<A>(arguments)...) {}
  [[nodiscard]] const std::type_info& type() const override { return typeid(T); }
  [[nodiscard]] void* get() override { return &object_; }

 private:
  T object_;
};
// The object as `wanted`: its own class or a registered base. Throws usage_error naming both.
void* view_as(Hosted& object, const std::type_info& wanted, std::string_view wanted_name);
bool register_base(const std::type_info& derived, const std::type_info& base, void* (*up)(void*));
template <class Derived, class Base>
bool register_base_of() {
  return register_base(typeid(Derived), typeid(Base), [](void* p) -> void* { return static_cast<Base*>(static_cast<Derived*>(p)); });
}

// Answers one call, once; may be kept and used later, from any thread.
class Reply {
 public:
  struct Impl;
  explicit Reply(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  void value(const std::function<void(wire::Encoder&)>& encode) const;
  void fail(const std::exception_ptr& error) const noexcept;

 private:
  std::shared_ptr<Impl> impl_;
};

struct Method {
  std::string key;  // "Class::method(int, std::string)"
  const std::type_info* type = nullptr;
  std::string_view class_name;
  void (*run)(Hosted&, wire::Message&, const Reply&) = nullptr;    // of a method
  std::unique_ptr<Hosted> (*construct)(wire::Message&) = nullptr;  // of a constructor
  std::uint64_t hash = 0;
  bool built_in = false;  // octavo-server can construct it
};

// Tells this program from others, and from itself built again.
std::uint32_t build_id();

// Two methods of one key abort, both named. Returns the entry. The key of a type of local linkage gets the build's id: another
// program may have a type of that name.
const Method* register_method(Method method);
const Method* find_method(std::uint64_t hash) noexcept;
// Says that octavo-server can construct it: called for Octavo's own classes, from the library.
bool serve_built_in(const Method* constructor);

}  // namespace octavo::detail
