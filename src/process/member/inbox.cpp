// SPDX-License-Identifier: Apache-2.0
#include "process/member/inbox.hpp"

#include <limits>

#include "process/errors/error_report.hpp"

namespace octavo::detail {

namespace {

constexpr std::size_t most_remembered = 32;  // collectives of a group: more than anybody can be ahead

std::string text_of(wire::Message& message) {
  std::string text;
  wire::Decoder in(message);
  in(text);
  return text;
}

}  // namespace

std::optional<wire::Outgoing> Inbox::put(wire::Message message) {
  const auto& header = message.header;
  GroupMessageKey key{header.root, header.call, static_cast<std::uint32_t>(header.method)};
  switch (static_cast<group_message>(header.flags)) {
    case group_message::value: {
      std::lock_guard lock(mutex_);
      values_[key].push_back(std::move(message));
      return std::nullopt;
    }
    case group_message::failure: {
      auto error = decode_error(message);
      std::lock_guard lock(mutex_);
      failures_.try_emplace({key.group, key.sequence}, Failure{error, true});
      return std::nullopt;
    }
    case group_message::question: return compare(key, message, true);
    case group_message::answer: return compare(key, message, false);
  }
  throw io_error("a group message of kind " + std::to_string(header.flags) + " came from member " + std::to_string(key.from) + " of a group");
}

// A member that waits says in what. If that is not what this member is in, or was in at that time, both must hear of it.
std::optional<wire::Outgoing> Inbox::compare(const GroupMessageKey& with, wire::Message& message, bool question) {
  std::string theirs = text_of(message);
  std::lock_guard lock(mutex_);
  const Entered* mine = entered(with.group, with.sequence);
  if (mine == nullptr || mine->text == theirs) return std::nullopt;
  if (mine->inside) {
    auto error = std::make_exception_ptr(different_collectives(mine->index, mine->text, with.from, theirs));
    failures_.try_emplace({with.group, with.sequence}, Failure{error, false});
    return std::nullopt;
  }
  if (!question) return std::nullopt;
  std::optional<wire::Outgoing> answer(std::in_place);
  wire::Encoder encoder(*answer);
  encoder(mine->text);
  address_group_message(*answer, {with.group, with.sequence, mine->index}, group_message::answer);
  return answer;
}

const Inbox::Entered* Inbox::entered(std::uint64_t group, std::uint64_t sequence) const {
  auto found = entered_.find(group);
  if (found == entered_.end()) return nullptr;
  for (const auto& each : found->second)
    if (each.sequence == sequence) return &each;
  return nullptr;
}

bool Inbox::has(const GroupMessageKey& key) const {
  std::lock_guard lock(mutex_);
  return values_.contains(key) || failures_.contains({key.group, key.sequence});
}

std::optional<wire::Message> Inbox::take(const GroupMessageKey& key) {
  std::lock_guard lock(mutex_);
  auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  std::optional<wire::Message> first(std::move(found->second.front()));
  found->second.pop_front();
  if (found->second.empty()) values_.erase(found);
  ++taken_[key];
  return first;
}

std::optional<Inbox::Failure> Inbox::failure(const GroupMessageKey& key) const {
  std::lock_guard lock(mutex_);
  auto found = failures_.find({key.group, key.sequence});
  return found == failures_.end() ? std::nullopt : std::optional(found->second);
}

void* Inbox::keep(const std::function<std::shared_ptr<void>()>& make) {
  std::lock_guard lock(mutex_);
  if (!kept_) kept_ = make();
  return kept_.get();
}

bool Inbox::keeps() const {
  std::lock_guard lock(mutex_);
  return kept_ != nullptr;
}

std::uint64_t Inbox::count_up() {
  std::lock_guard lock(mutex_);
  return ++count_;
}

std::exception_ptr Inbox::enter(const GroupMessageKey& mine, const std::string& text) {
  std::lock_guard lock(mutex_);
  auto error = unread(mine);
  drop(mine);
  sent_[mine.group].clear();
  auto& list = entered_[mine.group];
  list.push_back({mine.sequence, mine.from, text});
  if (list.size() > most_remembered) list.pop_front();
  return error;
}

void Inbox::leave(const GroupMessageKey& mine, bool well) {
  std::lock_guard lock(mutex_);
  auto& last = entered_[mine.group].back();
  last.inside = false;
  last.failed = !well;
}

void Inbox::forget(std::uint64_t group) {
  std::lock_guard lock(mutex_);
  drop({group, std::numeric_limits<std::uint64_t>::max(), 0});
  entered_.erase(group);
  sent_.erase(group);
}

void Inbox::count_sent(const GroupMessageKey& mine, const Address& to) {
  std::lock_guard lock(mutex_);
  ++sent_[mine.group][to];
}

std::uint64_t Inbox::taken(const GroupMessageKey& key) const {
  std::lock_guard lock(mutex_);
  auto found = taken_.find(key);
  return found == taken_.end() ? 0 : found->second;
}

Inbox::owing Inbox::owes(const GroupMessageWait& awaited, const Address& to) const {
  std::lock_guard lock(mutex_);
  auto list = entered_.find(awaited.group);
  if (list == entered_.end() || list->second.empty()) return owing::by_one_not_begun;
  const auto& last = list->second.back();
  if (awaited.sequence < last.sequence) return owing::nothing;  // it has left that one
  if (awaited.sequence > last.sequence) return last.inside ? owing::by_this_collective : owing::by_one_not_begun;
  if (awaited.during != last.text) return owing::nothing;  // the question tells both that they are in different collectives
  std::uint64_t sent = 0;
  if (auto all = sent_.find(awaited.group); all != sent_.end())
    if (auto mine = all->second.find(to); mine != all->second.end()) sent = mine->second;
  return last.inside && sent == awaited.taken ? owing::by_this_collective : owing::nothing;
}

// A group message of a collective that went well here and that nobody read is of another one.
std::exception_ptr Inbox::unread(const GroupMessageKey& before) {
  auto last = values_.lower_bound({before.group, before.sequence, 0});
  for (auto at = values_.lower_bound({before.group, 0, 0}); at != last; ++at) {
    const Entered* mine = entered(before.group, at->first.sequence);
    if (mine == nullptr || mine->failed || failures_.contains({before.group, at->first.sequence})) continue;
    return std::make_exception_ptr(different_collectives(mine->index, mine->text, at->first.from, text_of(at->second.front())));
  }
  return nullptr;
}

void Inbox::drop(const GroupMessageKey& before) {
  values_.erase(values_.lower_bound({before.group, 0, 0}), values_.lower_bound({before.group, before.sequence, 0}));
  taken_.erase(taken_.lower_bound({before.group, 0, 0}), taken_.lower_bound({before.group, before.sequence, 0}));
  failures_.erase(failures_.lower_bound({before.group, 0}), failures_.lower_bound({before.group, before.sequence}));
}

}  // namespace octavo::detail
