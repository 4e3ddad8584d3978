// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "distributed/collectives.hpp"
#include "distributed/reduce/reductions.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// Whether an element is not zero; a NaN is not.
struct Truth {
  bool is = false;
  Truth() = default;
  template <class T>
  explicit Truth(const T& value) : is(value != T{}) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(is);
  }
};
struct Or {
  static Truth of(Truth a, Truth b) {
    a.is = a.is || b.is;
    return a;
  }
};
struct And {
  static Truth of(Truth a, Truth b) {
    a.is = a.is && b.is;
    return a;
  }
};

template <class Op, class A, class T>
struct Folding {
  struct Partial {
    bool any = false;
    A value{};
  };
  static Partial join(Partial left, Partial right) {
    if (!left.any || !right.any) return left.any ? left : right;
    return {true, Op::of(left.value, right.value)};
  }
  static Partial of(const DistributedPart& part) {
    Partial found;
    Walk walk(part.own(), &Overlap::from, part.data(), part.geometry().wide, sizeof(T));
    for (auto piece = walk.next(INT64_MAX); !piece.empty(); piece = walk.next(INT64_MAX)) {
      const auto* first = reinterpret_cast<const T*>(piece.data());
      const std::size_t count = piece.size() / sizeof(T);
      found.value = found.any ? fold<Op>(found.value, first, count) : fold<Op>(static_cast<A>(*first), first + 1, count - 1);
      found.any = true;
    }
    return found;
  }
  static Partial of_all(Collective& c, const DistributedPart& part) {
    auto op = [](Partial left, Partial right) { return join(left, right); };
    auto all = reduce_up(c, c.tree(0), of(part), op);
    return send_down(c, c.tree(0), all ? *all : Partial());
  }
};

template <class Op, class T>
Scalar truth(Collective& c, const DistributedPart& part, bool of_none) {
  const auto all = Folding<Op, Truth, T>::of_all(c, part);
  return Scalar::of(static_cast<std::uint8_t>(all.any ? all.value.is : of_none));
}

// Once the mean of all is known; of integers, too, in double.
template <class T>
Scalar squares(Collective& c, const DistributedPart& part) {
  using Wide = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;
  const Wide mean = Folding<Sum, Wide, T>::of_all(c, part).value / static_cast<double>(part.facts().shape.count());
  double mine = 0;
  Walk walk(part.own(), &Overlap::from, part.data(), part.geometry().wide, sizeof(T));
  for (auto piece = walk.next(INT64_MAX); !piece.empty(); piece = walk.next(INT64_MAX))
    for (const T& each : std::span(reinterpret_cast<const T*>(piece.data()), piece.size() / sizeof(T))) mine += std::norm(static_cast<Wide>(each) - mean);
  auto add = [](double left, double right) { return left + right; };
  const auto all = reduce_up(c, c.tree(0), mine, add);
  return Scalar::of(send_down(c, c.tree(0), all ? *all : 0.0));
}

template <class T>
Scalar reduced(Collective& c, const DistributedPart& part, reduction how) {
  using Result = decltype(sum_type<T>());
  using Wide = decltype(wide_type<T>());
  if (how == reduction::sum) {
    const auto all = Folding<Sum, Wide, T>::of_all(c, part);
    return Scalar::of(all.any ? static_cast<Result>(all.value) : Result{});
  }
  if (how == reduction::product) {
    const auto all = Folding<Product, Wide, T>::of_all(c, part);
    return Scalar::of(all.any ? static_cast<Result>(all.value) : Result{1});
  }
  if (how == reduction::any) return truth<Or, T>(c, part, false);
  if (how == reduction::all) return truth<And, T>(c, part, true);
  if (how == reduction::squares) return squares<T>(c, part);
  if constexpr (!is_complex_number<T>)
    return Scalar::of(how == reduction::min ? Folding<Least, T, T>::of_all(c, part).value : Folding<Greatest, T, T>::of_all(c, part).value);
  refuse_order_of_complex();
}

}  // namespace

std::string text_of(reduction how) {
  constexpr const char* names[] = {"sum", "product", "min", "max", "any", "all", "var"};
  return names[static_cast<std::size_t>(how)];
}

bool needs_elements(reduction how) { return how == reduction::min || how == reduction::max || how == reduction::squares; }

void refuse_order_of_complex() { throw not_supported("complex numbers have no least or greatest one", "Ask for that of a part of them"); }

Scalar reduce(Membership& in, const DistributedPart& part, reduction how) {
  const auto& facts = part.facts();
  if (needs_elements(how) && facts.shape.count() == 0)
    throw usage_error(text_of(how) + " of a " + facts.text() + ", which has no elements", "Ask for it of an array that has some");
  return in_collective(in, text_of(how) + " of " + facts.text(), spacing::together,
                       [&](Collective& c) { return with_type(facts.type, [&](auto zero) { return reduced<decltype(zero)>(c, part, how); }); });
}

}  // namespace octavo::detail
