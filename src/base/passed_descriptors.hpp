// SPDX-License-Identifier: Apache-2.0
// Descriptors beside a message of a Unix socket (SCM_RIGHTS).
//
//   PassedDescriptors beside;
//   beside.attach(message, descriptors);  ::sendmsg(socket, &message, flags);
//   beside.expect(message);               ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
//   auto came = PassedDescriptors::take(message);
//
// Threading: one, and it lives as long as the message is used.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "octavo/base/fd.hpp"

namespace octavo {

class PassedDescriptors {
 public:
  static constexpr std::size_t most = 4;

  // Up to `most`; none: nothing is attached.
  void attach(msghdr& message, std::span<const int> descriptors) noexcept;
  void expect(msghdr& message) noexcept;
  static std::vector<int> numbers_of(std::span<const Fd> descriptors);
  // Copies, closed on exec, of descriptors that are to be sent later. Throws io_error, saying for whom.
  static std::vector<Fd> keep(std::span<const int> descriptors, const std::string& doing);
  // What came with a message that was received.
  static std::vector<Fd> take(msghdr& message);
  // Some did not: this process has as many open as it may.
  static bool some_were_lost(const msghdr& message) noexcept { return (message.msg_flags & MSG_CTRUNC) != 0; }

 private:
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most * sizeof(int))> space_{};
};

}  // namespace octavo
