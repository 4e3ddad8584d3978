// SPDX-License-Identifier: Apache-2.0
// Exceptions that cross a process boundary (C-5), and the death of a process (C-6).
//
//   struct disk_full : std::runtime_error { using runtime_error::runtime_error; };
//   OCTAVO_ERROR(disk_full)                      // once, at namespace scope
//   try { storage->write(page, 17); }
//   catch (const disk_full& e) { auto* where = octavo::origin(e); std::cerr << where->process.pid << where->trace[0]; }
//   catch (const octavo::remote_error& e) { e.type_name(); }      // a type that is not known here
//   catch (const octavo::process_died& e) { e.obituary(); }
//   catch (const octavo::lock_abandoned& e) { repair(); }         // and lock again
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeindex>
#include <typeinfo>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo {

// Beside the exception's own type, every exception that arrives from another process is one of these.
class remote_origin {
 public:
  virtual ~remote_origin() = default;
  ProcessFacts process;            // where it was thrown: object, class, pid, machine
  std::vector<std::string> trace;  // the calls it left on its way, innermost first
};

// Null for an exception that was thrown here.
const remote_origin* origin(const std::exception& e) noexcept;

// The remote code threw something whose type has no name here (see OCTAVO_ERROR).
class remote_error : public error {
 public:
  remote_error(std::string type_name, const std::string& message) : error(error_kind::remote, message), type_name_(std::move(type_name)) {}
  [[nodiscard]] const std::string& type_name() const noexcept { return type_name_; }

 private:
  std::string type_name_;
};

// The process a call was made to is no longer there.
class process_died : public error {
 public:
  explicit process_died(Obituary obituary) : error(error_kind::gone, obituary.text(), cure_for(obituary)), obituary_(std::move(obituary)) {}
  [[nodiscard]] const Obituary& obituary() const noexcept { return obituary_; }

 private:
  static std::string cure_for(const Obituary& obituary);
  Obituary obituary_;
};

// A lock that is not had, because its holder died with it: what it protects may be half done. Thrown once, to the next process that wants it; the
// one after that has it (message/mutex.hpp).
class lock_abandoned : public gone_error {
 public:
  // `lock`: "mutex 'm'". The obituary is empty if its holder is not known.
  lock_abandoned(std::string lock, Obituary holder);
  [[nodiscard]] const std::string& lock() const noexcept { return lock_; }
  [[nodiscard]] const Obituary& obituary() const noexcept { return obituary_; }

 private:
  std::string lock_;
  Obituary obituary_;
};

// The call was cancelled before it began: it did not run, and will not. Or a job (fft/job.hpp) was stopped by its watch.
class cancelled : public refused {
 public:
  using refused::refused;
};

// The reader of a channel (message/channel.hpp) wants no more.
class channel_cancelled : public gone_error {
 public:
  using gone_error::gone_error;
};

// Calls that wait for each other and can never go on (C-3): its message names each of them.
class call_cycle : public usage_error {
 public:
  using usage_error::usage_error;
};

namespace detail {

// How one type of exception travels.
struct ErrorType {
  std::string name;
  void (*encode)(wire::Encoder&, const std::exception&);
  void (*raise)(wire::Decoder&, const std::string& what, const remote_origin&);
};
bool register_error(const std::type_info& type, const std::type_info& arrived, ErrorType how);

// What `catch` finds: the type itself, with the remote text.
template <class T>
class Arrived final : public T, public remote_origin {
 public:
  Arrived(T original, std::string what, const remote_origin& from) : T(std::move(original)), remote_origin(from), what_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

template <class T>
concept carried_by_fields =
    !std::is_base_of_v<std::logic_error, T> && !std::is_base_of_v<std::runtime_error, T> && wire::travels<T> && std::is_default_constructible_v<T>;
template <class T>
concept has_own_serialize = cereal::traits::has_member_serialize<T, wire::Encoder>::value || cereal::traits::has_non_member_serialize<T, wire::Encoder>::value;

template <class T>
void encode_error(wire::Encoder& out, const std::exception& e) {
  if constexpr (has_own_serialize<T> && std::is_default_constructible_v<T>) out(dynamic_cast<const T&>(e));
}

template <class T>
void raise_error(wire::Decoder& in, const std::string& what, const remote_origin& from) {
  if constexpr (has_own_serialize<T> && std::is_default_constructible_v<T>) {
    T original;
    in(original);
    throw Arrived<T>(std::move(original), what, from);
  } else if constexpr (std::is_constructible_v<T, const std::string&>) {
    throw Arrived<T>(T(what), what, from);
  } else {
    static_assert(std::is_default_constructible_v<T>, "OCTAVO_ERROR: the type needs a constructor from std::string, or a default constructor and serialize()");
    throw Arrived<T>(T(), what, from);
  }
}

template <class T>
bool register_error_type(const char* name) {
  static_assert(std::is_base_of_v<std::exception, T>, "OCTAVO_ERROR: the type must derive from std::exception");
  return register_error(typeid(T), typeid(Arrived<T>), {name, &encode_error<T>, &raise_error<T>});
}

}  // namespace detail
}  // namespace octavo

#define OCTAVO_JOIN2(a, b) a##b
#define OCTAVO_JOIN(a, b) OCTAVO_JOIN2(a, b)
#define OCTAVO_ERROR(T) [[maybe_unused]] static const bool OCTAVO_JOIN(octavo_error_, __LINE__) = ::octavo::detail::register_error_type<T>(#T);
