// SPDX-License-Identifier: Apache-2.0
// A file whose directory is gone again as soon as it is made: here its name leads nowhere, which looks the same to who makes it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/io/files/files.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

std::string why_not(const std::string& directory) {
  test::Scratch scratch;
  const std::filesystem::path root = std::filesystem::path(scratch.path()) / "a.zarr";
  std::filesystem::create_directories((root / directory).parent_path());
  std::filesystem::create_directory_symlink(scratch.path() + "/removed", root / directory);
  Files files(8, false);
  try {
    files.for_writing(root / "c/0/4", 64, {}, root.string().size());
  } catch (const io_error& error) {
    return error.what();
  }
  return "it was made";
}

TEST(FilesRemoved, ItsDirectory) {
  EXPECT_NE(why_not("c/0").find("c/0/4' is not there any more: it was removed while it was in use"), std::string::npos) << why_not("c/0");
}
TEST(FilesRemoved, TheOneAbove) {
  EXPECT_NE(why_not("c").find("c/0' is not there any more: it was removed while it was in use"), std::string::npos) << why_not("c");
}

}  // namespace
}  // namespace octavo
