// SPDX-License-Identifier: Apache-2.0
#include "process/context/call_context.hpp"

namespace octavo::detail {

// SplitMix64's finalizer.
std::uint64_t root_of(const Address& caller, std::uint64_t call) noexcept {
  std::uint64_t mixed = caller.agent ^ caller.object * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  const std::uint64_t root = (mixed ^ mixed >> 31) + call;
  return root != 0 ? root : 1;
}

bool CallContext::is_callback(const wire::FrameHeader& call) const noexcept {
  if (root_ == 0 || call.root != root_ || call.kind == wire::frame_kind::destroy) return false;
  const auto depth = depth_in(call.flags);
  return depth_ == 0 || depth == 0 || depth > depth_;
}

std::uint8_t CallContext::depth_of_next_call() const noexcept {
  constexpr std::uint8_t deepest = flag_to_all - 1;
  if (root() == 0) return 1;
  return depth_ == 0 || depth_ == deepest ? 0 : static_cast<std::uint8_t>(depth_ + 1);
}

}  // namespace octavo::detail
