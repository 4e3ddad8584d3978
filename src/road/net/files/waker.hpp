// SPDX-License-Identifier: Apache-2.0
// Tells when it pays to look for the next file of a directory: inotify where it works there, else pauses that grow.
//
//   Waker waker(directory);
//   for (;;) {
//     waker.clear();                        // first: what comes from here on wakes
//     if (waker.may_find() && look()) waker.came(); else waker.nothing_there(), waker.sleep();
//     poll(waker.descriptor());
//   }
//
// That inotify works is believed once it has told of something: on the file systems of networks it tells of what this host does, and of nothing else. Until
// then, and where it never does, it is looked after 100 us, then after twice as long each time, at most 100 ms. Where it works a look is still taken after 5 s.
// Where several put files there it may tell of some and not of others: then it is not `trusted`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "octavo/base/fd.hpp"

namespace octavo::road::files {

class Waker {
 public:
  struct Options {
    bool inotify = true;  // where there is none to be had, it does without
    bool linked = false;  // files come there by link(2), not rename(2)
    bool trusted = true;
    std::chrono::microseconds longest_pause{100'000};
  };
  // Throws io_error.
  Waker(const std::string& directory, const Options& options);
  [[nodiscard]] int descriptor() const noexcept { return poll_.get(); }
  void clear();
  // A look may find something: inotify has told of more than was found, or the pause is over, or it is not believed.
  [[nodiscard]] bool may_find() const noexcept { return !is_told_ || !is_even_ || !options_.trusted || told_ != 0 || is_due_; }
  void came();
  void nothing_there();
  void sleep();
  void sleep_briefly() { arm(retry_pause); }  // something is to be tried again of which nothing tells
  void wake();                                // until the next clear()
  void watch(int also);                       // readable: it wakes, too
  void unwatch(int also);
  [[nodiscard]] bool is_told() const noexcept { return is_told_; }

 private:
  static constexpr std::chrono::microseconds first_pause{100}, retry_pause{50'000}, slow_look{5'000'000};
  void arm(std::chrono::microseconds pause);
  const Options options_;
  Fd poll_, timer_, event_, inotify_;
  bool is_told_ = false, was_told_ = false;  // inotify works here
  bool is_even_ = false;                     // all that was there before it was asked is found: each file of since then it tells of
  bool is_armed_ = false, is_woken_ = false, is_due_ = false;
  std::size_t told_ = 0;  // files that were not found yet, at most
  std::chrono::microseconds pause_ = first_pause;
};

}  // namespace octavo::road::files
