// SPDX-License-Identifier: Apache-2.0
#include "machine/error_lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace octavo {

bool TextOut::is_free() {
  while (!kept_.empty()) {
    pollfd room{to_, POLLOUT, 0};
    if (::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) == 0) kept_.clear();  // it is closed, or its reader is gone
    if (room.revents == 0) return false;
    if (kept_.empty()) break;
    auto n = ::write(to_, kept_.data(), std::min<std::size_t>(kept_.size(), PIPE_BUF));  // so much a pipe with room takes without waiting
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    kept_.erase(0, n < 0 ? kept_.size() : static_cast<std::size_t>(n));
  }
  return true;
}

void TextOut::put(std::string_view text) {
  kept_ += text;
  static_cast<void>(is_free());
}

void TextOut::finish() {
  while (!kept_.empty()) {
    auto n = ::write(to_, kept_.data(), kept_.size());
    if (n < 0 && errno != EINTR) return;
    kept_.erase(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

bool ErrorLines::pass_on(int from, TextOut& to) {
  while (to.is_free())
    if (auto more = read_some(from, to); more != came::some) return more == came::nothing;
  return true;
}

void ErrorLines::pass_on_last(int from, TextOut& to) {
  while (read_some(from, to) == came::some) {}
}

ErrorLines::came ErrorLines::read_some(int from, TextOut& to) {
  std::array<char, 4096> text{};
  ssize_t n = ::read(from, text.data(), text.size());
  if (n < 0) return errno == EINTR ? came::some : errno == EAGAIN ? came::nothing : came::end;
  if (n == 0) return came::end;
  to.put({text.data(), static_cast<std::size_t>(n)});
  kept_.append(text.data(), static_cast<std::size_t>(n));
  if (kept_.size() > 2 * most_kept) kept_.erase(0, kept_.size() - most_kept);
  return came::some;
}

std::string ErrorLines::last() const {
  std::string text = kept_.size() > most_kept ? kept_.substr(kept_.size() - most_kept) : kept_;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace octavo
