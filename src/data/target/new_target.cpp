// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/new_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/target/hidden.hpp"
#include "data/target/put_away.hpp"
#include "data/target/target_lock.hpp"
#include "data/target/unfinished.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

// A file or directory, held open: while it is held open, the file system gives its inode number to no other.
class PinnedFile {
 public:
  PinnedFile() = default;
  explicit PinnedFile(const std::string& path) : file_(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {
    if (!file_) throw io_error_from(errno, "opening '" + path + "', which this run made");
  }
  // Whether `path` still names it.
  [[nodiscard]] bool is_at(const std::string& path) const {
    struct stat ours {
    }, there{};
    return file_ && ::fstat(file_.get(), &ours) == 0 && ::lstat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  }

 private:
  Fd file_;
};

// Those that were made, the outermost first.
std::vector<fs::path> make_directories(const fs::path& path) {
  std::vector<fs::path> made;
  if (path.has_relative_path()) made = make_directories(path.parent_path());
  if (::mkdir(path.c_str(), 0777) == 0) made.push_back(path);
  else if (errno != EEXIST && errno != EISDIR && errno != EROFS) throw io_error_from(errno, "making the directory '" + path.string() + "'");
  return made;
}

void remove_directories(const std::vector<fs::path>& made) {
  for (auto each = made.rbegin(); each != made.rend(); ++each) ::rmdir(each->c_str());  // what is not empty stays
}

fs::path real_parent(const fs::path& target) {
  std::error_code failed;
  auto parent = fs::canonical(target.parent_path(), failed);
  if (failed || !fs::is_directory(parent))
    throw io_error("the directory of the target, '" + target.parent_path().string() + "', does not exist", "Make it first");
  return parent;
}

int rename_as(const std::string& from, const std::string& to, unsigned how) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), how) == 0 ? 0 : errno;
}

}  // namespace

struct NewTarget::Parts {
  storage_format format;
  bool overwrite;
  std::vector<fs::path> parents = {};  // that were made for it
  std::string directory = {}, name = {}, target = {}, place = {}, outer = {}, digits = {};
  TargetLock lock = {};
  std::vector<std::string> removed = {};
  PinnedFile ours = {}, root = {};
  Fd record = {};
  Hidden hidden = {};
  bool over = false;  // what is unfinished is removed, or is to stay

  // Under the lock.
  void remove_remains() {
    for (const auto& each : remains_of(directory, name)) {
      std::string path = directory + "/" + each, old = path + "/" + name + replaced_ending;
      if (is_there(old) && rename_as(old, target, RENAME_NOREPLACE) == 0)
        log_line("'" + target + "' has its name again, which a run that was killed took from it");
      if (!remove_unfinished(path, name)) {
        log_line("'" + path + "', which a run left that did not finish, cannot be removed by this user, and stays");
        continue;
      }
      removed.push_back(path);
      log_line("removed '" + path + "', which a run left that did not finish");
    }
  }

  void make_outer() {
    int status = -1;
    do {
      digits = random_hex(4);
      outer = directory + "/" + stem_of(name) + unfinished_ending + "-" + digits;
    } while ((status = ::mkdir(outer.c_str(), 0777)) != 0 && errno == EEXIST);
    if (status != 0) throw io_error_from(errno, "making the directory '" + outer + "'");
    ours = PinnedFile(outer);
    place = outer + "/" + name;
    record.reset(::open((outer + "/" + unfinished_record).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    if (!record) throw io_error_from(errno, "making the record '" + outer + "/" + unfinished_record + "'");
  }

  void check() const {
    struct stat status {};
    bool recorded = ::fstat(record.get(), &status) == 0 && status.st_nlink > 0;
    if (!recorded || !ours.is_at(outer) || !root.is_at(place))
      throw io_error("'" + outer + "', which this run makes, was removed or replaced while it ran", "Find out who did, then run it again");
  }

  // Where the file system does not know the flags of renameat2. Should this run be killed in between, the next one gives the old array its name back.
  int rename_plainly() {
    if (is_there(target)) {
      if (!overwrite) return EEXIST;
      int status = rename_as(target, place + replaced_ending, 0);
      if (status != 0) return status;
    }
    int status = rename_as(place, target, 0);
    if (status != 0 && is_there(place + replaced_ending)) rename_as(place + replaced_ending, target, 0);
    return status;
  }

  // One step of the file system, so that other programs see the old array or the new one, whole.
  void give_name() {
    int status = rename_as(place, target, RENAME_NOREPLACE);
    if (status == EEXIST && overwrite) {
      check_target(target, format, true);
      status = rename_as(place, target, RENAME_EXCHANGE);
    }
    if (status == EINVAL) status = rename_plainly();
    if (status == EEXIST) {
      over = true;
      throw usage_error("the target '" + target + "' exists: it was made while this ran", "The result is '" + place + "': move it to another name");
    }
    if (status != 0) throw io_error_from(status, "giving '" + place + "' its name '" + target + "'");
    over = true;
  }

  void give_up() noexcept {
    try {
      if (!over && ours.is_at(outer)) remove_unfinished(outer, name);
      lock = TargetLock();  // its file lies in the directory
      if (!over) remove_directories(parents);
      for (PinnedFile* each : {&ours, &root}) *each = PinnedFile();  // the room of what was removed is free
      record.reset();
    } catch (...) {  // no memory: the next run removes it
      return;
    }
  }
};

NewTarget::NewTarget(const std::string& path, storage_format format, bool overwrite, bool make_parents)
    : parts_(std::make_unique<Parts>(Parts{format, overwrite})) {
  auto& parts = *parts_;
  fs::path target = absolute_target(path);
  parts.name = target.filename().string();
  if (has_unfinished_ending(parts.name) || parts.name.empty())
    throw usage_error("the target '" + path + "' has a name that only what is not finished has", "Give another name");
  try {
    if (make_parents) parts.parents = make_directories(target.parent_path());
    parts.directory = real_parent(target).string();
    parts.target = (fs::path(parts.directory) / parts.name).string();
    parts.lock = TargetLock(parts.directory, lock_name(parts.name), target.string());
    check_target(target.string(), format, overwrite);
    parts.remove_remains();
    check_target(target.string(), format, overwrite);  // where an old array has its name again
    parts.make_outer();
  } catch (...) {
    parts.give_up();
    throw;
  }
}

NewTarget::~NewTarget() { end(); }

void NewTarget::end() noexcept {
  parts_->give_up();
  parts_->over = true;
}

const std::string& NewTarget::place() const noexcept { return parts_->place; }
const std::vector<std::string>& NewTarget::removed() const noexcept { return parts_->removed; }

std::string NewTarget::scratch_place(const std::string& directory) {
  std::string scratch = (fs::absolute(directory) / scratch_name(parts_->name, parts_->digits)).string();
  record(nlohmann::json{{"scratch", scratch}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return scratch;
}

void NewTarget::record(std::string_view line) {
  std::string whole = std::string(line) + "\n";
  if (::write(parts_->record.get(), whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()))
    throw io_error_from(errno, "writing the record of '" + parts_->outer + "'");
}

void NewTarget::made() { parts_->root = PinnedFile(parts_->place); }
void NewTarget::hide() { parts_->hidden.hide(parts_->place, parts_->format); }
void NewTarget::check() const { parts_->check(); }

void NewTarget::finish() {
  auto& parts = *parts_;
  parts.check();
  parts.hidden.reveal(parts.place, parts.format);
  parts.give_name();
  if (!parts.root.is_at(parts.target)) throw io_error("'" + parts.target + "' is not what this run made: it was replaced at once", "Find out who did");
  sync_directory_of(parts.target);
  remove_unfinished(parts.outer, parts.name);  // and the old array, which has changed places with it
}

}  // namespace octavo
