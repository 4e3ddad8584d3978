// SPDX-License-Identifier: Apache-2.0
#include "base/passed_descriptors.hpp"

#include <cstring>

namespace octavo {

void PassedDescriptors::attach(msghdr& message, std::span<const int> descriptors) noexcept {
  if (descriptors.empty()) return;
  message.msg_control = space_.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
}

void PassedDescriptors::expect(msghdr& message) noexcept {
  message.msg_control = space_.data();
  message.msg_controllen = space_.size();
}

std::vector<Fd> PassedDescriptors::take(msghdr& message) {
  std::vector<Fd> came;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    came.reserve(came.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      came.emplace_back(number);
    }
  }
  return came;
}

}  // namespace octavo
