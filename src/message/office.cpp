// SPDX-License-Identifier: Apache-2.0
#include "message/office.hpp"

#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

std::shared_ptr<BoxBase> Office::find(const std::string& name, std::string_view type, const std::function<std::shared_ptr<BoxBase>()>& make) {
  std::lock_guard lock(mutex_);
  auto& box = boxes_[hash_of(name)];
  if (!box) box = make();
  if (box->name() != name) throw usage_error("mailboxes '" + name + "' and '" + box->name() + "' cannot be told apart", "Give one of them another name");
  if (box->type() != type)
    throw usage_error("mailbox '" + name + "' holds messages of type " + box->type() + ", not of type " + std::string(type), "Use one type for one name");
  return box;
}

std::shared_ptr<BoxBase> Office::box(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  auto found = boxes_.find(id);
  return found == boxes_.end() ? nullptr : found->second;
}

bool Office::receives_in_place(std::uint64_t mailbox) {
  auto box = this->box(mailbox);
  return box != nullptr && box->receives_in_place();
}

void Office::take(wire::Message message, const Address& from) {
  auto box = this->box(message.header.method);
  if (!box) return log_line("process " + std::to_string(from.object) + " posted to a mailbox that is not here: it is dropped");
  if (message.header.kind == wire::frame_kind::taken) box->were_taken(message.header.call, message.header.root);
  else box->arrived(std::move(message), from);
}

void Office::were_taken(std::uint64_t mailbox, std::uint64_t messages, std::uint64_t bytes) {
  if (auto box = this->box(mailbox)) box->were_taken(messages, bytes);
}

void Office::look_around() {
  std::vector<std::shared_ptr<BoxBase>> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, box] : boxes_) all.push_back(box);
  }
  for (const auto& box : all) {
    try {
      box->look_around();
    } catch (const std::exception& e) {  // whoever reads here now waits for something else
      log_line("mailbox '" + box->name() + "': " + e.what());
    }
  }
}

}  // namespace octavo::detail
