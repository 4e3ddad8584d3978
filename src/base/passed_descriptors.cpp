// SPDX-License-Identifier: Apache-2.0
#include "base/passed_descriptors.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "octavo/base/error.hpp"

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

std::vector<int> PassedDescriptors::numbers_of(std::span<const Fd> descriptors) {
  std::vector<int> numbers(descriptors.size());
  std::transform(descriptors.begin(), descriptors.end(), numbers.begin(), [](const Fd& each) { return each.get(); });
  return numbers;
}

std::vector<Fd> PassedDescriptors::keep(std::span<const int> descriptors, const std::string& doing) {
  std::vector<Fd> kept;
  for (const int descriptor : descriptors) {
    kept.emplace_back(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (!kept.back()) throw io_error_from(errno, doing);
  }
  return kept;
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
