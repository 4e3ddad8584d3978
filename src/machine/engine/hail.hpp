// SPDX-License-Identifier: Apache-2.0
// What is said between a program and what its command runs, before the cluster's key is told: the program asks, and an agent answers, each in a line that
// holds no secret. So a terminal, which gives back what it is told, and a program that is no agent are known before there is anything to give away.
//
//   Hearing hearing("ssh");
//   if (hearing.take(text, [](const std::string& line) { ... })) invite(hearing.machine()), pass_on(hearing.rest());
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace octavo::engine {

// The program's line, and the agent's two: that it is one, or why it will not be told a key.
std::string question();
std::string answer(const std::string& machine = {});  // which it is, where one command runs several
std::string refusal(const std::string& why);

// The beginning of what a command says.
class Hearing {
 public:
  explicit Hearing(std::string command) : command_(std::move(command)) {}
  // True: an agent of this version has said that it is one. Other lines (a login's greeting) go to `other`, to be shown as they are. Throws refused:
  // an agent that refuses or is of another version, what gives back the question, and too much of anything else.
  bool take(std::string_view text, const std::function<void(const std::string&)>& other);
  [[nodiscard]] const std::string& rest() const noexcept { return unread_; }      // what followed the agent's line
  [[nodiscard]] const std::string& machine() const noexcept { return machine_; }  // which it says that it is; empty: it does not say

 private:
  bool hear(const std::string& line);  // true: the agent's
  std::string command_, unread_, machine_;
  std::size_t others_ = 0;
};

// The last lines of `text`, in one, without control characters.
std::string last_lines(std::string_view text);

}  // namespace octavo::engine
