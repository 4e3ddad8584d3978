// SPDX-License-Identifier: Apache-2.0
// A directory for one test, removed afterwards; and a Disk used as if it were synchronous.
#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "data/io/disk.hpp"
#include "octavo/base/error.hpp"

namespace octavo::test {

class Scratch {
 public:
  explicit Scratch(std::filesystem::path parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "octavo-data-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw io_error_from(errno, "making '" + name + "'");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A small file system of its own, for those who may mount (root).
class Mounted {
 public:
  Mounted(const char* kind, const char* options) : error_(::mount("none", scratch_.path().c_str(), kind, 0, options) == 0 ? 0 : errno) {}
  ~Mounted() {
    if (mounted()) ::umount2(scratch_.path().c_str(), MNT_DETACH);
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  [[nodiscard]] bool mounted() const { return error_ == 0; }
  [[nodiscard]] const char* why() const { return std::strerror(error_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return scratch_ / name; }

 private:
  Scratch scratch_;
  int error_;
};

inline void put_file(const std::string& path, const std::string& content) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
}
inline std::string get_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// done() for one request, and the wait for it.
class Outcome {
 public:
  Done done() {
    return [this](std::exception_ptr error) { error ? promise_.set_exception(error) : promise_.set_value(); };
  }
  void get() { promise_.get_future().get(); }

 private:
  std::promise<void> promise_;
};

inline void read_now(BlockDisk& disk, const StoredBlock& block, const Box& part, dtype as, const Tile& tile, std::span<const std::byte> fill = {}) {
  Outcome outcome;
  disk.read(block, part, as, tile, fill, outcome.done());
  outcome.get();
}
inline void write_now(BlockDisk& disk, const StoredBlock& block, const Box& part, dtype from, const ConstTile& tile) {
  Outcome outcome;
  disk.write(block, part, from, tile, outcome.done());
  outcome.get();
}

// The text of the `Error` that `work` throws; fails the test if it throws none.
template <class Error, class Work>
std::string text_of(Work&& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}

#define EXPECT_TEXT(text, part) EXPECT_NE((text).find(part), std::string::npos) << "'" << (part) << "' is not in: " << (text)

}  // namespace octavo::test
