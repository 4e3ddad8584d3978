// SPDX-License-Identifier: Apache-2.0
#include "process/inbox.hpp"

#include "octavo/base/error.hpp"
#include "process/error_report.hpp"

namespace octavo::detail {

void Inbox::put(wire::Message message) {
  const auto& header = message.header;
  LetterKey key{header.root, header.call, static_cast<std::uint32_t>(header.method)};
  switch (static_cast<letter>(header.flags)) {
    case letter::value: {
      std::lock_guard lock(mutex_);
      values_[key].push_back(std::move(message));
      return;
    }
    case letter::failure: {
      auto error = decode_error(message);
      std::lock_guard lock(mutex_);
      failures_.try_emplace({key.group, key.sequence}, Failure{error, true});
      return;
    }
    case letter::question: return compare(key, message);
  }
  throw io_error("a letter of kind " + std::to_string(header.flags) + " came from member " + std::to_string(key.from) + " of a group");
}

void Inbox::compare(const LetterKey& asker, wire::Message& question) {
  std::string theirs;
  wire::Decoder in(question);
  in(theirs);
  std::lock_guard lock(mutex_);
  auto mine = entered_.find(asker.group);
  if (mine == entered_.end() || mine->second.sequence != asker.sequence || mine->second.text == theirs) return;
  auto error = std::make_exception_ptr(different_collectives(mine->second.index, mine->second.text, asker.from, theirs));
  failures_.try_emplace({asker.group, asker.sequence}, Failure{error, false});
}

bool Inbox::has(const LetterKey& key) const {
  std::lock_guard lock(mutex_);
  return values_.contains(key) || failures_.contains({key.group, key.sequence});
}

std::optional<wire::Message> Inbox::take(const LetterKey& key) {
  std::lock_guard lock(mutex_);
  auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  std::optional<wire::Message> first(std::move(found->second.front()));
  found->second.pop_front();
  if (found->second.empty()) values_.erase(found);
  return first;
}

std::optional<Inbox::Failure> Inbox::failure(const LetterKey& key) const {
  std::lock_guard lock(mutex_);
  auto found = failures_.find({key.group, key.sequence});
  return found == failures_.end() ? std::nullopt : std::optional(found->second);
}

void* Inbox::keep(const std::function<std::shared_ptr<void>()>& make) {
  std::lock_guard lock(mutex_);
  if (!kept_) kept_ = make();
  return kept_.get();
}

std::uint64_t Inbox::count_up() {
  std::lock_guard lock(mutex_);
  return ++count_;
}

void Inbox::enter(const LetterKey& mine, std::string text) {
  std::lock_guard lock(mutex_);
  drop_older(mine);
  entered_.insert_or_assign(mine.group, Entered{mine.sequence, mine.from, std::move(text)});
}

void Inbox::leave(const LetterKey& mine) {
  std::lock_guard lock(mutex_);
  entered_.erase(mine.group);
}

// What a collective that failed left behind.
void Inbox::drop_older(const LetterKey& than) {
  values_.erase(values_.lower_bound({than.group, 0, 0}), values_.lower_bound({than.group, than.sequence, 0}));
  failures_.erase(failures_.lower_bound({than.group, 0}), failures_.lower_bound({than.group, than.sequence}));
}

}  // namespace octavo::detail
