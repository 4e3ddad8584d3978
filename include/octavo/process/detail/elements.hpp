// SPDX-License-Identifier: Apache-2.0
// Many values on their way, without a copy more than the road makes: borrowed from the caller's span, received in the frame's own memory,
// read into the span the caller gave.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "octavo/wire/archive.hpp"

namespace octavo::detail {

// std::vector<E>, and the same with bools that lie side by side.
template <class E>
class FlatVector {
 public:
  FlatVector() = default;
  explicit FlatVector(std::vector<E> values) : values_(std::move(values)) {}
  [[nodiscard]] E* data() noexcept { return values_.data(); }
  [[nodiscard]] const E* data() const noexcept { return values_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

 private:
  std::vector<E> values_;
};
template <>
class FlatVector<bool> {
 public:
  FlatVector() = default;
  explicit FlatVector(const std::vector<bool>& values) : values_(std::make_unique<bool[]>(values.size())), size_(values.size()) {
    std::copy(values.begin(), values.end(), values_.get());
  }
  [[nodiscard]] bool* data() noexcept { return values_.get(); }
  [[nodiscard]] const bool* data() const noexcept { return values_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::unique_ptr<bool[]> values_;
  std::size_t size_ = 0;
};

[[noreturn]] void raise_bad_count(std::uint64_t came, std::size_t wanted);

// An argument: travels as std::vector<E> does.
template <class E>
class Elements {
 public:
  static constexpr bool flat = wire::flat<E, wire::Encoder>;
  Elements() = default;
  explicit Elements(std::span<const E> borrowed) : there_(borrowed) {}
  [[nodiscard]] std::size_t size() const noexcept { return there().size(); }
  void move_to(std::span<E> target) {
    if constexpr (flat) std::ranges::copy(there(), target.begin());
    else std::move(kept_.data(), kept_.data() + kept_.size(), target.begin());
  }

  template <class Archive>
  void save(Archive& archive) const {
    archive(there());
  }
  template <class Archive>
  void load(Archive& archive) {
    if constexpr (flat) {
      cereal::size_type count = 0;
      archive(cereal::make_size_tag(count));
      archive.check_bytes(count, sizeof(E));
      bytes_ = archive.take_bulk(static_cast<std::size_t>(count) * sizeof(E));
    } else {
      std::vector<E> values;
      archive(values);
      kept_ = FlatVector<E>(std::move(values));
      there_ = {kept_.data(), kept_.size()};
    }
  }

 private:
  // A few bytes lie in bytes_ itself, and move with it.
  [[nodiscard]] std::span<const E> there() const noexcept {
    if (bytes_.size() == 0) return there_;
    return {reinterpret_cast<const E*>(bytes_.span().data()), bytes_.size() / sizeof(E)};
  }
  std::span<const E> there_;
  wire::Buffer bytes_;
  FlatVector<E> kept_{std::vector<E>()};
};

}  // namespace octavo::detail

template <class E>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::detail::Elements<E>> = true;

namespace octavo::detail {

// The other end of a result that is a span or a vector: read to where the caller wants it. Both counts must be equal.
template <class E>
class Into {
 public:
  explicit Into(std::span<E> target) : target_(target) {}
  template <class Archive>
  void load(Archive& archive) {
    cereal::size_type count = 0;
    archive(cereal::make_size_tag(count));
    if (count != target_.size()) raise_bad_count(count, target_.size());
    if constexpr (wire::flat<E, wire::Encoder>) archive.get_bulk(target_.data(), target_.size_bytes());
    else
      for (E& each : target_) archive(each);
  }

 private:
  std::span<E> target_;
};

}  // namespace octavo::detail
