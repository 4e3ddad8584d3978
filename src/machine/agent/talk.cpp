// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/talk.hpp"

#include <cstdint>

#include "machine/notice_bytes.hpp"

namespace octavo::talk {

wire::Body encode(const Notice& notice) { return bytes_of_notice(notice, SIZE_MAX, "a notice to another agent"); }
Notice decode(ByteView bytes) { return notice_of_bytes<Notice>(bytes, "a notice of another agent", "Install the same Octavo on both machines"); }

}  // namespace octavo::talk
