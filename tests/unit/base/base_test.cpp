// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {
namespace {

TEST(Bytes, ParsesWhatPeopleWrite) {
  EXPECT_EQ(parse_bytes("64"), 64);
  EXPECT_EQ(parse_bytes("512MiB"), 512 * MiB);
  EXPECT_EQ(parse_bytes("1.5G"), 3 * GiB / 2);
  EXPECT_EQ(parse_bytes("2GB"), 2000000000);
  EXPECT_EQ(parse_bytes("3 KiB"), 3 * KiB);
  EXPECT_EQ(parse_bytes("64mb"), 64000000);
  EXPECT_EQ(parse_bytes(" 64 MB "), 64000000);
  EXPECT_EQ(parse_bytes("64mib"), 64 * MiB);
  EXPECT_EQ(parse_bytes("2g"), 2 * GiB);
  EXPECT_EQ(parse_bytes("100 b"), 100);
  for (const char* text : {"", " ", "MiB", "-1", "1XB", "1MiBs", "1 0MB", "1M iB", "nan", "inf", "1e30"}) EXPECT_THROW(parse_bytes(text), usage_error) << text;
}

TEST(Bytes, FormatsInBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(512 * MiB), "512 MiB");
  EXPECT_EQ(format_bytes(5 * GiB / 4), "1.25 GiB");
}

TEST(Errors, C11_CarryKindContextAndCure) {
  io_error e("short read, 4096 of 65536", "Check the disk");
  e.add_context("reading page 17");
  e.add_context("array 'a'");
  EXPECT_STREQ(e.what(), "array 'a': reading page 17: short read, 4096 of 65536. Check the disk");
  EXPECT_EQ(e.kind(), error_kind::io);
  EXPECT_EQ(e.cure(), "Check the disk");
}

TEST(Errors, C11_ContextIsAddedOnTheWayUp) {
  try {
    in_context([] { return "opening 'x'"; }, []() -> int { throw usage_error("no such axis"); });
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "opening 'x': no such axis");
  }
  EXPECT_EQ(in_context([]() -> std::string { throw 1; }, [] { return 5; }), 5) << "the context is made only when needed";
}

TEST(Errors, FromErrnoNameTheCure) {
  auto e = io_error_from(ENOSPC, "writing '/d/x'");
  EXPECT_NE(std::string(e.what()).find("writing '/d/x': No space left on device (ENOSPC). Free space"), std::string::npos) << e.what();
}

}  // namespace
}  // namespace octavo
