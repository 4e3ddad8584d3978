// SPDX-License-Identifier: Apache-2.0
// Functions are named by file, build and offset; what cannot be meant is refused.
#include "octavo/process/detail/code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace {

using octavo::detail::code_at;
using octavo::detail::code_of;
using testing::HasSubstr;

int twice(int n) { return 2 * n; }
const void* address_of(int (*f)(int)) { return reinterpret_cast<const void*>(f); }

std::string refusal(const octavo::detail::Code& code) {
  try {
    (void)code_at(code);
  } catch (const octavo::usage_error& e) {
    return e.what();
  }
  return "found";
}

TEST(Code, AFunctionIsFoundByItsName) {
  auto code = code_of(address_of(&twice));
  EXPECT_EQ(code.file, "unit_tests");
  EXPECT_NE(code.build, 0u);
  EXPECT_EQ(code_at(code), address_of(&twice));
  auto in_library = code_of(reinterpret_cast<const void*>(&octavo::format_bytes));
  EXPECT_EQ(code_at(in_library), reinterpret_cast<const void*>(&octavo::format_bytes));
}

TEST(Code, AnotherBuildIsNamed) {
  auto code = code_of(address_of(&twice));
  code.build ^= 0xff;
  EXPECT_THAT(refusal(code), HasSubstr("of 'unit_tests' (build "));
  EXPECT_THAT(refusal(code), HasSubstr("which has build "));
}

TEST(Code, AFileThatIsNotLoadedIsNamed) {
  auto code = code_of(address_of(&twice));
  code.file = "libelsewhere.so";
  EXPECT_THAT(refusal(code), HasSubstr("'libelsewhere.so'"));
  EXPECT_THAT(refusal(code), HasSubstr("a process of 'unit_tests', which has not loaded that file"));
}

// Whoever loads a library, and before glibc 2.35 whoever throws, takes that lock.
TEST(Code, ARefusalGivesTheLoadersLockBack) {
  auto code = code_of(address_of(&twice));
  code.offset = 0;
  EXPECT_THAT(refusal(code), HasSubstr("where there is no code"));
  std::atomic<bool> looked = false;
  std::thread other([&] {
    ::dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 1; }, nullptr);
    looked = true;
  });
  for (int i = 0; i < 1000 && !looked; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(looked);
  if (looked) other.join();
  else other.detach();
}

TEST(Code, WhatIsNoCodeIsRefused) {
  auto code = code_of(address_of(&twice));
  for (std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1} << 40, UINT64_MAX}) {
    code.offset = offset;
    EXPECT_THAT(refusal(code), HasSubstr("where there is no code")) << offset;
  }
  static int data = 0;
  EXPECT_THROW((void)code_of(&data), octavo::usage_error);
  EXPECT_THROW((void)code_of(nullptr), octavo::usage_error);
}

}  // namespace
