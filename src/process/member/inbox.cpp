// SPDX-License-Identifier: Apache-2.0
#include "process/member/inbox.hpp"

#include <cstring>

#include "process/errors/error_report.hpp"

namespace octavo::detail {

namespace {

constexpr std::size_t most_remembered = 32;  // collectives of a group: more than anybody can be ahead in one call
constexpr std::size_t most_answered = 1024;  // calls to all: of an earlier one it is not known any more that it was answered
constexpr std::size_t most_askers = 256;

std::uint64_t round_of(const wire::Message& message) {
  std::uint64_t round = 0;
  const auto body = message.body.span();
  if (body.size() < sizeof round) throw io_error("a group message that does not say its call to all came");
  std::memcpy(&round, body.last(sizeof round).data(), sizeof round);
  return round;
}

std::string text_of(wire::Message& message) {
  std::string text;
  wire::Decoder in(message);
  in(text);
  return text;
}

}  // namespace

wire::Outgoing Inbox::left_out(const Asked& by, const std::exception_ptr& error) const {
  wire::Outgoing out;
  if (error) encode_error(out, error, self_, by.text + ", to which member " + std::to_string(by.key.from) + " did not come");
  address_group_message(out, by.key, group_message::left_out);
  return out;
}

std::optional<wire::Outgoing> Inbox::put(wire::Message message, const std::shared_ptr<road::Connection>& by) {
  const auto& header = message.header;
  GroupMessageKey key{round_of(message), header.root, header.call, static_cast<std::uint32_t>(header.method)};
  switch (static_cast<group_message>(header.flags)) {
    case group_message::value: {
      std::lock_guard lock(mutex_);
      if (!is_over(key)) values_[key].push_back(std::move(message));
      return std::nullopt;
    }
    case group_message::failure: {
      auto error = decode_error(message);
      std::lock_guard lock(mutex_);
      note_told(collective_of(key));
      if (!answered_.contains(key.round)) failures_.try_emplace(collective_of(key), Failure{error, true});
      return std::nullopt;
    }
    case group_message::left_out: {
      auto error = message.body.size() == sizeof key.round ? nullptr : decode_error(message);
      std::lock_guard lock(mutex_);
      if (!answered_.contains(key.round)) failures_.try_emplace(collective_of(key), Failure{error, false, key.from});
      return std::nullopt;
    }
    case group_message::question: return compare(key, message, by);
    case group_message::answer: return compare(key, message, nullptr);
    case group_message::all_came: return std::nullopt;
  }
  throw io_error("a group message of kind " + std::to_string(header.flags) + " came from member " + std::to_string(key.from) + " of a group");
}

// A member that waits says in what (a question, which came `by` a connection). If that is not what this member is in, or was in at that time, both must hear
// of it.
std::optional<wire::Outgoing> Inbox::compare(const GroupMessageKey& with, wire::Message& message, const std::shared_ptr<road::Connection>& by) {
  std::string theirs;
  wire::Decoder in(message);
  in(theirs);
  std::lock_guard lock(mutex_);
  const Entered* mine = entered(with);
  if (mine == nullptr && by && with.round != 0) {
    Asked asked{with, std::move(theirs), by};
    in(asked.key.from);
    return answer_or_remember(std::move(asked));
  }
  if (mine == nullptr || mine->text == theirs) return std::nullopt;
  if (mine->inside) {
    auto error = std::make_exception_ptr(different_collectives(mine->index, mine->text, with.from, theirs));
    failures_.try_emplace(collective_of(with), Failure{error, false});
    return std::nullopt;
  }
  if (!by) return std::nullopt;
  std::optional<wire::Outgoing> answer(std::in_place);
  wire::Encoder encoder(*answer);
  encoder(mine->text);
  address_group_message(*answer, {with.round, with.group, with.sequence, mine->index}, group_message::answer);
  return answer;
}

bool Inbox::has_called(const GroupMessageKey& key) const {
  const auto list = entered_.find({key.round, key.group});
  return list != entered_.end() && !list->second.empty() && list->second.back().sequence >= key.sequence;
}

// About a collective that this member is not in.
std::optional<wire::Outgoing> Inbox::answer_or_remember(Asked asked) {
  const auto& key = asked.key;
  if (has_called(key)) return std::nullopt;
  if (const auto answer = answered_.find(key.round); answer != answered_.end()) return left_out(asked, answer->second);
  std::erase_if(asked_, [&](const Asked& each) { return each.key == key && each.by.lock() == asked.by.lock(); });
  if (asked_.size() == most_askers) asked_.pop_front();  // it asks again
  asked_.push_back(std::move(asked));
  return std::nullopt;
}

std::vector<Inbox::Asked> Inbox::answered(std::uint64_t round, const std::exception_ptr& error) {
  std::vector<Asked> tell;
  std::lock_guard lock(mutex_);
  if (!answered_.emplace(round, error).second) return tell;
  last_answered_.push_back(round);
  if (last_answered_.size() > most_answered) {
    forget_round(last_answered_.front());
    answered_.erase(last_answered_.front());
    last_answered_.pop_front();
  }
  const GroupMessageKey first{round, 0, 0, 0}, next{round + 1, 0, 0, 0};
  if (error) note_told({round, 0, 0});
  // What has come for it and was not read tells that members were in different collectives, if this one was in it and left it well.
  for (auto at = values_.lower_bound(first); at != values_.lower_bound(next);) {
    const Entered* mine = entered(at->first);
    at = mine == nullptr || mine->failed ? values_.erase(at) : std::next(at);
  }
  failures_.erase(failures_.lower_bound(collective_of(first)), failures_.lower_bound(collective_of(next)));
  taken_.erase(taken_.lower_bound(first), taken_.lower_bound(next));
  sent_.erase(sent_.lower_bound({round, 0}), sent_.lower_bound({round + 1, 0}));
  for (auto& each : asked_)
    if (each.key.round == round && !has_called(each.key)) tell.push_back(each);
  std::erase_if(asked_, [round](const Asked& each) { return each.key.round == round; });
  return tell;
}

// An error was told already, and nothing that has come for the collectives which this member has left shows one that would be told once more: in a call to
// all its caller gets it, for whichever of them it was.
void Inbox::note_told(const Collective& which) {
  const auto& [round, group, sequence] = which;
  for (auto at = entered_.lower_bound({round, round == 0 ? group : 0}); at != entered_.end() && at->first.first == round; ++at) {
    if (round == 0 && at->first.second != group) break;
    for (auto& each : at->second)
      if (!each.inside && (round != 0 || each.sequence <= sequence)) each.failed = true;
  }
}

const Inbox::Entered* Inbox::entered(const GroupMessageKey& key) const {
  auto found = entered_.find({key.round, key.group});
  if (found == entered_.end()) return nullptr;
  for (const auto& each : found->second)
    if (each.sequence == key.sequence) return &each;
  return nullptr;
}

bool Inbox::has(const GroupMessageKey& key) const {
  std::lock_guard lock(mutex_);
  return values_.contains(key) || failures_.contains(collective_of(key));
}

std::optional<Inbox::Taken> Inbox::take(const GroupMessageKey& key) {
  std::lock_guard lock(mutex_);
  auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  std::optional<Taken> first({std::move(found->second.front()), unread_before(key)});
  found->second.pop_front();
  if (found->second.empty()) values_.erase(found);
  ++taken_[key];
  return first;
}

bool Inbox::would_tell_of_other_rounds(const GroupMessageKey& mine) const {
  std::lock_guard lock(mutex_);
  return std::any_of(values_.begin(), values_.end(),
                     [&](const auto& each) { return each.first.group == mine.group && each.first.round != mine.round && is_unread(each.first); });
}

std::optional<Inbox::Failure> Inbox::failure(const GroupMessageKey& key) const {
  std::lock_guard lock(mutex_);
  auto found = failures_.find(collective_of(key));
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
  std::exception_ptr error;
  const auto [last, first_ever] = last_round_.try_emplace(mine.group, mine.round);
  if (!first_ever && std::exchange(last->second, mine.round) != mine.round) error = unread_in_other_rounds(mine);
  if (!error) error = unread_before(mine);
  drop(mine);
  sent_[{mine.round, mine.group}].clear();
  auto& list = entered_[{mine.round, mine.group}];
  list.push_back({mine.sequence, mine.from, text});
  if (list.size() > most_remembered) list.pop_front();
  return error;
}

void Inbox::leave(const GroupMessageKey& mine, bool well) {
  std::lock_guard lock(mutex_);
  auto& last = entered_[{mine.round, mine.group}].back();
  last.inside = false;
  last.failed = !well;
  if (!well) note_told(collective_of(mine));
}

void Inbox::forget(std::uint64_t group) {
  std::lock_guard lock(mutex_);
  std::erase_if(values_, [group](const auto& each) { return each.first.group == group; });
  std::erase_if(taken_, [group](const auto& each) { return each.first.group == group; });
  std::erase_if(failures_, [group](const auto& each) { return std::get<1>(each.first) == group; });
  std::erase_if(entered_, [group](const auto& each) { return each.first.second == group; });
  std::erase_if(sent_, [group](const auto& each) { return each.first.second == group; });
  last_round_.erase(group);
}

void Inbox::forget_round(std::uint64_t round) {
  values_.erase(values_.lower_bound({round, 0, 0, 0}), values_.lower_bound({round + 1, 0, 0, 0}));
  entered_.erase(entered_.lower_bound({round, 0}), entered_.lower_bound({round + 1, 0}));
}

void Inbox::count_sent(const GroupMessageKey& mine, const Address& to) {
  std::lock_guard lock(mutex_);
  ++sent_[{mine.round, mine.group}][to];
}

std::uint64_t Inbox::taken(const GroupMessageKey& key) const {
  std::lock_guard lock(mutex_);
  auto found = taken_.find(key);
  return found == taken_.end() ? 0 : found->second;
}

Inbox::owing Inbox::owes(const GroupMessageWait& awaited, const Address& to) const {
  std::lock_guard lock(mutex_);
  const Channel in{awaited.round, awaited.group};
  auto list = entered_.find(in);
  const bool none = list == entered_.end() || list->second.empty();
  if (answered_.contains(awaited.round)) return owing::nothing;  // the question tells
  if (none) return owing::by_one_not_begun;
  const auto& last = list->second.back();
  if (awaited.sequence < last.sequence) return owing::nothing;  // it has left that one
  if (awaited.sequence > last.sequence) return last.inside ? owing::by_this_collective : owing::by_one_not_begun;
  if (awaited.during != last.text) return owing::nothing;  // the question tells both that they are in different collectives
  std::uint64_t sent = 0;
  if (auto all = sent_.find(in); all != sent_.end())
    if (auto mine = all->second.find(to); mine != all->second.end()) sent = mine->second;
  return last.inside && sent == awaited.taken ? owing::by_this_collective : owing::nothing;
}

// A group message of a collective that went well here and that nobody read is of another one.
bool Inbox::is_unread(const GroupMessageKey& key) const {
  const Entered* mine = entered(key);
  return mine != nullptr && !mine->inside && !mine->failed && !failures_.contains(collective_of(key));
}

std::exception_ptr Inbox::unread(const GroupMessageKey& key) {
  if (!is_unread(key)) return nullptr;
  const Entered& mine = *entered(key);
  return std::make_exception_ptr(different_collectives(mine.index, mine.text, key.from, text_of(values_.at(key).front())));
}

std::exception_ptr Inbox::unread_before(const GroupMessageKey& mine) {
  std::exception_ptr error;
  for (auto at = values_.lower_bound({mine.round, mine.group, 0, 0});
       !error && at != values_.end() && at->first < GroupMessageKey{mine.round, mine.group, mine.sequence, 0}; ++at)
    error = unread(at->first);
  return error;
}

// The same where the next collective is called in another call to all: then the earlier ones show nothing any more.
std::exception_ptr Inbox::unread_in_other_rounds(const GroupMessageKey& mine) {
  std::exception_ptr error;
  for (auto at = values_.begin(); at != values_.end();) {
    const auto& key = at->first;
    const Entered* then = key.group == mine.group && key.round != mine.round ? entered(key) : nullptr;
    if (then != nullptr && !error) error = unread(key);
    at = then != nullptr && !then->inside ? values_.erase(at) : std::next(at);
  }
  return error;
}

void Inbox::drop(const GroupMessageKey& before) {
  const GroupMessageKey first{before.round, before.group, 0, 0}, next{before.round, before.group, before.sequence, 0};
  values_.erase(values_.lower_bound(first), values_.lower_bound(next));
  taken_.erase(taken_.lower_bound(first), taken_.lower_bound(next));
  failures_.erase(failures_.lower_bound(collective_of(first)), failures_.lower_bound(collective_of(next)));
}

}  // namespace octavo::detail
