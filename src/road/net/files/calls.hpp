// SPDX-License-Identifier: Apache-2.0
// The calls to the owner of a run (run_directory.hpp, FL-4): each a message that says who calls, under the next number that nobody has.
//
//   folder.claim(3, Call(3, "c-7").pieces());
//   Calls calls(calls_of(run));
//   while (auto said = calls.next()) answer(*said);
#pragma once

#include <array>
#include <optional>
#include <string>

#include "road/net/files/folder/folder.hpp"
#include "road/net/files/message.hpp"

namespace octavo::road::files {

class Call {
 public:
  Call(std::uint64_t number, std::string said);
  [[nodiscard]] std::array<ByteView, 2> pieces() const { return {std::as_bytes(std::span(&head_, 1)), std::as_bytes(std::span(said_))}; }

 private:
  std::string said_;
  Head head_;
};

class Calls {
 public:
  explicit Calls(std::string directory) : folder_(std::move(directory)) {}
  // Where what is there is not whole yet, it will be.
  std::optional<std::string> next();

 private:
  Folder folder_;
  std::uint64_t number_ = 1;
};

}  // namespace octavo::road::files
