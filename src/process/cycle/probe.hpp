// SPDX-License-Identifier: Apache-2.0
// What travels along the waits of processes to find a cycle, and what its sender learns from those that come back (src/process/cycle/cycle.cpp).
//
// A wait for several calls may need all of them (when_all: one that never comes is enough) or any (when_any: all must never come). A probe
// that goes along one of `any` carries which one it was; only when probes of all of them are back is that wait known to be blocked.
// Threading: values.
#pragma once

#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "octavo/machine/address.hpp"

namespace octavo::detail {

// One of the calls of which any would do.
struct Choice {
  Address at;              // the process that waits for any of them
  std::uint64_t wait = 0;  // which of its waits
  std::uint32_t node = 0;  // which when_any of that wait
  std::uint32_t index = 0, count = 0;
  auto operator<=>(const Choice&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(at, wait, node, index, count);
  }
};
using Choices = std::vector<Choice>;

// A group message that a member of a group waits for.
struct GroupMessageWait {
  std::uint64_t round = 0, group = 0, sequence = 0, taken = 0;  // taken: group messages of this collective that came from there before
  std::string during;                                           // the collective, in words
  template <class Archive>
  void serialize(Archive& archive) {
    archive(round, group, sequence, taken, during);
  }
};

// ... as its member waits for it, and from whom.
struct AwaitedGroupMessage {
  Life from;
  GroupMessageWait what;
};

// Behind what a member of a cycle waits for, where its method stands in an event loop of its own.
inline constexpr const char* in_event_loop = " in an event loop of its method";

struct Probe {
  Address first;
  std::uint64_t wait = 0;   // which of the waits of `first`
  std::uint64_t round = 0;  // of its probes for that wait
  std::uint64_t part = 0;   // which call of that wait it went along
  Choices choices;
  std::vector<std::string> members;  // the processes that passed it, in words
  bool for_group_message = false;    // else for the call in the frame's header
  GroupMessageWait group_message;
  bool by_group_messages = false;  // somebody on its way waits for one
  bool alone = false;              // nothing may run on behalf of the caller's root but the call that this one goes along
  template <class Archive>
  void serialize(Archive& archive) {
    archive(first, wait, round, part, choices, members, for_group_message, group_message, by_group_messages, alone);
  }
};

// For a group message, and whatever any of those on its way chose.
bool asks_surely(const Probe& probe);

// The probes of one wait that are back.
class Returned {
 public:
  void add(const Probe& probe);
  // Whether a wait that any of these choices would end is blocked: the part was found to be, and so were all that could have stood for it.
  [[nodiscard]] bool blocked(std::uint64_t part, const Choices& own) const;
  // Everybody by whom they came, once each.
  [[nodiscard]] std::string members() const;

 private:
  [[nodiscard]] bool covered(const Choices& prefix) const;
  std::set<Choices> paths_;
  std::set<std::uint64_t> parts_;
  std::vector<std::string> members_;
};

// A process that has failed because of a cycle, which the probe of this wait found, tells those in it that wait for its group message: it may never come.
inline constexpr std::uint8_t verdict_flag = 1;  // in the header of a frame of kind `probe`
struct Verdict {
  Address first;
  std::uint64_t wait = 0;
  std::string members;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(first, wait, members);
  }
};

// Which probes have been passed on: each goes a way once, else they would multiply where many wait for many.
class Passed {
 public:
  // True the first time.
  bool add(const Probe& probe, const Address& from);
  [[nodiscard]] bool knows(const Address& first, std::uint64_t wait) const { return rounds_.contains({first, wait}); }
  // The processes along whose waits for a group message the probes of this wait came; once.
  std::set<Address> take_askers(const Address& first, std::uint64_t wait);

 private:
  struct Round {
    std::uint64_t number = 0;
    std::set<Choices> ways;
    std::set<Address> askers;
  };
  std::map<std::pair<Address, std::uint64_t>, Round> rounds_;
};

// What one wait knows of probes.
struct CycleSearch {
  std::uint64_t round = 0;
  Returned returned;
  Passed passed;
  std::set<Address> askers;  // along whose waits for a group message the probe of this wait came back
  std::exception_ptr cycle;  // of one that waits for a group message
};

}  // namespace octavo::detail
