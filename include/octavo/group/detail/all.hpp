// SPDX-License-Identifier: Apache-2.0
// One call to all members of a group: the arrow's two modes, and how their results come together.
#pragma once

#include "octavo/group/detail/membership.hpp"
#include "octavo/process/remote_ptr.hpp"

namespace octavo {

// An argument that differs from member to member: the i-th gets values[i].
//   g->read(octavo::each(indices));
template <class V>
struct each {
  explicit each(std::vector<V> all) : values(std::move(all)) {}
  std::vector<V> values;
};

namespace detail {

template <class A>
struct is_each : std::false_type {};
template <class V>
struct is_each<each<V>> : std::true_type {};

void check_each(std::size_t values, std::size_t members);  // throws usage_error

template <class A>
void check_argument(const A& argument, std::size_t members) {
  if constexpr (is_each<A>::value) check_each(argument.values.size(), members);
}
template <class A>
decltype(auto) argument_of(const A& argument, std::size_t index) {
  if constexpr (is_each<A>::value) return static_cast<const typename decltype(argument.values)::value_type&>(argument.values[index]);
  else return (argument);
}

// A call that could not even be sent fails as one that was.
template <auto F, class... A>
auto start_all(const Founding& group, const A&... arguments) {
  using Value = std::remove_cvref_t<typename signature<F>::value>;
  (check_argument(arguments, group.members.size()), ...);
  std::vector<future<Value>> started;
  CallToAll which{group.id, new_number()};
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    which.life = i < group.lives.size() ? group.lives[i] : 0;
    try {
      started.push_back(Starting::invoke_to_all<F>(group.members[i], which, argument_of(arguments, i)...));
    } catch (...) {
      promise<Value> failed;
      started.push_back(failed.get_future());
      failed.set_exception(std::current_exception());
    }
  }
  return started;
}

// Takes all results; then throws the first error by index. All are ready, or are waited for.
template <class Value>
auto take_all(std::vector<future<Value>>& started, const Founding& group) {
  std::exception_ptr first;
  std::vector<std::conditional_t<std::is_void_v<Value>, char, Value>> values;
  values.reserve(started.size());
  for (std::size_t i = 0; i < started.size(); ++i) {
    try {
      if constexpr (std::is_void_v<Value>) started[i].get();
      else values.push_back(started[i].get());
    } catch (...) {
      if (!first) first = naming_member(std::current_exception(), group, i);
    }
  }
  if (first) std::rethrow_exception(first);
  if constexpr (!std::is_void_v<Value>) return values;
}

template <class Value>
using together_t = std::conditional_t<std::is_void_v<Value>, void, std::vector<std::conditional_t<std::is_void_v<Value>, char, Value>>>;

// Ready when all are; no thread waits for it.
template <class Value>
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved on
future<together_t<Value>> when_all_of(std::vector<future<Value>> started, std::shared_ptr<const Founding> group) {
  struct Open {
    std::vector<future<Value>> started;
    std::shared_ptr<const Founding> group;
    std::atomic<std::size_t> missing;
    promise<together_t<Value>> result;
    void one_more() {
      if (missing.fetch_sub(1) != 1) return;
      try {
        if constexpr (std::is_void_v<Value>) {
          take_all(started, *group);
          result.set_value();
        } else {
          result.set_value(take_all(started, *group));
        }
      } catch (...) {
        result.set_exception(std::current_exception());
      }
    }
  };
  auto open = std::make_shared<Open>();
  open->started = std::move(started);
  open->group = std::move(group);
  open->missing = open->started.size() + 1;
  auto together = open->result.get_future();
  for (const auto& each : open->started) each.on_ready([open] { open->one_more(); });
  open->one_more();
  return together;
}

// An arrow carries one Address and hands it to its mode. Here it is the place where the list of members lies, which the arrow's holder keeps.
inline Address carry(const std::shared_ptr<const Founding>* group) { return {reinterpret_cast<std::uintptr_t>(group), 0, 1}; }
inline const std::shared_ptr<const Founding>& carried(const Address& in) {
  return *reinterpret_cast<const std::shared_ptr<const Founding>*>(static_cast<std::uintptr_t>(in.agent));
}

template <class Arrow>
class GroupArrow {
 public:
  explicit GroupArrow(std::shared_ptr<const Founding> group)
      : group_(std::make_unique<std::shared_ptr<const Founding>>(std::move(group))), arrow_(carry(group_.get())) {}
  const Arrow* operator->() const { return &arrow_; }

 private:
  std::unique_ptr<std::shared_ptr<const Founding>> group_;  // does not move when this does
  Arrow arrow_;
};

template <auto F>
constexpr void check_for_all() {
  static_assert(!signature<F>::copies_back, "a method that takes a T& cannot be called on a group: each member would change the argument. Return the value");
}

struct WaitingForAll {
  template <auto F, class... A>
  static auto invoke(const Address& to, A&&... arguments) {
    check_for_all<F>();
    auto started = start_all<F>(*carried(to), arguments...);
    return take_all(started, *carried(to));
  }
};
struct StartingAll {
  template <auto F, class... A>
  static auto invoke(const Address& to, A&&... arguments) {
    check_for_all<F>();
    return when_all_of(start_all<F>(*carried(to), arguments...), carried(to));
  }
};

}  // namespace detail
}  // namespace octavo
