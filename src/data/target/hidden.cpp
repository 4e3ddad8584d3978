// SPDX-License-Identifier: Apache-2.0
#include "data/target/hidden.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "data/format/pages/page_array.hpp"
#include "data/target/unfinished.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::string_view hidden_head = "unfinish";  // instead of "\x93NUMPY.." or "\x89HDF...."
constexpr std::array zarr_names{"/zarr.json", "/.zarray"};

void rename_to(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw io_error_from(errno, "renaming '" + from + "' to '" + to + "'");
}

std::string head_of(const Fd& file, const std::string& path) { return read_bytes(file, path, std::ssize(hidden_head)); }

// What was there.
std::string put_head(const std::string& path, std::string_view head) {
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) throw io_error_from(errno, "opening '" + path + "'");
  std::string before = head_of(file, path);
  write_bytes(file, path, head);
  sync_file(file, path);
  return before;
}

}  // namespace

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

void Hidden::hide(const std::string& place, target_kind kind) {
  if (kind == target_kind::zarr) {
    for (const char* name : zarr_names)
      if (is_there(place + name)) rename_to(place + name, place + name + unfinished_ending);
  } else if (kind == target_kind::pages) {
    rename_to(place + array_json, place + making_json);
  } else if (kind != target_kind::raw) {
    head_ = put_head(place, hidden_head);
  }
  hidden_ = true;
}

void Hidden::reveal(const std::string& place, target_kind kind) {
  if (!std::exchange(hidden_, false) || kind == target_kind::raw) return;
  if (kind == target_kind::zarr) {
    bool found = false;
    for (const char* name : zarr_names)
      if (is_there(place + name + unfinished_ending)) rename_to(place + name + unfinished_ending, place + name), found = true;
    if (!found) throw io_error("the metadata of '" + place + "' is gone: somebody removed it while this ran", "Run it again");
    sync_directory_of(place + zarr_names[0]);
  } else if (kind == target_kind::pages) {
    rename_to(place + making_json, place + array_json);
    sync_directory_of(place + array_json);
  } else if (put_head(place, head_) != hidden_head) {
    throw io_error("the beginning of '" + place + "' is not what this run wrote: somebody else has written to it", "Run it again");
  }
}

bool is_hidden(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) {
    for (const char* name : zarr_names)
      if (is_there(path + name)) return false;
    for (const char* name : zarr_names)
      if (is_there(path + name + unfinished_ending)) return true;
    return false;
  }
  if (!S_ISREG(status.st_mode)) return false;  // opening a pipe would wait for its other end
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file && head_of(file, path) == hidden_head;
}

}  // namespace octavo
