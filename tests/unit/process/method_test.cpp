// SPDX-License-Identifier: Apache-2.0
// The method table ("How it is made" of the design).
#include "octavo/process/detail/method.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/invoke.hpp"

namespace method_tests {

struct Base {
  int base_value = 4;
  int f(int n) { return n; }
  int g(int n) { return n; }
  template <class T>
  [[nodiscard]] int as(int n) const {
    return static_cast<int>(sizeof(T)) * n;
  }
};
struct Other {
  int other_value = 5;
};
struct Derived : Other, Base {};

namespace {

namespace detail = octavo::detail;

TEST(MethodTable, AKeyIsClassMethodAndDecayedArgumentTypes) {
  const auto* method = detail::MethodOf<&Base::f>::entry;
  EXPECT_EQ(method->key, "method_tests::Base::f(int)");
  EXPECT_EQ(detail::find_method(method->hash), method);
  EXPECT_EQ(detail::find_method(1), nullptr);
}

TEST(MethodTableDeathTest, TwoMethodsOfOneKeyAbortWithBothNamed) {
  auto clash = [] {
    detail::Method method;
    method.key = "method_tests::Base::f(int)";
    method.type = &typeid(Other);
    detail::register_method(std::move(method));
  };
  EXPECT_DEATH(clash(), "two methods have the key 'method_tests::Base::f\\(int\\)'.*Base.*Other");
}

TEST(MethodTableDeathTest, TwoOverloadsThatNoCallTellsApartAbortToo) {
  auto clash = [] {
    detail::Method method = *detail::MethodOf<&Base::f>::entry;
    method.identity = &typeid(detail::Identity<&Base::g>);
    detail::register_method(std::move(method));
  };
  EXPECT_DEATH(clash(), "two methods have the key 'method_tests::Base::f\\(int\\)'.*Base::f.*Base::g.*one of the methods");
}

TEST(MethodTable, AMethodTemplatesArgumentsAreInItsKey) {
  EXPECT_EQ(detail::MethodOf<&Base::as<int>>::entry->key, "method_tests::Base::as<int>(int) const");
  EXPECT_EQ((detail::MethodOf<&Base::as<std::pair<int, Other>>>::entry->key), "method_tests::Base::as<std::pair<int, method_tests::Other> >(int) const");
}

TEST(MethodTable, NamesOfTypesAreWhole) {
  EXPECT_EQ(detail::type_name<std::unique_ptr<double[]>>(), "std::unique_ptr<double []>");
  EXPECT_EQ(detail::type_name<int[3]>(), "int [3]");
  EXPECT_EQ(detail::method_name<&Base::f>(), "f");
}

TEST(MethodTable, C9_AnObjectIsSeenAsItsBase) {
  detail::register_base_of<Derived, Base>();
  detail::HostedAs<Derived> hosted;
  auto* base = static_cast<Base*>(detail::view_as(hosted, typeid(Base), "Base"));
  EXPECT_EQ(base->base_value, 4) << "through the right offset";
  EXPECT_THROW(detail::view_as(hosted, typeid(int), "int"), octavo::usage_error);
}

}  // namespace
}  // namespace method_tests
