// SPDX-License-Identifier: Apache-2.0
#include "distributed/collectives.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

template <class T>
inline constexpr bool is_complex_number = std::is_class_v<T>;

// The type of a sum: integers have 64 bits, others stay what they are, but are added up in double.
template <class T>
auto sum_type() {
  if constexpr (std::is_integral_v<T>) return std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>{};
  else return T{};
}
template <class T>
auto wide_type() {
  if constexpr (std::is_same_v<T, float>) return double{};
  else if constexpr (std::is_same_v<T, std::complex<float>>) return std::complex<double>{};
  else return sum_type<T>();
}

template <class T>
bool is_nan(const T& value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  else return false;
}

struct Sum {
  template <class A>
  static A of(A a, A b) {
    return wrapped<A>(a, b, [](auto x, auto y) { return x + y; });
  }
  template <class A, class Op>
  static A wrapped(A a, A b, Op op) {  // integers wrap around, as NumPy's do
    if constexpr (std::is_integral_v<A>) return static_cast<A>(op(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    else return op(a, b);
  }
};
struct Product {
  template <class A>
  static A of(A a, A b) {
    return Sum::wrapped<A>(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct Least {
  template <class A>
  static A of(A a, A b) {
    return a < b || is_nan(a) ? a : b;
  }
};
struct Greatest {
  template <class A>
  static A of(A a, A b) {
    return a > b || is_nan(a) ? a : b;
  }
};

// Several at a time: one addition does not wait for the one before it.
template <class Op, class A, class T>
A fold(A into, const T* first, std::size_t count) {
  constexpr std::size_t lanes = 8;
  if (count < 2 * lanes) {
    for (std::size_t i = 0; i < count; ++i) into = Op::of(into, static_cast<A>(first[i]));
    return into;
  }
  std::array<A, lanes> all;
  for (std::size_t lane = 0; lane < lanes; ++lane) all[lane] = static_cast<A>(first[lane]);
  std::size_t i = lanes;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) all[lane] = Op::of(all[lane], static_cast<A>(first[i + lane]));
  for (const auto& each : all) into = Op::of(into, each);
  for (; i < count; ++i) into = Op::of(into, static_cast<A>(first[i]));
  return into;
}

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
  throw not_supported("complex numbers have no least or greatest one", "Ask for that of a part of them");
}

std::string text_of(reduction how) {
  constexpr const char* names[] = {"sum", "product", "min", "max"};
  return names[static_cast<std::size_t>(how)];
}

}  // namespace

Scalar reduce(Membership& in, const DistributedPart& part, reduction how) {
  const auto& facts = part.facts();
  if ((how == reduction::min || how == reduction::max) && facts.shape.count() == 0)
    throw usage_error(text_of(how) + " of a " + facts.text() + ", which has no elements", "Ask for it of an array that has some");
  return in_collective(in, text_of(how) + " of " + facts.text(), spacing::together,
                       [&](Collective& c) { return with_type(facts.type, [&](auto zero) { return reduced<decltype(zero)>(c, part, how); }); });
}

}  // namespace octavo::detail
