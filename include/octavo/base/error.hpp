// SPDX-License-Identifier: Apache-2.0
// The closed list of errors (contract C-11), ordered by what the caller can do about them.
//
//   try { storage->write(page, 17); }
//   catch (const octavo::io_error& e)     { /* disk: what, where, cure in e.what() */ }
//   catch (const octavo::process_died& e) { /* peer gone */ }
//   catch (const octavo::error& e)        { if (e.kind() == octavo::error_kind::timed_out) ... }
//
// what() reads "context: context: what failed. Cure." Context is added on the way up by add_context or in_context.
// Threading: an error is a value; share it as you would a std::string.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace octavo {

enum class error_kind : std::uint8_t {
  usage,          // the caller's mistake: change the call
  remote,         // the remote code threw something whose type is not known here
  gone,           // the peer is no longer there
  timed_out,      // no answer in the given time
  refused,        // understood, and declined: a budget, a bound, a right
  io,             // a disk, file or descriptor failed
  not_supported,  // valid, but not something Octavo does
};

std::string_view to_string(error_kind kind) noexcept;

class error : public std::exception {
 public:
  error(error_kind kind, std::string message, std::string cure = {});

  [[nodiscard]] error_kind kind() const noexcept { return kind_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  // The parts of what(), for those who lay it out themselves.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& cure() const noexcept { return cure_; }

  // Puts "context: " in front of the message; called by each layer that knows more than the one below.
  void add_context(std::string_view context);

 private:
  void compose();
  error_kind kind_;
  std::string message_, cure_, text_;
};

// One class a kind, so that `catch` can choose. process_died (kind gone) carries more and lives in process/.
struct usage_error : error {
  explicit usage_error(std::string message, std::string cure = {}) : error(error_kind::usage, std::move(message), std::move(cure)) {}
};
struct gone_error : error {
  explicit gone_error(std::string message, std::string cure = {}) : error(error_kind::gone, std::move(message), std::move(cure)) {}
};
struct timed_out : error {
  explicit timed_out(std::string message, std::string cure = {}) : error(error_kind::timed_out, std::move(message), std::move(cure)) {}
};
struct refused : error {
  explicit refused(std::string message, std::string cure = {}) : error(error_kind::refused, std::move(message), std::move(cure)) {}
  // `bytes` of memory would do.
  refused(std::string message, std::string cure, std::int64_t bytes) : error(error_kind::refused, std::move(message), std::move(cure)), least(bytes) {}

  std::int64_t least = 0;  // the bytes of memory that would do; 0: it is not about memory, or not known
  std::string path = {};   // of the array that it is about; empty: of none, or not known
};
struct io_error : error {
  explicit io_error(std::string message, std::string cure = {}) : error(error_kind::io, std::move(message), std::move(cure)) {}
};
struct not_supported : error {
  explicit not_supported(std::string message, std::string cure = {}) : error(error_kind::not_supported, std::move(message), std::move(cure)) {}
};

// Throws the class of `kind`; an `error` itself for the kinds that have none here.
[[noreturn]] void throw_error(error_kind kind, const std::string& message, const std::string& cure = {});

// An io_error from errno: "opening '/d3/a.npy': No such file or directory (ENOENT)". The cure is chosen by the errno.
[[nodiscard]] io_error io_error_from(int errno_value, std::string_view doing);

// Runs `work`; an octavo::error that leaves it has `describe()` put in front. `describe` runs only then.
template <class Work, class Describe>
auto in_context(Describe&& describe, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (error& e) {
    e.add_context(describe());
    throw;
  }
}

}  // namespace octavo
