// SPDX-License-Identifier: Apache-2.0
// Where the states of one object lie, and how another becomes the current one: in `state/`, by the object's id in hex,
//
//   ID            the current state: whole at every instant
//   ID.previous   the one before
//   ID.new        one that is being written, or, after a crash, the one before that was not renamed yet
//   ID.keep       the one before for an instant, where the file system cannot exchange two names
//   ID.damaged    what was current when an earlier state was restored
//   lock          has a byte for each object, which whoever changes any of these has locked
//
// Threading: none shared; between processes by StateLock. Failure: io_error; refused where another process holds the lock.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "machine/registry/state_header.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

// For tests: told of each step, and able to do as a poorer file system does.
struct StateSteps {
  std::function<void(std::string_view)> reached{};
  bool exchange = true, links = true;
  void at(std::string_view step) const {
    if (reached) reached(step);
  }
};

struct StatePlace {
  StatePlace(const std::string& directory, std::uint64_t object);  // of the registry
  std::string folder, current, previous, fresh, keep, damaged;
  std::uint64_t object;
};

// Of one object, among all processes. Taken, it has made `state/`, and has finished the renaming that a crash interrupted.
class StateLock {
 public:
  explicit StateLock(const StatePlace& place);
  ~StateLock();

 private:
  bool set(short kind) noexcept;
  Fd file_;
  std::uint64_t object_;
};

struct OpenState {
  Fd file;
  StateHeader header;
};
// Nothing if there is no such file. Throws refused unless it is this user's alone (mode 0600), io_error or not_supported unless its header is whole, of its
// length, and of this object.
std::optional<OpenState> open_state(const std::string& path, std::uint64_t object);
// Nothing also where its header or its payload is damaged, or it cannot be read. Reads it all.
std::optional<StateFacts> whole_state(const std::string& path, std::uint64_t object);
// Reads the payload, piece by piece, into what `room` gives for each, and checks it; throws io_error, also where the file is shorter.
void read_payload(const OpenState& state, const std::string& path, const std::function<ByteSpan(std::uint64_t at, std::size_t bytes)>& room);

// `source` becomes the current state, and what was current `kept`. Current is the one or the other at every instant; durable when it returns.
// Sets `done` as soon as `source` is current.
void replace_current(const StatePlace& place, const std::string& source, const std::string& kept, const StateSteps& steps, bool& done);

}  // namespace octavo
