// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/home/home_segments.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/overloaded.hpp"
#include "machine/notices/home_name.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {

constexpr std::size_t most_segments = 4096;

std::string what_it_has(std::uint64_t elements, const std::string& type) { return std::to_string(elements) + " of type " + type; }

// All zeros, of a sealed size: what a process has mapped stays there.
Fd make_memory(const std::string& name, std::uint64_t bytes) {
  Fd memory(::memfd_create("octavo-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw io_error_from(errno, "making segment '" + name + "' of " + std::to_string(bytes) + " bytes");
  return memory;
}

std::uint64_t inode_of(const Fd& memory) {
  struct stat status {};
  return ::fstat(memory.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

}  // namespace

void HomeSegments::take(const RequesterPtr& requester, const control::HomeSegmentNotice& notice) {
  std::visit(
      overloaded{[&](const control::HomeSegmentRequest& request) { use(requester, request); },
                 [&](const control::HomeSegmentLeft& request) { use(requester, request); }, [](const control::HomeSegmentAt&) { refuse_told_to_processes(); }},
      notice);
}

template <class Request>
void HomeSegments::use(const RequesterPtr& requester, const Request& request) {
  if (PeerAgent* from = requester->peer(); from != nullptr) from->theirs.try_emplace(requester->facts().address, requester->facts());
  if (self_.daemon) return fulfil(requester, request);
  PeerAgent* hub = routes_.hub();
  const auto to = hub != nullptr ? Routes::To(hub) : routes_.names_of({});
  if (to && *to != nullptr && deaths_.find(requester->facts()) == nullptr) deaths_.watch((*to)->listener(), requester->facts());
  static_cast<void>(routes_.forward(to, requester, request));
}

void HomeSegments::fulfil(const RequesterPtr& requester, const control::HomeSegmentRequest& request) {
  const auto& who = requester->facts();
  if (who.machine != self_.machine)
    throw not_supported("segment '" + request.name + "' of the home is memory of " + self_.machine + ", and " + who.class_name + " is on " + who.machine,
                        "Send segment.copy(), or keep the segment to one machine");
  auto& found = segment(request);
  ++found.holders[who.address];
  requester->answer(control::HomeSegmentAt{0, ::getpid(), found.memory.get(), found.inode});
}

HomeSegments::Segment& HomeSegments::segment(const control::HomeSegmentRequest& request) {
  if (!is_of_home(request.name)) throw usage_error("'" + request.name + "' is no name of a segment of the home", "Begin it with ov://home/");
  const auto name = address_name(request.name);
  if (const auto found = segments_.find(name); found != segments_.end()) {
    auto& there = found->second;
    if (there.type != request.type || there.elements != request.elements || there.bytes != request.bytes)
      throw usage_error(
          "segment '" + request.name + "' has " + what_it_has(there.elements, there.type) + ", not " + what_it_has(request.elements, request.type),
          "Use one type and size for one name; its memory is free again when nobody has it any more");
    return there;
  }
  if (segments_.size() >= most_segments) throw refused("more than " + std::to_string(most_segments) + " segments of the home", "Let go of some first");
  Segment made{request.type, request.elements, request.bytes, 0, make_memory(request.name, request.bytes), {}};
  made.inode = inode_of(made.memory);
  return segments_.emplace(name, std::move(made)).first->second;
}

void HomeSegments::fulfil(const RequesterPtr& requester, const control::HomeSegmentLeft& request) {
  const auto found = segments_.find(address_name(request.name));
  if (found != segments_.end() && found->second.inode == request.inode) {
    auto& holders = found->second.holders;
    const auto holder = holders.find(requester->facts().address);
    if (holder != holders.end() && --holder->second <= 0) holders.erase(holder);
    if (holders.empty()) segments_.erase(found);
  }
  requester->answer(control::Done{});
}

void HomeSegments::process_died(const ProcessFacts& who) {
  for (auto each = segments_.begin(); each != segments_.end();) {
    auto& holders = each->second.holders;
    each = holders.erase(who.address) != 0 && holders.empty() ? segments_.erase(each) : std::next(each);
  }
}

}  // namespace octavo::agent
