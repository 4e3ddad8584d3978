// SPDX-License-Identifier: Apache-2.0
#include "message/home_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

namespace {

// Of the same user, so that /proc lets this process open it.
void* mapped(const control::HomeSegmentAt& there, std::size_t bytes, const std::string& name) {
  const auto path = "/proc/" + std::to_string(there.pid) + "/fd/" + std::to_string(there.descriptor);
  const std::string doing = "mapping segment '" + name + "', which the lasting agent has as " + path;
  const Fd memory(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (!memory || ::fstat(memory.get(), &status) != 0) throw io_error_from(errno, doing);
  if (static_cast<std::uint64_t>(status.st_ino) != there.inode || static_cast<std::uint64_t>(status.st_size) != bytes)
    throw io_error(doing + ": that is another file", "The lasting agent runs where processes have other numbers, as in a container: use one home for each");
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, doing);
  return at;
}

}  // namespace

HomeMemory::HomeMemory(const control::HomeSegmentRequest& request) : name_(request.name), bytes_(static_cast<std::size_t>(request.bytes)) {
  auto& agent = Endpoint::require().around().agent;
  const auto there = agent.ask<control::HomeSegmentAt>(request);
  inode_ = there.inode;
  try {
    at_ = mapped(there, bytes_, name_);
  } catch (...) {
    leave(agent);
    throw;
  }
}

HomeMemory::~HomeMemory() {
  if (at_ != nullptr) ::munmap(at_, bytes_);
}

void HomeMemory::leave(AgentClient& agent) const noexcept {
  try {
    static_cast<void>(agent.ask_later<control::Done>(control::HomeSegmentLeft{0, name_, inode_}, [](const control::Done*, const std::exception_ptr&) {}));
  } catch (const error&) {  // the agent is gone, and with it this process's claim
  }
}

}  // namespace octavo::detail
