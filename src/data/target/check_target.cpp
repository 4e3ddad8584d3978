// SPDX-License-Identifier: Apache-2.0
// What may be replaced, and what may be opened.
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "data/format/table/format.hpp"
#include "data/target/hidden.hpp"
#include "data/target/unfinished.hpp"
#include "octavo/data/new_target.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

constexpr const char* left_by_finder = ".DS_Store";

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Something in the array's directory that no array has there; empty if there is none.
std::string foreign_entry(const std::string& path, const Format& format) {
  for (const auto& each : fs::directory_iterator(path)) {
    std::string name = each.path().filename().string();
    if (!format.has_part(name) && name != left_by_finder) return name;
  }
  return {};
}

bool may_be_replaced(const std::string& path, mode_t mode, const Format& format) {
  if (S_ISLNK(mode)) return true;  // only the link is
  const bool directory = format.is_directory();
  if (directory ? !S_ISDIR(mode) : !S_ISREG(mode)) return false;
  return (directory && fs::is_empty(path)) || format.may_replace(path);
}

}  // namespace

void check_target(const std::string& path, storage_format format, bool overwrite) {
  const Format& wanted = Format::of(format);
  if (wanted.made_as().empty()) throw usage_error("the target '" + path + "' as a " + std::string(wanted.name()), "Choose zarr, octavo, npy, hdf5 or raw");
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw io_error_from(errno, "looking at the target '" + path + "'");
  }
  if (!overwrite) throw usage_error("the target '" + path + "' exists", "Give another name, or overwrite=True");
  if (!may_be_replaced(path, status.st_mode, wanted))
    throw usage_error("the target '" + path + "' is not " + std::string(wanted.made_as()) + ": replacing it would remove what else it holds",
                      "Give another name, or remove it yourself");
  if (!S_ISDIR(status.st_mode)) return;
  if (auto other = foreign_entry(path, wanted); !other.empty())
    throw usage_error("the target '" + path + "' holds '" + other + "', which is no part of an array: replacing it would remove that, too",
                      "Move '" + other + "' away, or give another name");
}

void check_finished(const std::string& path) {
  auto unfinished = [&](const fs::path& what) {
    return io_error("'" + path + "' is not a whole array: '" + what.string() + "' is what a job left that did not finish",
                    "Run the job again: it removes this");
  };
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(path, failed);
  if (failed) return;  // opening it will say why
  if (has_unfinished_ending(whole.filename().string())) throw unfinished(whole);
  for (fs::path each = whole; each.has_relative_path(); each = each.parent_path())
    if (is_file(each.string() + "/" + unfinished_record)) throw unfinished(each);
  if (is_hidden(whole.string())) throw unfinished(whole);
}

}  // namespace octavo
