// SPDX-License-Identifier: Apache-2.0
// A child that is stopped before any instruction of its work, as if it had been killed there (ptrace).
//
//   if (auto why = kit::Stepped::missing(); !why.empty()) GTEST_SKIP() << why;
//   const auto steps = kit::Stepped(work).steps();         // where it was before each of its instructions
//   for (std::size_t n = 0; n < steps.size(); ++n) {
//     kit::Stepped child(work);
//     child.run_to(steps, n);                              // false: it went another way, and has ended
//     child.kill();
//   }
//
// The child is a fork of this process and ends without destructors. It is to do the same each time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace octavo::kit {

class Stepped {
 public:
  using Steps = std::vector<std::uint64_t>;
  static std::string missing();  // why there can be none here; empty if there can
  explicit Stepped(const std::function<void()>& work);
  ~Stepped() { kill(); }
  Stepped(const Stepped&) = delete;
  Stepped& operator=(const Stepped&) = delete;
  Steps steps();
  bool run_to(const Steps& steps, std::size_t n);
  void kill();

 private:
  [[nodiscard]] std::uint64_t place() const;
  void move_to(std::uint64_t place) const;
  bool go(int request);
  int pid_ = -1;
};

}  // namespace octavo::kit
