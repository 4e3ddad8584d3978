// SPDX-License-Identifier: Apache-2.0
// A mailbox at one endpoint: an edge whose reader is found by its name.
#pragma once

#include "octavo/message/detail/channel/edge.hpp"

namespace octavo::detail {

EdgeFacts mailbox_facts(std::string name, std::string type, const Bound& bound);
std::unique_ptr<Meeting> meeting_at_mailbox(const std::string& name, const std::string& type);

template <class T>
class MailboxEndpoint final : public Edge<T> {
 public:
  MailboxEndpoint(const std::string& name, const std::string& type, const Bound& bound)
      : Edge<T>(mailbox_facts(name, type, bound), meeting_at_mailbox(name, type)) {}
};

// The mailbox of that name at this thread's endpoint; made by `make` when there is none yet. Throws usage_error if it is of another type.
std::shared_ptr<EdgeBase> mailbox_endpoint(const std::string& name, std::string_view type, const std::function<std::shared_ptr<EdgeBase>()>& make);

// The same; null: nobody has used it here.
std::shared_ptr<EdgeBase> known_mailbox(const std::string& name);

}  // namespace octavo::detail
