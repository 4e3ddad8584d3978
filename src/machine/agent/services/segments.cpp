// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/segments.hpp"

#include "base/overloaded.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {
std::string content(std::uint64_t elements, const std::string& type) { return std::to_string(elements) + " of type " + type; }
}  // namespace

void Segments::take(const RequesterPtr& requester, const control::SegmentNotice& notice) {
  std::visit(overloaded{[&](const control::OpenSegment& request) {
                          own_process(requester);
                          requester->answer(control::SegmentAt{0, open(request)});
                        },
                        [](const control::SegmentAt&) { refuse_told_to_processes(); }},
             notice);
}

std::optional<wire::PageRef> Segments::open(const control::OpenSegment& request) {
  const auto found = segments_.find(request.name);
  if (found != segments_.end() && is_there_(found->second.page)) {
    const auto& there = found->second;
    if (there.type != request.type || there.elements != request.elements)
      throw usage_error("segment '" + request.name + "' has " + content(there.elements, there.type) + ", not " + content(request.elements, request.type),
                        "Use one type and size for one name; its memory is free again when nobody has it any more");
    return there.page;
  }
  if (request.offered) enter(request);
  return request.offered;
}

void Segments::enter(const control::OpenSegment& request) {
  const auto& name = request.name;
  if (name.empty() || name.size() > longest_name)
    throw usage_error("the name of a segment has " + std::to_string(name.size()) + " bytes, not 1 to " + std::to_string(longest_name));
  if (!is_there_(*request.offered) || request.offered->bytes != request.bytes)
    throw io_error("segment '" + name + "' of " + std::to_string(request.bytes) + " bytes was offered by its process as a page that is not there");
  if (segments_.size() >= most_names && !segments_.contains(name)) std::erase_if(segments_, [this](const auto& each) { return !is_there_(each.second.page); });
  if (segments_.size() >= most_names && !segments_.contains(name))
    throw refused("more than " + std::to_string(most_names) + " segments with names on one machine",
                  "Let go of some, or make them without names and pass them as arguments");
  segments_.insert_or_assign(name, Segment{request.type, request.elements, *request.offered});
}

}  // namespace octavo::agent
