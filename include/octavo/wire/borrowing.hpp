// SPDX-License-Identifier: Apache-2.0
// Which memory an archive may still point to when a save() has returned: that of the value that is encoded, and no other.
//
//   template <class A> void save(A& a) const { a(std::vector<double>(list_.begin(), list_.end())); }   // copied: it is gone afterwards
//   template <class A> void serialize(A& a) { a(values_); }                                              // borrowed: a member
//
// What a save() of somebody's class gives to the archive is borrowed if it lies within the object: a member, or what a member owns. All else (a temporary, a
// local variable, what a pointer leads to) may be gone when the frame is sent, and is copied. Containers of the standard library own their elements.
// Threading: a value of one archive.
#pragma once

#include <array>
#include <cereal/cereal.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace octavo::wire {

// What a T gives to the archive lives as long as the T, wherever it lies.
template <class T>
inline constexpr bool owns_what_it_saves = false;
template <class T, class A>
inline constexpr bool owns_what_it_saves<std::vector<T, A>> = true;
template <class T, class A>
inline constexpr bool owns_what_it_saves<std::deque<T, A>> = true;
template <class T, class A>
inline constexpr bool owns_what_it_saves<std::list<T, A>> = true;
template <class C, class T, class A>
inline constexpr bool owns_what_it_saves<std::basic_string<C, T, A>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::map<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::multimap<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::set<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::multiset<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::unordered_map<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::unordered_multimap<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::unordered_set<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::unordered_multiset<T...>> = true;
template <class T, std::size_t N>
inline constexpr bool owns_what_it_saves<std::array<T, N>> = true;
template <class T>
inline constexpr bool owns_what_it_saves<std::optional<T>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::variant<T...>> = true;
template <class... T>
inline constexpr bool owns_what_it_saves<std::unique_ptr<T...>> = true;
// The elements of a span are the caller's, who waits until they are sent.
template <class T, std::size_t N>
inline constexpr bool owns_what_it_saves<std::span<T, N>> = true;
// Of references these would own nothing.
template <class A, class B>
inline constexpr bool owns_what_it_saves<std::pair<A, B>> = !std::is_reference_v<A> && !std::is_reference_v<B>;
template <class... T>
inline constexpr bool owns_what_it_saves<std::tuple<T...>> = !(std::is_reference_v<T> || ...);

// cereal's wrappers, which stand for what is in them.
template <class T>
inline constexpr bool is_wrapper = false;
template <class T>
inline constexpr bool is_wrapper<cereal::NameValuePair<T>> = true;
template <class T>
inline constexpr bool is_wrapper<cereal::BinaryData<T>> = true;
template <class T>
inline constexpr bool is_wrapper<cereal::SizeTag<T>> = true;
template <class K, class V>
inline constexpr bool is_wrapper<cereal::MapItem<K, V>> = true;
template <class T>
inline constexpr bool is_wrapper<cereal::base_class<T>> = true;
template <class T>
inline constexpr bool is_wrapper<cereal::virtual_base_class<T>> = true;

template <class T>
inline constexpr bool is_deferred = false;
template <class T>
inline constexpr bool is_deferred<cereal::DeferredData<T>> = true;

class Borrowing {
 public:
  [[nodiscard]] bool allows(const void* memory) const noexcept { return std::less_equal<>()(inside_.first, memory) && std::less<>()(memory, inside_.last); }
  // Between them the archive encodes this object, or what it is asked to by the object's save().
  void enter(const void* object, std::size_t bytes, bool owns) noexcept {
    const bool allowed = depth_ < outer_.size() && allows(object);
    if (depth_ < outer_.size()) outer_[depth_] = inside_;
    ++depth_;
    if (!allowed) inside_ = {nullptr, nullptr};
    else if (owns) inside_ = everywhere;
    else inside_ = {object, static_cast<const std::byte*>(object) + bytes};
  }
  void leave() noexcept {
    --depth_;
    if (depth_ < outer_.size()) inside_ = outer_[depth_];
  }

 private:
  struct Range {
    const void *first, *last;
  };
  static inline const Range everywhere{nullptr, reinterpret_cast<const void*>(UINTPTR_MAX)};
  Range inside_ = everywhere;
  std::size_t depth_ = 0;
  std::array<Range, 24> outer_;  // what lies deeper is copied; not filled before it is used
};

}  // namespace octavo::wire
