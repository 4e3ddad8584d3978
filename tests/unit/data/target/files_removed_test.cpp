// SPDX-License-Identifier: Apache-2.0
// One thread makes files in new directories while another removes these: each error of the first says so.
#include <gtest/gtest.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include "data/io/files/files.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

TEST(FilesRemoved, WhileTheyAreMade) {
  test::Scratch scratch;
  auto root = std::filesystem::path(scratch.path()) / "a.zarr";
  std::filesystem::create_directory(root);
  std::jthread remover([&](const std::stop_token& stop) {
    std::error_code ignored;
    while (!stop.stop_requested()) std::filesystem::remove_all(root / "c", ignored);
  });
  Files files(8, false);
  int failed = 0;
  for (int i = 0; i < 100'000 && failed < 20; ++i) {
    try {
      files.for_writing(root / "c/0/4" / std::to_string(i % 4), 64, {}, root.string().size());
    } catch (const io_error& error) {
      ++failed;
      ASSERT_NE(std::string(error.what()).find("was removed while it was in use"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace octavo
