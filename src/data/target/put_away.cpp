// SPDX-License-Identifier: Apache-2.0
#include "data/target/put_away.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "data/target/unfinished.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::string_view head_put_away = "unfinish";  // instead of "\x93NUMPY.." or "\x89HDF...."

void rename_to(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw io_error_from(errno, "renaming '" + from + "' to '" + to + "'");
}

std::string head_of(const Fd& file, const std::string& path) { return read_bytes(file, path, std::ssize(head_put_away)); }

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

std::string put_away_head(const std::string& path) { return put_head(path, head_put_away); }

void put_back_head(const std::string& path, std::string_view head) {
  if (put_head(path, head) != head_put_away)
    throw io_error("the beginning of '" + path + "' is not what this run wrote: somebody else has written to it", "Run it again");
}

bool has_head_put_away(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;  // opening a pipe would wait for its other end
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file && head_of(file, path) == head_put_away;
}

bool may_have_head(const std::string& path, std::string_view head) {
  std::string start = read_bytes(open_to_read(path), path, std::ssize(head));
  return start.empty() || start == head || has_head_put_away(path);
}

void put_away_names(const std::string& place, std::span<const char* const> names) {
  for (const char* name : names)
    if (is_there(place + name)) rename_to(place + name, place + name + unfinished_ending);
}

void put_back_names(const std::string& place, std::span<const char* const> names) {
  bool found = false;
  for (const char* name : names)
    if (is_there(place + name + unfinished_ending)) rename_to(place + name + unfinished_ending, place + name), found = true;
  if (!found) throw io_error("the metadata of '" + place + "' is gone: somebody removed it while this ran", "Run it again");
  sync_directory_of(place + names.front());
}

bool has_names_put_away(const std::string& path, std::span<const char* const> names) {
  return std::ranges::none_of(names, [&](const char* name) { return is_there(path + name); }) &&
         std::ranges::any_of(names, [&](const char* name) { return is_there(path + name + unfinished_ending); });
}

bool is_name_or_put_away(std::string_view name, std::string_view known) { return name == known || name == std::string(known) + unfinished_ending; }

}  // namespace octavo
