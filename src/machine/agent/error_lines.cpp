// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <cerrno>

#include "machine/agent/child.hpp"

namespace octavo {

bool ErrorLines::pass_on(int from) {
  std::array<char, 4096> text{};
  for (;;) {
    ssize_t n = ::read(from, text.data(), text.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(n));
    kept_.append(text.data(), static_cast<std::size_t>(n));
    if (kept_.size() > 2 * most_kept) kept_.erase(0, kept_.size() - most_kept);
  }
}

std::string ErrorLines::last() const {
  std::string text = kept_.size() > most_kept ? kept_.substr(kept_.size() - most_kept) : kept_;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace octavo
