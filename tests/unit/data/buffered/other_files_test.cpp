// SPDX-License-Identifier: Apache-2.0
// What says by its bytes that it is HDF5, netCDF or a zip file is not read as raw elements, however it is called and though its length is right.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "octavo/base/error.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

using namespace std::string_literals;
using test::Scratch;
using test::text_of;

const std::string hdf5 = "\x89HDF\r\n\x1a\n"s;
const std::string zip_end = "PK\x05\x06"s + std::string(18, '\0');

std::string zip_of(const std::string& name) {
  std::string head = "PK\x03\x04"s + std::string(26, '\0') + name;
  head[26] = static_cast<char>(name.size());
  return head + "what is in it"s + zip_end;
}

class OtherFiles : public testing::Test {
 protected:
  // As raw elements of its length, by whatever opens one.
  template <class Error>
  void expect_refused(const std::string& bytes, const std::string& what) {
    const std::string path = scratch / "u.dat";
    const auto length = static_cast<std::int64_t>(bytes.size());
    test::put_file(path, bytes);
    EXPECT_TEXT(text_of<Error>([&] { open_storage(path, RawLayout{{length}, dtype::uint8}); }), what);
    for (const char* mode : {"r", "r+"}) EXPECT_TEXT(text_of<Error>([&] { (BufferedArray<std::uint8_t, 1>(path, {length}, {.mode = mode})); }), what);
  }
  Scratch scratch;
};

TEST_F(OtherFiles, Hdf5IsKnownByItsSignatureAlsoBehindAUserBlock) {
  for (const std::size_t before : {0, 512, 1024, 2048, 1 << 21})
    expect_refused<not_supported>(std::string(before, '\0') + hdf5 + std::string(100, 'x'), "u.dat' is an HDF5 file: HDF5 is opened from Python only");
  for (const std::size_t before : {8, 511, 1536}) {
    const std::string bytes = std::string(before, '\0') + hdf5;
    test::put_file(scratch / "u.raw", bytes);
    EXPECT_EQ(open_storage(scratch / "u.raw", RawLayout{{std::ssize(bytes)}, dtype::uint8}).format, storage_format::raw);
  }
}

TEST_F(OtherFiles, WithoutAShapeHdf5IsRefusedWithTheSameCureAndSoIsWhatLiesInIt) {
  test::put_file(scratch / "u.h5", hdf5 + std::string(100, 'x'));
  const std::string cure = "octavo.buffered";
  EXPECT_TEXT(text_of<not_supported>([&] { (BufferedArray<float, 1>(scratch / "u.h5")); }), cure);
  EXPECT_TEXT(text_of<not_supported>([&] { (BufferedArray<float, 1>(scratch / "u.h5/group/data")); }), "group/data' is in an HDF5 file");
  EXPECT_TEXT(text_of<not_supported>([&] { (BufferedArray<float, 1>(scratch / "u.h5/data", {10})); }), cure);
}

TEST_F(OtherFiles, NetcdfOfTheClassicFormatHdf4AndZipFiles) {
  for (const char* version : {"\x01", "\x02"}) expect_refused<not_supported>("CDF"s + version + "\0\0\0\0\0\0\0\x0a"s + std::string(52, 'x'), "nccopy -k nc4");
  expect_refused<not_supported>("CDF\x05\0\0\0\0\0\0\0\0\0\0\0\x0a"s + std::string(50, 'x'), "netCDF's classic format");
  expect_refused<not_supported>("\x0e\x03\x13\x01\0\x10\0\0\0\0"s + std::string(50, 'x'), "HDF4");
  expect_refused<not_supported>(zip_of("x.npy"), "is an .npz archive");
  expect_refused<not_supported>(zip_of("zarr.json"), "is a zip file");
}

TEST_F(OtherFiles, ElementsThatBeginLikeOneAreRaw) {
  for (const std::string& bytes : {"CDF\x01"s + std::string(60, 'x'), "PK\x03\x04"s + std::string(60, 'x'), "\x0e\x03\x13\x01"s + std::string(60, '\xff')}) {
    test::put_file(scratch / "u.raw", bytes);
    BufferedArray<std::uint8_t, 1> u(scratch / "u.raw", {std::ssize(bytes)});
    EXPECT_EQ(static_cast<char>(u.at(0)), bytes[0]);
  }
}

TEST_F(OtherFiles, WhoNamesAnotherPlaceInItReadsWhatLiesThere) {
  test::put_file(scratch / "u.h5", hdf5 + "12345678"s);
  const BufferedArray<std::uint8_t, 1> u(scratch / "u.h5", {8}, {.offset = 8});
  EXPECT_EQ(u[7], '8');
}

TEST_F(OtherFiles, NpyUnderAnyNameIsItsElementsAndAsRawIsRefused) {
  { BufferedArray<std::int32_t, 1>(scratch / "u.npy", {100}, {.mode = "w"})[3] = 7; }
  std::filesystem::rename(scratch / "u.npy", scratch / "u.dat");
  const BufferedArray<std::int32_t, 1> u(scratch / "u.dat", {100});
  EXPECT_EQ(u[3], 7);
  const auto length = static_cast<std::int64_t>(std::filesystem::file_size(scratch / "u.dat"));
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage(scratch / "u.dat", RawLayout{{length}, dtype::uint8}); }), "is an .npy file, and no raw one");
}

TEST_F(OtherFiles, ARawFileOfAnotherLengthIsRefused) {
  test::put_file(scratch / "u.raw", std::string(400, '\0'));
  for (const std::int64_t count : {99, 101}) {
    EXPECT_TEXT(text_of<usage_error>([&] { (BufferedArray<float, 1>(scratch / "u.raw", {count})); }), "u.raw' has 400 bytes");
    EXPECT_TEXT(text_of<usage_error>([&] { (BufferedArray<float, 1>(scratch / "u.raw", {count}, {.mode = "r+"})); }), "Correct the shape or the dtype");
  }
}

}  // namespace
}  // namespace octavo
