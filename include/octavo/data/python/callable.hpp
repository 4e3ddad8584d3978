// SPDX-License-Identifier: Apache-2.0
// Which methods of a C++ class Python may call, by their names.
//
//   class Part { public: double share(); void set(const std::vector<double>& x); octavo::ArrayPage field() const; };
//   OCTAVO_PYTHON(Part, share, set, field)                   // after the class; OCTAVO_REMOTE(Part, ...) may stand beside it
//
// In Python: p = octavo.open("ov://home/part"); p.set(numpy.ones(8)); p.share()
//
// Contract: arguments and results are of the types in the table of docs/groups.md (others do not compile), a T& parameter does not come back. A method that
// gives an octavo::future answers when that is ready. Overloads and templates have no one name: wrap them. Of a derived class its own line counts.
// Threading, failure: those of any call; usage_error, which names both types, for an argument that does not fit, and for a name that stands in no line.
#pragma once

#include "octavo/data/python/detail/conversion.hpp"
#include "octavo/process/remote.hpp"

namespace octavo::detail {

// The arguments of a call by name, as they came.
class ArgumentsByName {
 public:
  explicit ArgumentsByName(wire::Message& message);
  [[nodiscard]] const std::string& method() const noexcept { return method_; }
  void check_count(std::size_t wanted) const;  // throws usage_error
  template <class T>
  T next() {
    return take_python<T>(reader_);
  }

 private:
  TaggedValue value_;
  TaggedReader reader_;
  std::string method_;
  std::uint64_t count_ = 0, named_ = 0;
};

using RunByName = void (*)(Hosted&, ArgumentsByName&, const Reply&);
bool register_by_name(const std::type_info& type, std::string_view class_name, const char* method, RunByName run);
// Of a class whose objects know by themselves what is called: those of Python.
bool register_all_by_name(const std::type_info& type, void (*run)(Hosted&, wire::Message&, const Reply&));
// Of the call that all objects answer, and of the one that gives the names of a C++ object's methods.
const Method& call_by_name() noexcept;
const Method& names_of_methods() noexcept;

template <class V>
void answer_by_name(const Reply& reply, const V& value) {
  TaggedValue encoded;
  put_python(encoded, value);
  reply.value([&](wire::Encoder& out) { out(encoded); });
}
inline void answer_none(const Reply& reply) {
  TaggedValue encoded;
  encoded.put_tag(value_tag::none);
  reply.value([&](wire::Encoder& out) { out(encoded); });
}

template <class T, auto F>
struct ServedByName {
  using S = signature<F>;
  using V = typename S::value;
  static_assert(!S::copies_back, "a method that takes a T& cannot be called by Python, where no argument comes back: return the value");
  template <class... P>
  struct With {
    static void run(Hosted& hosted, ArgumentsByName& in, const Reply& reply) {
      in.check_count(sizeof...(P));
      auto& object = *static_cast<T*>(view_as(hosted, typeid(T), type_name<T>()));
      using Arguments = std::tuple<held_t<P>...>;
      if constexpr (is_future<typename S::result>::value) {
        auto arguments = std::make_shared<Arguments>(Arguments{in.next<held_t<P>>()...});  // a coroutine may still refer to them
        auto result = std::make_shared<typename S::result>(apply_method<F, T, Arguments, P...>(object, *arguments));
        if (result->valid()) reply.later(Inside::shared(*result));
        result->on_ready([result, arguments, later = reply.kept()] { answer(*result, later); });
      } else {
        Arguments arguments{in.next<held_t<P>>()...};
        if constexpr (std::is_void_v<typename S::result>) {
          apply_method<F, T, Arguments, P...>(object, arguments);
          answer_none(reply);
        } else {
          answer_by_name<V>(reply, apply_method<F, T, Arguments, P...>(object, arguments));
        }
      }
    }
    template <class Result>
    static void answer(Result& result, const Reply& reply) noexcept {
      try {
        if constexpr (std::is_void_v<V>) {
          result.get();
          answer_none(reply);
        } else {
          answer_by_name<V>(reply, result.get());
        }
      } catch (...) {
        reply.fail(std::current_exception());
      }
    }
  };
  static constexpr RunByName run = &S::template parameters<With>::run;
};

template <class T, auto F>
bool register_for_python(const char* name) {
  return register_by_name(typeid(T), type_name<T>(), name, ServedByName<T, F>::run);
}

}  // namespace octavo::detail

#define OCTAVO_PYTHON_ENTRY(T, m) , ::octavo::detail::register_for_python<T, &T::m>(#m)
#define OCTAVO_PYTHON(T, ...)                                                    \
  [[maybe_unused]] static const bool OCTAVO_JOIN(octavo_for_python_, __LINE__) = \
      ::octavo::detail::all_registered(true OCTAVO_EACH(OCTAVO_PYTHON_ENTRY, T, __VA_ARGS__));
