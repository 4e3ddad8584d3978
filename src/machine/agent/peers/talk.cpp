// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/peers/talk.hpp"

#include "machine/notice_bytes.hpp"

namespace octavo::talk {

namespace {
constexpr auto what = "a notice of another agent", cure = "Install the same Octavo on both machines";
}

wire::Body encode(const Notice& notice) {
  return control::sealed(control::service::of_agents, bytes_of_notice(notice, UINT32_MAX, "a notice to another agent"));
}

Notice decode(ByteView bytes) {
  const auto envelope = control::opened(bytes, what, cure);
  if (envelope.of != control::service::of_agents) control::unknown_service(envelope.of, what, cure);
  return notice_of_bytes<Notice>(envelope.body, what, cure);
}

}  // namespace octavo::talk
