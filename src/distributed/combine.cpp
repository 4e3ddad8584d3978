// SPDX-License-Identifier: Apache-2.0
#include "distributed/combine.hpp"

#include <functional>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// The elements of a term in the order of the walk: pieces of its part, or the number again and again.
template <class T>
class Elements {
 public:
  explicit Elements(const Term& of) : number_(of.part == nullptr ? of.number.as<T>() : T{}) {
    if (of.part != nullptr) walk_.emplace(of.part->own(), &Overlap::from, of.part->data(), of.part->geometry().wide, sizeof(T));
  }
  // As many as there are in one piece, at most `most`.
  std::size_t take(std::size_t most) {
    if (!walk_) return most;
    const auto piece = walk_->next(static_cast<std::int64_t>(most * sizeof(T)));
    first_ = reinterpret_cast<const T*>(piece.data());
    return piece.size() / sizeof(T);
  }
  [[nodiscard]] T at(std::size_t index) const { return first_ != nullptr ? first_[index] : number_; }
  void drop(std::size_t count) {
    if (first_ != nullptr) first_ += count;
  }

 private:
  std::optional<Walk> walk_;
  const T* first_ = nullptr;
  T number_;
};

template <class T, class Op>
void combine_with(const DistributedPart& into, const Term& left, const Term& right, Op op) {
  Walk walk(into.own(), &Overlap::from, into.data(), into.geometry().wide, sizeof(T));
  Elements<T> a(left), b(right);
  for (auto piece = walk.next(INT64_MAX); !piece.empty(); piece = walk.next(INT64_MAX)) {
    auto* to = reinterpret_cast<T*>(piece.data());
    for (std::size_t rest = piece.size() / sizeof(T); rest != 0;) {
      const auto of_a = a.take(rest);
      for (std::size_t done = 0; done < of_a;) {
        const auto of_b = b.take(of_a - done);
        for (std::size_t i = 0; i < of_b; ++i) to[i] = op(a.at(i), b.at(i));
        a.drop(of_b);
        to += of_b;
        done += of_b;
      }
      rest -= of_a;
    }
  }
}

template <class T>
void combine_of(const DistributedPart& into, arithmetic how, const Term& left, const Term& right) {
  // Integers wrap around, as NumPy's do.
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  auto with = [&](auto op) {
    combine_with<T>(into, left, right, [op](const T& a, const T& b) { return static_cast<T>(op(static_cast<Wide>(a), static_cast<Wide>(b))); });
  };
  switch (how) {
    case arithmetic::add: return with(std::plus<>());
    case arithmetic::subtract: return with(std::minus<>());
    case arithmetic::multiply: return with(std::multiplies<>());
    case arithmetic::divide: break;
  }
  if constexpr (!std::is_integral_v<T>) return with(std::divides<>());
  throw usage_error("a division of integers: of a " + into.facts().text(), "Make the array of double, or divide in a loop over local()");
}

}  // namespace

void combine_parts(const DistributedPart& into, arithmetic how, const Term& left, const Term& right) {
  with_type(into.facts().type, [&](auto zero) { combine_of<decltype(zero)>(into, how, left, right); });
}

void check_fits(const DistributedFacts& one, const DistributedFacts& other) {
  if (one.group.id != other.group.id || one.shape != other.shape || one.type != other.type)
    throw usage_error("a " + one.text() + " and a " + other.text() + ", of another shape, type or group, in one operation", "Give arrays of one");
  if (!one.split.places_as(other.split))
    throw usage_error("a " + one.text() + " and a " + other.text() + " in one operation: nothing is moved without a word",
                      "Split it the same way: b.resplit(a.split())");
}

}  // namespace octavo::detail
