// SPDX-License-Identifier: Apache-2.0
#include "kit/board.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <system_error>

#include "octavo/base/fd.hpp"

namespace octavo::kit {

Board::Board(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  constexpr std::size_t bytes = marks * sizeof(std::atomic<std::uint32_t>);
  if (!file || ::ftruncate(file.get(), bytes) != 0) throw std::system_error(errno, std::generic_category(), "opening '" + path + "'");
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping '" + path + "'");
  marks_ = static_cast<std::atomic<std::uint32_t>*>(at);  // zero bytes are marks that are not set
}

Board::~Board() { ::munmap(marks_, marks * sizeof *marks_); }

void Board::set(std::size_t mark) {
  marks_[mark].store(1);
  ::syscall(SYS_futex, &marks_[mark], FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Board::await(std::size_t mark) const {
  while (marks_[mark].load() == 0) ::syscall(SYS_futex, &marks_[mark], FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

}  // namespace octavo::kit
