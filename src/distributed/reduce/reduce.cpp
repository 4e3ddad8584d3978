// SPDX-License-Identifier: Apache-2.0
#include "distributed/collectives.hpp"
#include "distributed/reduce/reductions.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

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
  if constexpr (!is_complex_number<T>)
    return Scalar::of(how == reduction::min ? Folding<Least, T, T>::of_all(c, part).value : Folding<Greatest, T, T>::of_all(c, part).value);
  refuse_order_of_complex();
}

}  // namespace

std::string text_of(reduction how) {
  constexpr const char* names[] = {"sum", "product", "min", "max"};
  return names[static_cast<std::size_t>(how)];
}

void refuse_order_of_complex() { throw not_supported("complex numbers have no least or greatest one", "Ask for that of a part of them"); }

Scalar reduce(Membership& in, const DistributedPart& part, reduction how) {
  const auto& facts = part.facts();
  if ((how == reduction::min || how == reduction::max) && facts.shape.count() == 0)
    throw usage_error(text_of(how) + " of a " + facts.text() + ", which has no elements", "Ask for it of an array that has some");
  return in_collective(in, text_of(how) + " of " + facts.text(), spacing::together,
                       [&](Collective& c) { return with_type(facts.type, [&](auto zero) { return reduced<decltype(zero)>(c, part, how); }); });
}

}  // namespace octavo::detail
