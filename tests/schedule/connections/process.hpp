// SPDX-License-Identifier: Apache-2.0
// A process that asks for connections with others, keeps the ends that it is given, and holds its agent to its word.
//
//   Process process(facts, bell_of(child), [&](const std::string& what) { ... });
//   agent.take(process.facts.address, process.ask(other));
//   process.is_told(notice, descriptors);                 // by its agent
//   process.hear(all, true);                               // the next of that
//
// Threading: one. Failure: none; what is wrong is told.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/control.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::schedule {

// Which file or socket a descriptor is of: copies are of the same.
ino_t identity_of(int descriptor);

class Process {
 public:
  using Fail = std::function<void(const std::string& what)>;
  using All = std::deque<Process>;
  struct End {
    ProcessFacts peer;
    bool carried = false;  // by agents; else by memory that both have
    int side = 0;
    ino_t rings = 0;
    Fd socket = {};
  };

  Process(ProcessFacts who, ino_t its_bell, Fail fail) : facts(std::move(who)), bell(its_bell), fail_(std::move(fail)) {}
  control::Notice ask(const Address& to);
  void is_told(const control::Notice& notice, std::span<const int> descriptors);
  [[nodiscard]] bool has_news() const { return !told_.empty(); }
  // `agents_live`: no agent was killed alone, so a process that is told to be lost is dead.
  void hear(const All& all, bool agents_live);
  void die();
  // All is quiet. `news_is_whole`: nothing kept agents from telling of each death, and of each connection.
  void check_rest(const All& all, bool news_is_whole) const;
  [[nodiscard]] bool waits() const { return !asked_.empty(); }
  [[nodiscard]] bool was_refused(const Address& by) const { return refused_.contains(by); }
  // By a connection that is whole.
  [[nodiscard]] bool reaches(const Address& other) const;

  const ProcessFacts facts;
  const ino_t bell;
  std::size_t program = 0;
  bool dead = false, reaped = false;

 private:
  struct Told {
    control::Notice notice;
    std::vector<Fd> with;
  };
  void hear_connected(const control::Connected& made, std::vector<Fd> with, const All& all);
  void hear_died(const Obituary& of, const All& all, bool agents_live);
  void check_end(const End& end, const All& all, bool news_is_whole) const;
  void fail(const std::string& what, const Address& other) const;

  const Fail fail_;
  std::uint64_t requests_ = 0;
  std::deque<Told> told_;
  std::map<std::uint64_t, Address> asked_;
  std::map<Address, std::string> refused_;
  std::vector<End> ends_;
  std::map<Address, int> unheard_;  // connections since it last heard of a death of that one
  std::set<Address> died_;          // heard of
};

}  // namespace octavo::schedule
