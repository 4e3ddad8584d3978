// SPDX-License-Identifier: Apache-2.0
// The methods that standard containers have for programs of other builds: all that std.hpp offers, in every program that makes or opens one below its
// #include. Of elements that cannot be copied, as they are called.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "octavo/process/detail/containers.hpp"
#include "octavo/process/detail/has_operator.hpp"

namespace octavo::detail {

namespace on = on_container;

template <class C>
void enter_container() {
  enter_methods<&on::size<C>, &on::empty<C>, &on::clear<C>, &on::items<C>, &on::assign<C>>();
}
template <class C>
void enter_sequence() {
  enter_container<C>();
  enter_methods<&on::at<C>, &on::set<C>, &on::front<C>, &on::back<C>, &on::push_back<C>, &on::pop_back<C>, &on::take_back<C>, &on::resize<C>, &on::insert_at<C>,
                &on::erase_at<C>, &on::append<C>>();
}
template <class C>
void enter_keyed() {
  enter_container<C>();
  enter_methods<&on::count<C>, &on::contains<C>, &on::erase<C>, &on::merge<C>>();
}
template <class C>
struct MethodsOfMap {
  static void enter() {
    if constexpr (can_copy<typename C::key_type> && can_copy<typename C::mapped_type> && std::is_copy_assignable_v<typename C::mapped_type>) {
      enter_keyed<C>();
      enter_methods<&on::at_key<C>, &on::find<C>, &on::insert<C>, &on::insert_or_assign<C>, &on::extract<C>>();
    }
  }
};
template <class C>
struct MethodsOfSet {
  static void enter() {
    if constexpr (can_copy<typename C::key_type>) {
      enter_keyed<C>();
      enter_methods<&on::find_key<C>, &on::insert_key<C>>();
    }
  }
};

template <class T, class A>
struct MethodsOf<std::vector<T, A>> {
  static void enter() {
    if constexpr (can_copy<T> && std::is_copy_assignable_v<T>) enter_sequence<std::vector<T, A>>();
  }
};
template <class T, class A>
struct MethodsOf<std::deque<T, A>> {
  using C = std::deque<T, A>;
  static void enter() {
    if constexpr (can_copy<T> && std::is_copy_assignable_v<T>) {
      enter_sequence<C>();
      enter_methods<&on::push_front<C>, &on::pop_front<C>, &on::take_front<C>>();
    }
  }
};
// A template, so that a file that only includes this compiles none of it.
template <class A>
struct MethodsOf<std::basic_string<char, std::char_traits<char>, A>> {
  static void enter() {
    enter_sequence<std::basic_string<char, std::char_traits<char>, A>>();
    enter_methods<&on::substr, &on::find_text, &on::replace>();
  }
};
template <class K, class V, class L, class A>
struct MethodsOf<std::map<K, V, L, A>> : MethodsOfMap<std::map<K, V, L, A>> {};
template <class K, class V, class H, class E, class A>
struct MethodsOf<std::unordered_map<K, V, H, E, A>> : MethodsOfMap<std::unordered_map<K, V, H, E, A>> {};
template <class K, class L, class A>
struct MethodsOf<std::set<K, L, A>> : MethodsOfSet<std::set<K, L, A>> {};
template <class K, class H, class E, class A>
struct MethodsOf<std::unordered_set<K, H, E, A>> : MethodsOfSet<std::unordered_set<K, H, E, A>> {};

}  // namespace octavo::detail
