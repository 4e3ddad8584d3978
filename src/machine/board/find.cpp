// SPDX-License-Identifier: Apache-2.0
#include "machine/board/find.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <set>
#include <utility>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::board {

namespace {

// The entries of a directory whose names are numbers. False: it cannot be read.
bool for_each_number(const std::string& directory, const std::function<void(std::int64_t)>& use) {
  std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) return false;
  while (const dirent* entry = ::readdir(open.get())) {
    std::string_view name = entry->d_name;
    std::int64_t number = 0;
    auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status == std::errc() && end == name.data() + name.size()) use(number);
  }
  return true;
}

// Memory behind a descriptor of another process, which may be something else by now.
class Mapped {
 public:
  Mapped(const std::string& link, const std::string& target) {
    std::array<char, 64> found{};
    if (::readlink(link.c_str(), found.data(), found.size() - 1) <= 0 || target != found.data()) return;
    const Fd memory(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!memory || ::fstat(memory.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 || status.st_size > most) return;
    const int seals = ::fcntl(memory.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return;  // it could be cut while we read
    void* at = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, memory.get(), 0);
    if (at == MAP_FAILED) return;
    at_ = static_cast<const std::byte*>(at);
    bytes_ = static_cast<std::size_t>(status.st_size);
  }
  ~Mapped() {
    if (at_ != nullptr) ::munmap(const_cast<std::byte*>(at_), bytes_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] const std::byte* at() const noexcept { return at_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr off_t most = 64 << 20;
  const std::byte* at_ = nullptr;
  std::size_t bytes_ = 0;
};

void look_through(std::int64_t pid, const std::string& target, const std::function<void(const Memory&)>& use) {
  const std::string directory = "/proc/" + std::to_string(pid);
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return;
  for_each_number(directory + "/fd", [&](std::int64_t number) {
    const Mapped mapped(directory + "/fd/" + std::to_string(number), target);
    if (mapped.at() != nullptr) use({mapped.at(), mapped.bytes(), pid});
  });
}

}  // namespace

void for_each_memory(std::string_view name, const std::function<void(const Memory&)>& use) {
  const std::string target = "/memfd:" + std::string(name) + " (deleted)";
  if (!for_each_number("/proc", [&](std::int64_t pid) { look_through(pid, target, use); }))
    throw io_error_from(errno, "listing the processes of this machine in '/proc'");
}

void for_each(const std::function<void(const Found&)>& use) {
  std::set<std::pair<std::int64_t, std::uint64_t>> seen;  // two descriptors of one board are one board
  for_each_memory(memory_name, [&](const Memory& memory) {
    if (memory.bytes != sizeof(Board)) return;
    const auto& board = *reinterpret_cast<const Board*>(memory.at);
    if (!seen.emplace(memory.pid, board.header.agent.load()).second) return;
    const auto head = read_head(board.header);
    if (head && head->agent.pid == memory.pid) use({board, *head, memory.pid});  // a child that has just been given it is not its owner
  });
}

}  // namespace octavo::board
