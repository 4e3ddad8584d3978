// SPDX-License-Identifier: Apache-2.0
// A method that the callee's program does not know: the error names it, and both builds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/process/every_place.hpp"
#include "octavo/process/detail/method.hpp"

namespace process_tests {
namespace {

class UnknownMethod : public EveryPlace {
 protected:
  // Known here only: the processes have the table that their program began with, as those of another build have theirs.
  const ov::detail::Method& late(const std::string& key) {
    ov::detail::Method method;
    method.key = key;
    method.type = &typeid(Counter);
    method.class_name = "Counter";
    return *ov::detail::register_method(std::move(method));
  }
  static void call(const ov::Address& to, const ov::detail::Method& method) {
    auto state = std::make_shared<ov::detail::State<void>>();
    ov::wire::Outgoing out;
    ov::detail::begin_call(state, to, ov::wire::frame_kind::call, method, out);
    ov::detail::finish_call(*state);
  }
};

TEST_P(UnknownMethod, IsNamedWithBothBuilds) {
  auto p = here.make<Counter>(1);
  auto build = "build " + std::to_string(ov::detail::build_id());
  try {
    call(p.address(), late("process_tests::Counter::reset(int)"));
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("conformance_tests' (" + build + ") has no process_tests::Counter::reset(int), which a program of " + build + " called"));
    EXPECT_THAT(e.what(), HasSubstr("OCTAVO_REMOTE"));
    ASSERT_NE(ov::origin(e), nullptr);
    EXPECT_EQ(ov::origin(e)->process.address, p.address());
  }
  EXPECT_EQ(p->value(), 1) << "the process lives on";
}

TEST_P(UnknownMethod, HasItsNumberWhereNobodyKnowsIt) {
  auto p = here.make<Counter>(1);
  ov::detail::Method nobodys;
  nobodys.hash = 1234;
  try {
    call(p.address(), nobodys);
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("has no method with the key 1234, which"));
  }
}

INSTANTIATE_TEST_SUITE_P(, UnknownMethod, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
