// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/run_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/road/steady_link.hpp"
#include "road/net/files/folder/life.hpp"
#include "road/net/files/place.hpp"

namespace octavo::road::files {

namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "octavo-files-";
constexpr const char *owner_file = "owner", *ended_file = "ended", *connection_prefix = "c-", *dialer_file = "dialer", *left_mark = "left";
constexpr const char* doubted_file = "doubted";  // what stood in the owner's file when another run found it without a beat
constexpr auto longest_without_beat = std::chrono::minutes(10);

std::string hexadecimal(const std::array<std::byte, 16>& id) {
  std::string text;
  for (const auto each : id)
    for (const unsigned half : {static_cast<unsigned>(each) >> 4U, static_cast<unsigned>(each) & 15U}) text += "0123456789abcdef"[half];
  return text;
}

// All of it is there, or what was there before.
void write_whole(const fs::path& path, const std::string& text) {
  const fs::path beside = path.string() + ".new";
  std::ofstream file(beside);
  file << text;
  file.close();
  std::error_code failed, none;
  if (file) fs::rename(beside, path, failed);
  if (!file || failed) fs::remove(beside, none);
  if (!file || failed) throw io_error("writing '" + path.string() + "' failed", "Look for room there (`df`)");
}

Life life_in(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return life_of(line);
}

void make(const std::string& directory) {
  if (::mkdir(directory.c_str(), S_IRWXU) != 0)
    throw io_error(io_error_from(errno, "making '" + directory + "'").message(), "Check that this user may write there, and that there is room (`df`)");
}

std::string text_in(const fs::path& file) {
  std::ifstream from(file);
  return {std::istreambuf_iterator<char>(from), {}};
}

// Of another host's run: the file system's clock may have jumped. So it is doubted at first, and left over if it has not beaten when it is looked at again.
bool is_left_over_elsewhere(const fs::path& run, fs::file_time_type now) {
  std::error_code failed, no_mark;
  auto beaten = fs::last_write_time(run / owner_file, failed);
  if (failed) beaten = fs::last_write_time(run, failed);
  if (failed || now - beaten <= longest_without_beat) return false;
  const auto owner = text_in(run / owner_file);
  const auto doubted = fs::last_write_time(run / doubted_file, no_mark);
  if (!no_mark && text_in(run / doubted_file) == owner) return now - doubted > 2 * between_beats;
  try {
    write_whole(run / doubted_file, owner);
  } catch (const io_error&) {  // NOLINT(bugprone-empty-catch): no room for the doubt: the next run has it
  }
  return false;
}

bool is_left_over(const fs::path& run, fs::file_time_type now) {
  const auto owner = look_at(life_in(run / owner_file));
  return owner == known::nothing ? is_left_over_elsewhere(run, now) : owner == known::dead;
}

// FL-2. Here alone a directory is listed.
void remove_left_over(const fs::path& within, const fs::path& own) {
  std::error_code failed;
  const auto now = fs::last_write_time(own, failed);
  if (failed) return;
  for (const auto& each : fs::directory_iterator(within, failed)) {
    if (!each.path().filename().string().starts_with(prefix) || each.path() == own || !is_left_over(each.path(), now)) continue;
    log_line("removes what is left of a run that has ended: " + each.path().string());
    fs::remove_all(each.path(), failed);
  }
}

// Somebody has left: the directory goes if it was the last, and its owner has ended.
void leave_run(const fs::path& run) {
  std::error_code failed;
  if (!fs::exists(run / ended_file, failed) && look_at(life_in(run / owner_file)) != known::dead) return;
  fs::remove_all(calls_of(run.string()), failed);
  const bool any = fs::exists(run / owner_file, failed);
  fs::remove(run / owner_file, failed);
  fs::remove(run / ended_file, failed);
  fs::remove(run / doubted_file, failed);
  if (::rmdir(run.c_str()) != 0 && any && errno == ENOTEMPTY) write_whole(run / ended_file, "");  // connections: for the next who leaves
}

// FL-3: of another host's processes none reads any more, as the run's end is theirs.
void remove_connections(const fs::path& run) {
  std::error_code failed;
  for (const auto& each : fs::directory_iterator(run, failed)) {
    if (!each.path().filename().string().starts_with(connection_prefix)) continue;
    if (look_at(life_in(each.path() / dialer_file)) != known::lives) fs::remove_all(each.path(), failed);
  }
}

}  // namespace

RunDirectory::RunDirectory(const std::string& within) {
  check_place(within);
  path_ = (fs::path(within) / (prefix + hexadecimal(Session::make().id))).string();
  make(path_);
  make(calls_of(path_));
  write_owner();
  remove_left_over(within, path_);
}

void RunDirectory::write_owner() { write_whole(fs::path(path_) / owner_file, text_of(own_life()) + "\nbeat " + std::to_string(++beats_) + "\n"); }

// A disk that is full ends no run: messages wait for room, and this needs none.
void RunDirectory::beat() {
  try {
    write_owner();
  } catch (const io_error& failed) {
    const fs::path owner = fs::path(path_) / owner_file;
    if (::utimensat(AT_FDCWD, owner.c_str(), nullptr, 0) != 0 && !std::exchange(is_mute_, true)) log_line(failed.what());
  }
}

// A process that still reads there finds by this file that it is the last.
RunDirectory::~RunDirectory() {
  try {
    write_whole(fs::path(path_) / ended_file, "");
    remove_connections(path_);
    leave_run(path_);
  } catch (const std::exception& e) {
    log_line(e.what());
  }
}

std::string connect(const std::string& run) {
  std::string path = run + "/" + connection_prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    throw io_error(io_error_from(errno, "making a connection in '" + run + "'").message(), "Check that the run still goes on, and that there is room (`df`)");
  write_whole(fs::path(path) / dialer_file, text_of(own_life()) + "\n");
  make(to_owner(path));
  make(to_dialer(path));
  return path;
}

void leave(const std::string& connection, const std::function<bool()>& other_is_dead) noexcept {
  try {
    const fs::path path(connection);
    if (::mkdir((path / left_mark).c_str(), S_IRWXU) == 0 && !other_is_dead()) return;
    std::error_code failed;
    fs::remove_all(path, failed);
    leave_run(path.parent_path());
  } catch (const std::exception& e) {
    log_line(e.what());
  }
}

void check_run(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0)
    throw io_error(io_error_from(errno, "looking for the run's directory '" + path + "'").message(),
                   "Another host does not see what lies here: take link=\"files:DIRECTORY\", one that both mount under the same path");
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw refused("'" + path + "' is no directory that is this user's alone (0700)",
                  "Run both sides as one user, on a file system that keeps owners and modes");
}

}  // namespace octavo::road::files
