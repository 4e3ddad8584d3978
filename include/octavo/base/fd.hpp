// SPDX-License-Identifier: Apache-2.0
// A file descriptor with one owner.
//
//   octavo::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
//   if (!file) throw octavo::io_error_from(errno, "opening ...");
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

namespace octavo {

class Fd {
 public:
  Fd() noexcept = default;
  explicit Fd(int number) noexcept : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
  void reset(int number = -1) noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

// Two connected Unix sockets of this type, closed on exec. Throws io_error, saying what was being done.
std::pair<Fd, Fd> socket_pair(int type, const std::string& doing);

}  // namespace octavo
