// SPDX-License-Identifier: Apache-2.0
// Standard containers as processes, with their methods by the same names.
//
//   auto ages = here.make<std::map<std::string, int>>();           // octavo::remote_ptr<std::map<std::string, int>>
//   ages->insert_or_assign("Ada", 36);  int a = ages->at("Ada");
//   if (std::optional<int> found = ages->find("Bob")) use(*found);  // iterators do not travel: find gives the value, if it is there
//   auto queue = here.make<std::deque<Job>>();  queue->push_back(job);
//   while (auto next = queue->take_front()) run(*next);             // front and pop_front in one call: nobody comes between
//   std::map<std::string, int> mine = ages->items();                // a copy of all
//   octavo::start(ages)->insert("Eve", 5);
//
// std::vector, deque, string: at, set(i, x) for v[i] = x, front, back, push_back, pop_back, take_back, resize, insert(i, x), erase(i), append;
// deque: push_front, pop_front, take_front; string: substr, find, replace. std::map, unordered_map: at, find, insert(k, v), insert_or_assign,
// erase(k), extract, count, contains, merge. std::set, unordered_set: find, insert, erase, count, contains, merge. All: size, empty, clear,
// items, assign. What is missing is an extension function: octavo::call<&longest>(ages) with std::string longest(const std::map<...>&).
// Programs of other builds can call all of these, but no extension function that the program that made the container does not call.
// Each call is one method: atomic. Failure: std::out_of_range with the values, where std has undefined behaviour too; process_died.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "octavo/process/detail/container_methods.hpp"
#include "octavo/process/remote_ptr.hpp"

namespace octavo {

namespace detail {

template <class C, class Mode>
class ContainerArrow {
 public:
  explicit ContainerArrow(const Address& to) : to_(to) {}
  [[nodiscard]] auto size() const { return run<&on::size<C>>(); }
  [[nodiscard]] auto empty() const { return run<&on::empty<C>>(); }
  auto clear() const { return run<&on::clear<C>>(); }
  [[nodiscard]] auto items() const { return run<&on::items<C>>(); }
  auto assign(C other) const { return run<&on::assign<C>>(std::move(other)); }

 protected:
  template <auto F, class... A>
  auto run(A&&... arguments) const {
    return Mode::template invoke<F>(to_, std::forward<A>(arguments)...);
  }

 private:
  Address to_;
};

template <class C, class Mode>
class SequenceArrow : public ContainerArrow<C, Mode> {
 public:
  using T = typename C::value_type;
  using ContainerArrow<C, Mode>::ContainerArrow;
  [[nodiscard]] auto at(std::size_t index) const { return this->template run<&on::at<C>>(index); }
  auto set(std::size_t index, T value) const { return this->template run<&on::set<C>>(index, std::move(value)); }
  [[nodiscard]] auto front() const { return this->template run<&on::front<C>>(); }
  [[nodiscard]] auto back() const { return this->template run<&on::back<C>>(); }
  auto push_back(T value) const { return this->template run<&on::push_back<C>>(std::move(value)); }
  auto pop_back() const { return this->template run<&on::pop_back<C>>(); }
  auto take_back() const { return this->template run<&on::take_back<C>>(); }
  auto resize(std::size_t size, const T& value = T()) const { return this->template run<&on::resize<C>>(size, value); }
  auto insert(std::size_t index, T value) const { return this->template run<&on::insert_at<C>>(index, std::move(value)); }
  auto erase(std::size_t index) const { return this->template run<&on::erase_at<C>>(index); }
  auto append(C more) const { return this->template run<&on::append<C>>(std::move(more)); }
};

template <class C, class Mode>
class DequeArrow : public SequenceArrow<C, Mode> {
 public:
  using T = typename C::value_type;
  using SequenceArrow<C, Mode>::SequenceArrow;
  auto push_front(T value) const { return this->template run<&on::push_front<C>>(std::move(value)); }
  auto pop_front() const { return this->template run<&on::pop_front<C>>(); }
  auto take_front() const { return this->template run<&on::take_front<C>>(); }
};

template <class Mode>
class StringArrow : public SequenceArrow<std::string, Mode> {
 public:
  using SequenceArrow<std::string, Mode>::SequenceArrow;
  [[nodiscard]] auto substr(std::size_t from, std::size_t count = std::string::npos) const { return this->template run<&on::substr>(from, count); }
  // The index, or std::string::npos.
  [[nodiscard]] auto find(const std::string& text, std::size_t from = 0) const { return this->template run<&on::find_text>(text, from); }
  auto replace(std::size_t from, std::size_t count, const std::string& text) const { return this->template run<&on::replace>(from, count, text); }
};

template <class C, class Mode>
class KeyedArrow : public ContainerArrow<C, Mode> {
 public:
  using K = typename C::key_type;
  using ContainerArrow<C, Mode>::ContainerArrow;
  [[nodiscard]] auto count(const K& key) const { return this->template run<&on::count<C>>(key); }
  [[nodiscard]] auto contains(const K& key) const { return this->template run<&on::contains<C>>(key); }
  // How many were erased.
  auto erase(const K& key) const { return this->template run<&on::erase<C>>(key); }
  // Inserts what is not there yet.
  auto merge(C other) const { return this->template run<&on::merge<C>>(std::move(other)); }
};

template <class C, class Mode>
class MapArrow : public KeyedArrow<C, Mode> {
 public:
  using K = typename C::key_type;
  using V = typename C::mapped_type;
  using KeyedArrow<C, Mode>::KeyedArrow;
  [[nodiscard]] auto at(const K& key) const { return this->template run<&on::at_key<C>>(key); }
  [[nodiscard]] auto find(const K& key) const { return this->template run<&on::find<C>>(key); }
  // False, and nothing is done, if the key is there.
  auto insert(K key, V value) const { return this->template run<&on::insert<C>>(std::move(key), std::move(value)); }
  auto insert(std::pair<K, V> item) const { return insert(std::move(item.first), std::move(item.second)); }
  // True if it was inserted.
  auto insert_or_assign(K key, V value) const { return this->template run<&on::insert_or_assign<C>>(std::move(key), std::move(value)); }
  // Takes the value out, if it is there.
  auto extract(const K& key) const { return this->template run<&on::extract<C>>(key); }
};

template <class C, class Mode>
class SetArrow : public KeyedArrow<C, Mode> {
 public:
  using K = typename C::key_type;
  using KeyedArrow<C, Mode>::KeyedArrow;
  [[nodiscard]] auto find(const K& key) const { return this->template run<&on::find_key<C>>(key); }
  // False if it was there.
  auto insert(K key) const { return this->template run<&on::insert_key<C>>(std::move(key)); }
};

}  // namespace detail

// Found by the way of calling, which is of this namespace.
template <class T, class A, class Mode>
detail::SequenceArrow<std::vector<T, A>, Mode> octavo_arrow_of(const std::vector<T, A>*, Mode);
template <class T, class A, class Mode>
detail::DequeArrow<std::deque<T, A>, Mode> octavo_arrow_of(const std::deque<T, A>*, Mode);
template <class Mode>
detail::StringArrow<Mode> octavo_arrow_of(const std::string*, Mode);
template <class K, class V, class L, class A, class Mode>
detail::MapArrow<std::map<K, V, L, A>, Mode> octavo_arrow_of(const std::map<K, V, L, A>*, Mode);
template <class K, class V, class H, class E, class A, class Mode>
detail::MapArrow<std::unordered_map<K, V, H, E, A>, Mode> octavo_arrow_of(const std::unordered_map<K, V, H, E, A>*, Mode);
template <class K, class L, class A, class Mode>
detail::SetArrow<std::set<K, L, A>, Mode> octavo_arrow_of(const std::set<K, L, A>*, Mode);
template <class K, class H, class E, class A, class Mode>
detail::SetArrow<std::unordered_set<K, H, E, A>, Mode> octavo_arrow_of(const std::unordered_set<K, H, E, A>*, Mode);

}  // namespace octavo
