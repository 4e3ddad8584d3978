// SPDX-License-Identifier: Apache-2.0
// The method table: the one mutable global of the library. Filled by registrars before main; read-only afterwards.
#pragma once

#include <string>
#include <string_view>
#include <typeinfo>

#include "octavo/process/future.hpp"

namespace octavo::detail {

template <class T>
constexpr std::string_view type_text() {
  return __PRETTY_FUNCTION__;
}
template <auto F>
constexpr std::string_view value_text() {
  return __PRETTY_FUNCTION__;
}
// What stands around the name is learned from one that is known: names may have any character in them ("std::unique_ptr<int []>").
constexpr std::string_view name_within(std::string_view text, std::string_view known, std::string_view marked) {
  auto before = known.find(marked) + 4;  // "T = int"
  return text.substr(before, text.size() - (known.size() - marked.size() + 4));
}
template <class T>
constexpr std::string_view type_name() {
  return name_within(type_text<T>(), type_text<int>(), "T = int");
}

// "&PageDevice::write" -> "write"; the arguments of a method template are not in it (see MethodOf::make).
template <auto F>
constexpr std::string_view method_name() {
  std::string_view text = name_within(value_text<F>(), value_text<0>(), "F = 0");
  auto colon = text.rfind("::");
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

// "geometry::area_of<double>": of a function that is no method, with all that tells it from others.
template <auto F>
constexpr std::string_view function_name() {
  return name_within(value_text<F>(), value_text<0>(), "F = 0");
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
  // As it was seen last, if that was as this; else null.
  [[nodiscard]] void* seen(const std::type_info& wanted) const noexcept { return seen_as_ == &wanted ? seen_ : nullptr; }

 private:
  friend void* view_as(Hosted& object, const std::type_info& wanted, std::string_view wanted_name);
  const std::type_info* seen_as_ = nullptr;  // the last view, which most often is the next
  void* seen_ = nullptr;
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

// Answers one call, once, before its method returns; or it is kept.
class Reply {
 public:
  struct Impl;
  explicit Reply(Impl& call) : impl_(&call) {}
  // One that may be used later, from any thread.
  [[nodiscard]] Reply kept() const;
  void value(const std::function<void(wire::Encoder&)>& encode) const;
  void plain(const void* value, std::size_t bytes) const;  // as wire::put_plain writes it
  void fail(const std::exception_ptr& error) const noexcept;
  // It goes when this is ready. In the thread that runs methods.
  void later(const std::shared_ptr<StateBase>& result) const;

 private:
  Impl* impl_;
  std::shared_ptr<Impl> owner_;
};

struct Method {
  std::string key;  // "Class::method(int, std::string) const"
  const std::type_info* type = nullptr;
  const std::type_info* identity = nullptr;  // of the one function behind it
  std::string_view class_name;
  void (*run)(Hosted&, wire::Message&, const Reply&) = nullptr;  // of a method
  // Of a method that takes and gives a few numbers: the same without messages. Gives how many bytes of `result` it wrote.
  std::size_t (*run_plain)(void* object, const std::byte* arguments, std::byte* result) = nullptr;
  std::size_t plain_bytes = 0;                                     // of its arguments
  std::unique_ptr<Hosted> (*construct)(wire::Message&) = nullptr;  // of a constructor, or from a saved state
  void (*save)(Hosted&, wire::Encoder&) = nullptr;                 // of a class that can be named
  std::uint32_t state_version = 0;                                 // of that class
  std::uint64_t hash = 0;
  bool built_in = false;  // octavo-server can construct it
};

// By inode, size and time; 0: there is none.
std::uint64_t hash_of_file(const char* path);
// The name of a type or function as the source has it.
std::string readable(const char* mangled);
// Tells this program from others, and from itself built again.
std::uint32_t build_id();

// "get" as it stands in this function's own name: "get<int>" for one made from a template.
std::string with_template_arguments(std::string_view name, const std::type_info& function);

// Two methods of one key abort, both named. Returns the entry. The key of a type of local linkage gets the build's id: another
// program may have a type of that name.
const Method* register_method(Method method);
const Method* find_method(std::uint64_t hash) noexcept;
// Those of classes whose objects can be named.
std::vector<const Method*> methods_that_save();
// Throws usage_error if the object is neither of this class nor derived from it, as far as this program knows.
void check_is(Hosted& object, std::string_view class_name);
// Says that octavo-server can construct it: called for Octavo's own classes, from the library.
bool serve_built_in(const Method* constructor);

}  // namespace octavo::detail
