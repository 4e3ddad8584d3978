// SPDX-License-Identifier: Apache-2.0
#include "data/format/pages/page_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <set>

#include "data/codec/crc32c.hpp"
#include "data/text/text_file.hpp"
#include "octavo/data/page_device.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using test::Scratch;
using test::text_of;

PageFileHeader good() { return {"00112233445566778899aabbccddeeff", 3, 5, dtype::complex64, byte_order::big, {8, 1, 6}, 12}; }
std::string good_bytes() { return page_file_header_text(good()); }

// With the checksum of what it now says: as a program that is not ours might write it.
std::string signed_again(std::string bytes) {
  auto crc = crc32c(std::string_view(bytes).substr(0, 4092));
  for (std::size_t i = 0; i < 4; ++i) bytes[4092 + i] = static_cast<char>(crc >> (8 * i) & 0xFF);
  return bytes;
}
std::string with(std::size_t at, const std::string& what) { return signed_again(good_bytes().replace(at, what.size(), what)); }
std::string number(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), 8}; }
PageFileHeader parsed(const std::string& bytes) { return parse_page_file_header(bytes, "/d0/a.pages"); }

TEST(Crc32c, AsTheStandardHasIt) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);  // RFC 3720, B.4 has the next two
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(PageFileHeader, SaysWhatItWasTold) {
  std::string bytes = good_bytes();
  ASSERT_EQ(bytes.size(), 4096u);
  EXPECT_TRUE(parsed(bytes) == good());
  EXPECT_TRUE(parsed(bytes + "pages") == good());
  EXPECT_EQ(good().file_bytes(), 4096 + 12 * 48 * 8);
  EXPECT_EQ(good().text(), "12 pages of 8 x 1 x 6 complex64");
}

TEST(PageFileHeader, EveryTypeAndNumberOfDimensions) {
  for (int type = 0; type < dtype_count; ++type)
    for (int dims = 0; dims <= max_dims; ++dims) {
      PageFileHeader header = good();
      header.type = static_cast<dtype>(type);
      header.page = Shape::filled(dims, 2);
      header.pages = dims == 0 ? 1 : 7;
      EXPECT_TRUE(parsed(page_file_header_text(header)) == header) << type << " " << dims;
    }
}

TEST(PageFileHeader, WhatIsNoPageFile) {
  for (const char* bytes : {"", "\x8f", "\x8fOctavo", "\x93NUMPY\x01\x00 ..."}) {
    auto text = text_of<usage_error>([&] { parsed(bytes); });
    EXPECT_TEXT(text, "'/d0/a.pages' is no page file");
  }
}

TEST(PageFileHeader, CutOffLaterOrDamaged) {
  EXPECT_TEXT(text_of<io_error>([] { parsed(good_bytes().substr(0, 4095)); }), "'/d0/a.pages' is cut off: 4095 bytes");
  EXPECT_TEXT(text_of<io_error>([] { parsed(good_bytes().substr(0, 8)); }), "cut off");
  EXPECT_TEXT(text_of<not_supported>([] { parsed(with(8, "\x02")); }), "has format version 2; this Octavo reads version 1");
  EXPECT_TEXT(text_of<not_supported>([] { parsed(with(2000, "x")); }), "more in its header than this version knows");
  EXPECT_TEXT(text_of<not_supported>([] { parsed(with(72 + 3 * 8, "x")); }), "more in its header");
  for (std::size_t at : {16, 32, 64, 80, 3000, 4091, 4095}) {
    std::string bytes = good_bytes();
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    EXPECT_TEXT(text_of<io_error>([&] { parsed(bytes); }), "its checksum is wrong. Take it from a copy");
  }
}

TEST(PageFileHeader, ValuesThatCannotBe) {
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(32, "\x05")); }), "it is device 5 of 5");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(32, std::string("\0\x04", 2))); }), "its device is 1024, not from 0 to 1023");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(36, std::string(4, '\0'))); }), "its number of devices is 0, not from 1 to 1024");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(36, "\xff\xff\xff\xff")); }), "number of devices is 4294967295");
  EXPECT_TEXT(text_of<not_supported>([] { parsed(with(40, "complex65")); }), "dtype 'complex65' is not supported");
  EXPECT_TEXT(text_of<not_supported>([] { parsed(with(40, "0123456789abcdef")); }), "dtype '0123456789abcdef'");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(40, "float\xff")); }), "dtype is no text");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(56, "=")); }), "byte order is 61");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(57, "\x09")); }), "number of dimensions is 9, not from 0 to 8");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(57, std::string(1, '\0'))); }), "12 pages without a dimension");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(64, number(0))); }), "number of pages is 0");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(64, number(~0ULL))); }), "number of pages is 18446744073709551615");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(80, number(0))); }), "extent of a page is 0");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(80, number(1ULL << 63))); }), "extent of a page is 9223372036854775808");
}

TEST(PageFileHeader, ProductsThatLeave63Bits) {
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(64, number(1ULL << 61))); }), "more than 2^62 bytes");                       // pages * page[0]
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(80, number(1ULL << 62))); }), "more than 2^62 bytes");                       // the page itself
  EXPECT_TEXT(text_of<usage_error>([] { parsed(with(80, number(1ULL << 31) + number(1ULL << 31))); }), "more than 2^62 bytes");  // only all together
}

TEST(PageFileHeader, NothingButAnErrorComesOfNoise) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good_bytes();
    for (int i = 0; i < 4; ++i) bytes[random() % 136] = static_cast<char>(random());
    bytes = signed_again(bytes);
    try {
      EXPECT_EQ(page_file_header_text(parsed(bytes)), bytes) << "what is read is written the same";
    } catch (const error& e) {
      EXPECT_TEXT(std::string(e.what()), "/d0/a.pages");
    }
  }
}

TEST(PageFileHeader, IdsAreOnesOwn) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(is_array_id(*ids.insert(random_hex(16)).first));
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_FALSE(is_array_id("00112233445566778899aabbccddeef"));
  EXPECT_FALSE(is_array_id("00112233445566778899AABBCCDDEEFF"));
  EXPECT_THROW(page_file_header_text(PageFileHeader{}), usage_error);
}

TEST(PageFile, IsOpenedByItsHeaderWhateverItsEnding) {
  Scratch scratch;
  for (const char* name : {"a", "a.pages", "a.npy", "a.raw"}) {
    auto made = create_storage(storage_format::page_file, scratch / name, {5, 7}, {2, 4}, dtype::int16, {.order = byte_order::big});
    auto opened = open_storage(scratch / name);
    EXPECT_EQ(opened.format, storage_format::page_file);
    EXPECT_EQ(opened.shape, (Shape{6 * 2, 4})) << "its six pages one below the other";
    EXPECT_EQ(opened.chunk, (Shape{2, 4}));
    EXPECT_EQ(opened.type, dtype::int16);
    EXPECT_EQ(opened.order, byte_order::big);
    EXPECT_EQ(opened.offset, 4096);
    EXPECT_EQ(block_of(opened, {5, 0}).offset, block_of(made, {2, 1}).offset);
    EXPECT_EQ(block_of(opened, {5, 0}).file_bytes, block_of(made, {2, 1}).file_bytes);
    EXPECT_EQ(fs::file_size(scratch / name), 4096u + 6 * 16);
  }
}

TEST(PageFile, WithoutADimension) {
  Scratch scratch;
  create_storage(storage_format::page_file, scratch / "a", {}, {}, dtype::float64);
  EXPECT_EQ(open_storage(scratch / "a").shape, Shape{});
  EXPECT_TEXT(text_of<usage_error>([&] { PageFile(scratch / "a", 2, Shape{}, dtype::float64); }), "2 pages without a dimension");
}

TEST(PageFile, ThatIsShorterThanItSays) {
  Scratch scratch;
  create_storage(storage_format::page_file, scratch / "a", {64}, {8}, dtype::float64);
  fs::resize_file(scratch / "a", 4096 + 511);
  EXPECT_TEXT(text_of<io_error>([&] { open_storage(scratch / "a"); }), "a' is cut off: it has 4607 bytes, and 8 pages of 8 float64 take 4608");
  fs::resize_file(scratch / "a", 100);
  EXPECT_TEXT(text_of<io_error>([&] { open_storage(scratch / "a"); }), "100 bytes of a header of 4096");
}

TEST(PageFile, OpensAnExistingOneAndNoOther) {
  Scratch scratch;
  std::string path = scratch / "a";
  {
    PageFile made(path, 4, {2, 3}, dtype::float32);
    EXPECT_EQ(made.facts().pages, 4);
  }
  EXPECT_EQ(PageFile(path, 4, {2, 3}, dtype::float32).facts().pages, 4);
  EXPECT_EQ(fs::file_size(path), 4096u + 96) << "it was not made again";
  std::string has = "'" + path + "' has 4 pages of 2 x 3 float32; asked for were ";
  EXPECT_TEXT(text_of<usage_error>([&] { PageFile(path, 3, {2, 3}, dtype::float32); }), has + "3 pages of 2 x 3 float32");
  EXPECT_TEXT(text_of<usage_error>([&] { PageFile(path, 4, {3, 2}, dtype::float32); }), has + "4 pages of 3 x 2 float32");
  EXPECT_TEXT(text_of<usage_error>([&] { PageFile(path, 4, {2, 3}, dtype::int32); }), has + "4 pages of 2 x 3 int32");
  EXPECT_TEXT(text_of<usage_error>([&] { PageFile(path, 4, {6}, dtype::float32); }), has + "4 pages of 6 float32");
  EXPECT_THROW(PageFile(path, 0, {2, 3}, dtype::float32), usage_error);
  EXPECT_THROW(PageFile(path, std::int64_t{1} << 62, {2, 3}, dtype::float32), usage_error);
}

TEST(PageFile, DoesNotTakeAFileThatIsNone) {
  Scratch scratch;
  test::put_file(scratch / "photo.jpg", std::string(10000, 'x'));
  EXPECT_TEXT(text_of<usage_error>([&] { PageFile(scratch / "photo.jpg", 4, {2}, dtype::float32); }), "photo.jpg' is no page file");
  EXPECT_EQ(test::get_file(scratch / "photo.jpg"), std::string(10000, 'x'));
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(is_page_file(scratch / "pipe")) << "and does not wait for a writer";
  EXPECT_TEXT(text_of<usage_error>([&] { read_page_file_header(scratch / "pipe"); }), "not a regular file");
  EXPECT_FALSE(is_page_file(scratch / "missing"));
  EXPECT_TEXT(text_of<io_error>([&] { read_page_file_header(scratch / "missing"); }), "ENOENT");
}

TEST(PageFile, FullDiskLeavesNothingBehind) {
  test::Mounted small("tmpfs", "size=1m");
  if (!small.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << small.why();
  auto text = text_of<io_error>([&] { create_storage(storage_format::page_file, small / "a", {1 << 20}, {1 << 10}, dtype::float64); });
  EXPECT_TEXT(text, "ENOSPC");
  EXPECT_FALSE(fs::exists(small / "a"));
}

}  // namespace
}  // namespace octavo
