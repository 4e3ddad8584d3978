// SPDX-License-Identifier: Apache-2.0
// The environment of the program, as its agent gives it to children: the agent's thread does not read what another thread may be changing (setenv(3)).
//
//   environment.note();                                  // by the thread that makes an object, which knows that nobody changes it just now
//   spawn::start(command, title, {}, environment.now());  // by the agent
//
// Threading: any.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace octavo::forking {

class NotedEnvironment {
 public:
  void note();
  // As it was noted last; as it is, where it never was.
  [[nodiscard]] std::vector<std::string> now() const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::vector<std::string>> noted_;
};

}  // namespace octavo::forking
