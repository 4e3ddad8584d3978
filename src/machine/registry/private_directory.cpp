// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/private_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

Fd open_directory(const std::string& path) {
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) throw io_error_from(errno, "opening the directory '" + path + "'");
  return directory;
}

// With its parents; each new one is durable.
void make(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return sync_directory(path.parent_path());
  if (errno == ENOENT && path.has_relative_path() && path != path.parent_path()) {
    make(path.parent_path());
    if (::mkdir(path.c_str(), 0700) == 0) return sync_directory(path.parent_path());
  }
  if (errno != EEXIST) throw io_error_from(errno, "making the directory '" + path.string() + "'");
}

}  // namespace

std::string private_directory(const std::string& path) {
  if (path.empty()) throw usage_error("a directory without a name", "Name one");
  std::error_code failed;
  auto whole = fs::absolute(path, failed).lexically_normal();
  if (failed) throw io_error_from(failed.value(), "looking for the directory '" + path + "'");
  if (!whole.has_filename()) whole = whole.parent_path();  // "a/" is "a"
  make(whole);
  std::string result = whole.string();
  struct stat status {};
  if (::fstat(open_directory(result).get(), &status) != 0) throw io_error_from(errno, "reading the directory '" + result + "'");
  if (status.st_uid != ::geteuid())
    throw refused("the directory '" + result + "' belongs to user " + std::to_string(status.st_uid) + ", not to user " + std::to_string(::geteuid()),
                  "Name a directory of your own, or run as its owner");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
    throw refused("others can write to the directory '" + result + "' (mode " + mode.data() + "), and what lies there is run", "chmod 700 '" + result + "'");
  }
  return result;
}

void sync_directory(const std::string& path) {
  Fd directory = open_directory(path);
  if (::fsync(directory.get()) != 0 && errno != EINVAL) throw io_error_from(errno, "syncing the directory '" + path + "'");  // EINVAL: it has no such thing
}

void make_private_file(const std::string& path) {
  Fd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made && errno != EEXIST) throw io_error_from(errno, "making '" + path + "'");
}

// By its path: to close a database file ends the locks that SQLite has on it in this process.
void keep_private(const std::string& path) {
  struct stat status {};
  const bool is_open_to_others = ::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  if (is_open_to_others && ::chmod(path.c_str(), 0600) != 0 && errno != ENOENT) throw io_error_from(errno, "making '" + path + "' its owner's alone");
}

}  // namespace octavo
