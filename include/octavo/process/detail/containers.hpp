// SPDX-License-Identifier: Apache-2.0
// What is done to a standard container in its process: extension functions, by the names of the methods they stand for.
#pragma once

#include <concepts>

#include "octavo/process/detail/invoke.hpp"

namespace octavo::detail::on_container {

// With the values, for std::out_of_range.
[[noreturn]] void raise_bad_index(std::size_t index, std::size_t size);
[[noreturn]] void raise_nothing_in(const char* method);
[[noreturn]] void raise_no_key(const std::string& key);

template <class C>
using element = typename C::value_type;
template <class C>
using key = typename C::key_type;
template <class C>
using mapped = typename C::mapped_type;

template <class C>
void check_index(const C& c, std::size_t index) {
  if (index >= c.size()) raise_bad_index(index, c.size());
}
template <class C>
void check_any(const C& c, const char* method) {
  if (c.empty()) raise_nothing_in(method);
}
template <class C>
auto position(C& c, std::size_t index) {
  return std::next(c.begin(), static_cast<typename C::difference_type>(index));
}

template <class C>
std::size_t size(const C& c) {
  return c.size();
}
template <class C>
bool empty(const C& c) {
  return c.empty();
}
template <class C>
void clear(C& c) {
  c.clear();
}
template <class C>
const C& items(const C& c) {
  return c;
}
template <class C>
void assign(C& c, C other) {
  c = std::move(other);
}

// --- std::vector, std::deque, std::string ---

template <class C>
element<C> at(const C& c, std::size_t index) {
  check_index(c, index);
  return c[index];
}
template <class C>
void set(C& c, std::size_t index, element<C> value) {
  check_index(c, index);
  c[index] = std::move(value);
}
template <class C>
element<C> front(const C& c) {
  check_any(c, "front");
  return c.front();
}
template <class C>
element<C> back(const C& c) {
  check_any(c, "back");
  return c.back();
}
template <class C>
void push_back(C& c, element<C> value) {
  c.push_back(std::move(value));
}
template <class C>
void pop_back(C& c) {
  check_any(c, "pop_back");
  c.pop_back();
}
template <class C>
std::optional<element<C>> take_back(C& c) {
  if (c.empty()) return std::nullopt;
  std::optional<element<C>> taken(std::move(c.back()));
  c.pop_back();
  return taken;
}
template <class C>
void push_front(C& c, element<C> value) {
  c.push_front(std::move(value));
}
template <class C>
void pop_front(C& c) {
  check_any(c, "pop_front");
  c.pop_front();
}
template <class C>
std::optional<element<C>> take_front(C& c) {
  if (c.empty()) return std::nullopt;
  std::optional<element<C>> taken(std::move(c.front()));
  c.pop_front();
  return taken;
}
template <class C>
void resize(C& c, std::size_t size, const element<C>& value) {
  c.resize(size, value);
}
template <class C>
void insert_at(C& c, std::size_t index, element<C> value) {
  if (index != c.size()) check_index(c, index);
  c.insert(position(c, index), std::move(value));
}
template <class C>
void erase_at(C& c, std::size_t index) {
  check_index(c, index);
  c.erase(position(c, index));
}
template <class C>
void append(C& c, C more) {
  c.insert(c.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// --- std::string ---

inline std::string substr(const std::string& s, std::size_t from, std::size_t count) {
  if (from > s.size()) raise_bad_index(from, s.size());
  return s.substr(from, count);
}
inline std::size_t find_text(const std::string& s, const std::string& text, std::size_t from) { return s.find(text, from); }
inline void replace(std::string& s, std::size_t from, std::size_t count, const std::string& text) {
  if (from > s.size()) raise_bad_index(from, s.size());
  s.replace(from, count, text);
}

// --- maps and sets ---

template <class K>
std::string text_of(const K& k) {
  if constexpr (std::is_arithmetic_v<K>) return std::to_string(k);
  else if constexpr (std::is_convertible_v<K, std::string>) return "'" + std::string(k) + "'";
  else return "the one asked for";
}
template <class C>
std::size_t count(const C& c, const key<C>& k) {
  return c.count(k);
}
template <class C>
bool contains(const C& c, const key<C>& k) {
  return c.contains(k);
}
template <class C>
std::size_t erase(C& c, const key<C>& k) {
  return c.erase(k);
}
template <class C>
void merge(C& c, C other) {
  c.merge(other);
}

template <class C>
mapped<C> at_key(const C& c, const key<C>& k) {
  auto found = c.find(k);
  if (found == c.end()) raise_no_key(text_of(k));
  return found->second;
}
template <class C>
std::optional<mapped<C>> find(const C& c, const key<C>& k) {
  auto found = c.find(k);
  return found == c.end() ? std::nullopt : std::optional(found->second);
}
template <class C>
bool insert(C& c, key<C> k, mapped<C> value) {
  return c.emplace(std::move(k), std::move(value)).second;
}
template <class C>
bool insert_or_assign(C& c, key<C> k, mapped<C> value) {
  return c.insert_or_assign(std::move(k), std::move(value)).second;
}
template <class C>
std::optional<mapped<C>> extract(C& c, const key<C>& k) {
  auto node = c.extract(k);
  if (node.empty()) return std::nullopt;
  return std::optional(std::move(node.mapped()));
}

template <class C>
bool insert_key(C& c, key<C> k) {
  return c.insert(std::move(k)).second;
}
template <class C>
std::optional<key<C>> find_key(const C& c, const key<C>& k) {
  auto found = c.find(k);
  return found == c.end() ? std::nullopt : std::optional(*found);
}

}  // namespace octavo::detail::on_container
