// SPDX-License-Identifier: Apache-2.0
// What a Segment is, but for the type of its elements: a page of the pool that everybody writes to, and its name (src/message/segment_memory.cpp).
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "octavo/process/detail/method.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::detail {

// Of one element. Numbers are named as NumPy names them, so that other languages can open them.
struct ElementKind {
  std::string name;
  std::size_t bytes = 0;
};

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class T>
ElementKind element_kind() {
  const auto bits = std::to_string(8 * sizeof(T));
  if constexpr (std::same_as<T, bool>) return {"bool", sizeof(T)};
  else if constexpr (std::integral<T>) return {(std::is_signed_v<T> ? "int" : "uint") + bits, sizeof(T)};
  else if constexpr (std::floating_point<T>) return {"float" + bits, sizeof(T)};
  else if constexpr (is_complex_number<T>) return {"complex" + bits, sizeof(T)};
  else return {std::string(type_name<T>()), sizeof(T)};
}

class SegmentMemory {
 public:
  SegmentMemory(const SegmentMemory&) = default;
  SegmentMemory& operator=(const SegmentMemory&) = default;
  SegmentMemory(SegmentMemory&& other) noexcept { swap(other); }
  SegmentMemory& operator=(SegmentMemory&& other) noexcept {
    SegmentMemory(std::move(other)).swap(*this);
    return *this;
  }
  ~SegmentMemory() = default;
  // Empty: it has none.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t size() const noexcept { return elements_; }
  [[nodiscard]] bool empty() const noexcept { return elements_ == 0; }
  explicit operator bool() const noexcept { return held_ != nullptr; }

 protected:
  SegmentMemory() noexcept = default;
  SegmentMemory(const ElementKind& kind, std::size_t elements);                    // a new one
  SegmentMemory(std::string name, const ElementKind& kind, std::size_t elements);  // the one of this name, or a new one
  [[nodiscard]] void* memory() const noexcept { return memory_; }
  void put(wire::Encoder& out) const;
  void get(wire::Decoder& in, std::size_t element_bytes);

 private:
  class Held;
  void swap(SegmentMemory& other) noexcept {
    held_.swap(other.held_);
    std::swap(memory_, other.memory_);
    std::swap(elements_, other.elements_);
    name_.swap(other.name_);
  }
  void hold(std::shared_ptr<Held> held, std::size_t elements);
  void forget() const;
  [[nodiscard]] bool nobody_else_has_it() const;
  // Mutable: encoding with `giving` takes it away, which is what moving into a call means.
  mutable std::shared_ptr<Held> held_;
  mutable void* memory_ = nullptr;
  mutable std::size_t elements_ = 0;
  std::string name_;
};

}  // namespace octavo::detail
