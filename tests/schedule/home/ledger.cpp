// SPDX-License-Identifier: Apache-2.0
#include "schedule/home/ledger.hpp"

#include <algorithm>
#include <sstream>

namespace octavo::schedule {

std::string Ledger::begin_post(Process by, const std::string& box) {
  auto& line = lines_[{by, box}];
  line.messages.emplace_back();
  return std::to_string(by) + " " + std::to_string(line.messages.size()) + " ";
}

void Ledger::posted(Process by, const std::string& box) { lines_[{by, box}].messages.back().what = fate::posted; }

void Ledger::threw(Process by, const std::string& box, std::optional<Process> gone) {
  auto& line = lines_[{by, box}];
  auto& message = line.messages.back();
  message.what = fate::threw;
  if (message.taken) fail("a post threw, and its message was taken", by, box);
  if (!gone) return;
  line.since_error = line.messages.size();
  if (are_lost(by, *gone)) return;
  if (!lives_[*gone].over) fail("MB-3: a post says that process " + std::to_string(*gone) + " is gone, which lives", by, box);
  if (!lives_[*gone].asked.contains(box)) fail("MB-3: a post says that process " + std::to_string(*gone) + " is gone, which never read there", by, box);
  if (!line.heard_of.insert(*gone).second) fail("MB-3: a post says for the second time that process " + std::to_string(*gone) + " is gone", by, box);
}

void Ledger::threw_gone(Process by, const std::string& box) {
  threw(by, box, std::nullopt);
  auto& line = lines_[{by, box}];
  line.since_error = line.messages.size();
  if (!agent_was_killed_) fail("MB-3: a post threw, and did not say who is gone", by, box);
}

void Ledger::taken(Process by, const std::string& box, const std::string& text) {
  std::istringstream in(text);
  Process poster = 0;
  std::size_t number = 0;
  in >> poster >> number;
  const auto found = lines_.find({poster, box});
  if (found == lines_.end() || number == 0 || number > found->second.messages.size()) return fail("what nobody has posted was taken", by, box);
  auto& line = found->second;
  auto& message = line.messages[number - 1];
  if (message.taken) fail("MB-1: message " + std::to_string(number) + " of process " + std::to_string(poster) + " was taken twice", by, box);
  if (message.what == fate::threw) fail("a message was taken whose post threw", by, box);
  if (number < line.last_taken)
    fail("MB-1: message " + std::to_string(number) + " of process " + std::to_string(poster) + " was taken after " + std::to_string(line.last_taken), by, box);
  message.taken = true;
  line.last_taken = std::max(line.last_taken, number);
}

void Ledger::asks(Process who, const std::string& box) { lives_[who].asked.try_emplace(box, ++now_); }

std::optional<Ledger::Process> Ledger::reader_of(const std::string& box, Process other_than) {
  for (const auto& [who, life] : lives_)
    if (who != other_than && life.began.contains(box) && !life.over) return who;
  return std::nullopt;
}

void Ledger::reads(Process who, const std::string& box) {
  if (const auto other = reader_of(box, who)) fail("MB-2: process " + std::to_string(*other) + " reads there, too", who, box);
  lives_[who].began.try_emplace(box, ++now_);
  // Another one has read there: that it is gone this process learns from reading there itself.
  const bool first = std::none_of(lives_.begin(), lives_.end(), [&](const auto& each) { return each.first != who && each.second.asked.contains(box); });
  if (auto line = lines_.find({who, box}); line != lines_.end() && !first) line->second.since_error = line->second.messages.size();
}

// Right, if another process asked before, and was not known to be gone when this one did.
void Ledger::refused(Process who, const std::string& box) {
  const auto since = lives_[who].asked.extract(box).mapped();
  const bool right = std::any_of(lives_.begin(), lives_.end(),
                                 [&](const auto& each) { return each.first != who && each.second.asked.contains(box) && each.second.settled > since; });
  if (!right) fail("MB-2: a reader was refused, and there is none", who, box);
}

void Ledger::ends(Process who) {
  lives_[who].over = true;
  for (auto& [which, line] : lines_)
    if (which.first == who) line.heir = reader_of(which.second, who);
}

bool Ledger::was_read(const std::string& box) const {
  return std::any_of(lives_.begin(), lives_.end(), [&](const auto& each) { return each.second.began.contains(box); });
}

// To a reader that is gone something may have been sent, of which its poster has not heard.
bool Ledger::knows_all_ends(const Line& line, const std::string& box) const {
  return std::all_of(lives_.begin(), lives_.end(),
                     [&](const auto& each) { return !each.second.over || !each.second.asked.contains(box) || line.heard_of.contains(each.first); });
}

void Ledger::are_connected(std::size_t one, std::size_t other) {
  connected_.insert({one, other});
  connected_.insert({other, one});
}

void Ledger::lasting_agent_is_killed() { agent_was_killed_ = true; }

bool Ledger::may_be_lost_to_a_reader(Process who, const std::string& box) const {
  return std::any_of(lives_.begin(), lives_.end(), [&](const auto& each) { return each.second.asked.contains(box) && are_lost(who, each.first); });
}

void Ledger::check_rest() {
  for (const auto& [which, line] : lines_) {
    const auto& life = lives_[which.first];
    if (!was_read(which.second) || may_be_lost_to_a_reader(which.first, which.second)) continue;
    const bool inherited =
        life.ended && !agent_was_killed_ && line.heir && !lives_[*line.heir].over && !life.asked.contains(which.second) && knows_all_ends(line, which.second);
    if (life.over && !inherited) continue;
    for (std::size_t i = line.since_error; i < line.messages.size(); ++i) {
      const auto& message = line.messages[i];
      if (message.what == fate::posted && !message.taken)
        fail(std::string(inherited ? "MB-4" : "MB-3") + ": message " + std::to_string(i + 1) + " of " + std::to_string(line.messages.size()) +
                 " was lost, and no post has said so",
             which.first, which.second);
    }
  }
}

}  // namespace octavo::schedule
