// SPDX-License-Identifier: Apache-2.0
// The method table ("How it is made" of the design).
#include "octavo/process/detail/method.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/invoke.hpp"

namespace method_tests {

struct Base {
  int base_value = 4;
  int f(int n) { return n; }
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

TEST(MethodTable, C9_AnObjectIsSeenAsItsBase) {
  detail::register_base_of<Derived, Base>();
  detail::HostedAs<Derived> hosted;
  auto* base = static_cast<Base*>(detail::view_as(hosted, typeid(Base), "Base"));
  EXPECT_EQ(base->base_value, 4) << "through the right offset";
  EXPECT_THROW(detail::view_as(hosted, typeid(int), "int"), octavo::usage_error);
}

}  // namespace
}  // namespace method_tests
