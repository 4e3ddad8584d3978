// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "road/net/files/folder/folder.hpp"
#include "road/net/files/message.hpp"

namespace octavo::road::files {

namespace {

constexpr std::uint64_t least_room = 64 << 20;
constexpr auto most_wait = std::chrono::seconds(10);  // a busy host lets the one that looks wait for seconds

struct Known {
  long type;
  const char* name;
};
constexpr std::array<Known, 8> file_systems{{{0x01021994, "tmpfs"},
                                             {0xEF53, "ext4"},
                                             {0x58465342, "xfs"},
                                             {0x9123683E, "btrfs"},
                                             {0x6969, "nfs"},
                                             {0x65735546, "fuse (sshfs)"},
                                             {0x0BD00BD0, "lustre"},
                                             {0x794C7630, "overlay"}}};

std::string name_of(long type) {
  for (const auto& each : file_systems)
    if (each.type == type) return each.name;
  return "of another kind";
}

// The way of every message.
void try_it(const std::string& directory, const std::string& where) {
  std::string own = directory + "/octavo-try-XXXXXX";
  if (::mkdtemp(own.data()) == nullptr)
    throw refused("a link by files cannot use " + where + ": " + io_error_from(errno, "making a directory there").message(),
                  "Take a directory that this user may write to (`ls -ld`)");
  Head head{.number = 1};
  const ByteView payload = std::as_bytes(std::span(own));
  std::array<std::byte, 512> came{};
  bool whole = false;
  try {
    Folder folder(own);
    seal(head, std::span(&payload, 1));
    const std::array pieces{std::as_bytes(std::span(&head, 1)), payload};
    const bool put = folder.put(1, pieces) == Folder::outcome::done;
    const auto size = put ? folder.read(1, came) : std::nullopt;
    whole = size && is_whole(ByteView(came).first(*size), 1);
    folder.remove(1);
  } catch (...) {
    ::rmdir(own.c_str());
    throw;
  }
  ::rmdir(own.c_str());
  if (!whole) throw refused("a link by files cannot use " + where + ": what is written there does not come back", "Take another directory");
}

void look_at(const std::string& directory) {
  struct stat facts {};
  if (directory.empty() || directory.front() != '/')
    throw usage_error("'" + directory + "' is no directory for a link by files", "Write its path from the root: link=\"files:/shared/x\"");
  if (::stat(directory.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
    throw usage_error("'" + directory + "' is no directory" + (errno != 0 ? ": " + io_error_from(errno, "looking").message() : ""),
                      "Make it, on every machine under the same path: link=\"files:/shared/x\"");
  struct statfs system {};
  if (::statfs(directory.c_str(), &system) != 0) throw io_error_from(errno, "asking for the file system of '" + directory + "'");
  const std::string where = "'" + directory + "' (" + name_of(system.f_type) + ")";
  const auto room = static_cast<std::uint64_t>(system.f_bavail) * static_cast<std::uint64_t>(system.f_bsize);
  if (room < least_room)
    throw io_error("a link by files finds " + std::to_string(room >> 20U) + " MiB of room in " + where,
                   "Free some: 64 MiB are needed (`df " + directory + "`)");
  try_it(directory, where);
}

// What the thread that looks has found.
struct Found {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false, looked = false;
  std::exception_ptr failed;
};

// Ends with the thread, or where there is none.
class Looker {
 public:
  explicit Looker(std::shared_ptr<Found> found) : found_(std::move(found)) {}
  Looker(const Looker&) = delete;
  Looker& operator=(const Looker&) = delete;
  ~Looker() {
    const std::lock_guard lock(found_->mutex);
    found_->over = true;
    found_->changed.notify_all();
  }
  void look(const std::string& directory) {
    std::exception_ptr failed;
    try {
      look_at(directory);
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard lock(found_->mutex);
    found_->looked = true;
    found_->failed = failed;
  }

 private:
  std::shared_ptr<Found> found_;
};

}  // namespace

// A file system that does not answer holds whoever asks, in the kernel: that is a thread of its own. A std::future's wait for a time is in no library that a
// wheel links with.
void check_place(const std::string& directory) {
  const auto found = std::make_shared<Found>();
  start_detached("octavo-look", [directory, looker = std::make_shared<Looker>(found)] { looker->look(directory); });
  std::unique_lock lock(found->mutex);
  if (!found->changed.wait_for(lock, most_wait, [&] { return found->over; }))
    throw timed_out("the file system of '" + directory + "' does not answer within 10 s", "Look whether its server is up (`df` would hang), or take another");
  if (!found->looked) throw io_error("the system gives no thread to look at '" + directory + "'");
  if (found->failed) std::rethrow_exception(found->failed);
}

}  // namespace octavo::road::files
