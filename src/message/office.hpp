// SPDX-License-Identifier: Apache-2.0
// The mailboxes that one endpoint knows. Threading: any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "octavo/message/detail/box.hpp"

namespace octavo::detail {

class Office final : public PostOffice {
 public:
  bool lands(std::uint64_t mailbox) override;
  void take(wire::Message message, const Address& from) override;
  void were_taken(std::uint64_t mailbox, std::uint64_t messages, std::uint64_t bytes) override;
  void look_around() override;
  std::shared_ptr<BoxBase> find(const std::string& name, std::string_view type, const std::function<std::shared_ptr<BoxBase>()>& make);

 private:
  std::shared_ptr<BoxBase> box(std::uint64_t id);
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<BoxBase>> boxes_;  // by what frames name them by
};

}  // namespace octavo::detail
