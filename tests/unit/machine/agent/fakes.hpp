// SPDX-License-Identifier: Apache-2.0
// What surrounds the parts of an agent, in tests of one part: processes, other agents and requesters that keep what they are told.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/requester.hpp"
#include "machine/lasting/reader_record.hpp"

namespace octavo::agent::fake {

// Processes without sockets.
class Processes final : public agent::Processes {
 public:
  Child& add(const Address& address, unsigned slot = 0) {
    ProcessFacts facts;
    facts.address = address;
    facts.class_name = "Fake";
    return children_.emplace(address.object, Child{std::move(facts), slot, {}, road::Doorbell::make(), 0}).first->second;
  }
  // Without a name it gets the next address of agent 17.
  Child& adopt(ProcessFacts facts, spawn::Started /*run*/, std::uint64_t host, std::optional<control::NamedHome> named) override {
    Child& child = add(named ? facts.address : Address{17, 2, 10 + children_.size()});
    child.host = host;
    return child;
  }
  using agent::Processes::tell;
  void tell(Child& child, const control::Notice& notice, std::span<const int> /*descriptors*/) override {
    told.emplace_back(child.facts.address.object, notice);
  }
  // What this object was told last, if that is what it was told.
  template <class Wanted>
  const Wanted* last(std::uint64_t object) const {
    for (auto at = told.rbegin(); at != told.rend(); ++at)
      if (at->first == object) return control::get_if<Wanted>(&at->second);
    return nullptr;
  }

  std::deque<std::pair<std::uint64_t, control::Notice>> told;
};

class Requester final : public agent::Requester {
 public:
  explicit Requester(const Address& who = {}, Child* child = nullptr, PeerAgent* peer = nullptr) : child_(child), peer_(peer) { facts_.address = who; }
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  [[nodiscard]] Child* child() const override { return child_; }
  [[nodiscard]] PeerAgent* peer() const override { return peer_; }
  void answer(control::Notice notice) override { answers.push_back(std::move(notice)); }
  using agent::Requester::hand_to;
  void hand_to(PeerAgent& other, const control::Notice& /*request*/, Otherwise otherwise) override {
    handed_to.push_back(&other);
    failed.push_back(std::move(otherwise));
  }
  template <class Wanted>
  const Wanted* last() const {
    return answers.empty() ? nullptr : control::get_if<Wanted>(&answers.back());
  }

  std::vector<control::Notice> answers;
  std::vector<PeerAgent*> handed_to;
  std::vector<Otherwise> failed;  // what those were told to do then
  std::vector<Child*> introduced_to;

 private:
  void introduce_to(Child& there) override { introduced_to.push_back(&there); }
  ProcessFacts facts_;
  Child* child_;
  PeerAgent* peer_;
};

// In memory, for several lives of a lasting agent.
class ReaderRecord final : public agent::ReaderRecord {
 public:
  [[nodiscard]] All left() const override { return noted; }
  void keep(const All& all) override { noted = all; }
  [[nodiscard]] bool lives(const ReadingProgram& program) const override { return is_alive(program.agent); }

  All noted;
  std::function<bool(std::uint64_t program)> is_alive = [](std::uint64_t) { return true; };
};

}  // namespace octavo::agent::fake
