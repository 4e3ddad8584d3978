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

using Mapped = std::unique_ptr<const Board, void (*)(const Board*)>;

// The board behind a descriptor of another process, which may be something else by now.
Mapped map_board(const std::string& link) {
  constexpr auto unmap = [](const Board* at) { ::munmap(const_cast<board::Board*>(at), sizeof(Board)); };
  Mapped none(nullptr, unmap);
  std::array<char, 64> target{};
  constexpr std::string_view prefix = "/memfd:";
  if (::readlink(link.c_str(), target.data(), target.size() - 1) <= 0) return none;
  if (std::string_view(target.data()) != std::string(prefix) + memory_name + " (deleted)") return none;
  Fd memory(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!memory || ::fstat(memory.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != sizeof(Board)) return none;
  int seals = ::fcntl(memory.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return none;  // it could be cut while we read
  void* at = ::mmap(nullptr, sizeof(Board), PROT_READ, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) return none;
  return {static_cast<const Board*>(at), unmap};
}

// A child that has just been given a board is not its owner.
void look_through(std::int64_t pid, const std::function<void(const Found&)>& use) {
  std::string directory = "/proc/" + std::to_string(pid);
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return;
  std::set<std::uint64_t> agents;  // two descriptors of one board are one board
  for_each_number(directory + "/fd", [&](std::int64_t number) {
    auto mapped = map_board(directory + "/fd/" + std::to_string(number));
    if (!mapped || !agents.insert(mapped->header.agent.load()).second) return;
    auto head = read_head(mapped->header);
    if (head && head->agent.pid == pid) use({*mapped, *head, pid});
  });
}

}  // namespace

void for_each(const std::function<void(const Found&)>& use) {
  if (!for_each_number("/proc", [&](std::int64_t pid) { look_through(pid, use); }))
    throw io_error_from(errno, "listing the processes of this machine in '/proc'");
}

}  // namespace octavo::board
