// SPDX-License-Identifier: Apache-2.0
// The callee's end of the shortest way: a call of a few numbers is run from its line of the lane, and its answer is the next line back. No message
// is made. Whatever is not as usual is left to the way of every call (serve.cpp), which finds the line where it lies.
#include <tuple>
#include <utility>

#include "process/cycle/scopes.hpp"
#include "process/endpoint.hpp"
#include "process/serve/reply.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

namespace {
constexpr int looks_at_the_caller = 20;  // each of
constexpr int looks_at_once = 4;         // with pauses
}  // namespace

// The next call, if it is such a one; in the turn of its connection.
bool Endpoint::serve_small() {
  if (!object_ || keeper_ || arrived_ || !queue_.empty() || peers_.links().changed(links_version_) || peers_.links().deaths_wait() || executor_->has())
    return false;
  for (std::size_t i = 0, all = links_.size(), at = first_link_; i < all; ++i, ++at) {
    if (at >= all) at = 0;
    const auto& link = links_[at];
    if (!link.connection->ready()) continue;
    wire::SmallFrame call;
    if (!link.connection->next_small(call) || call.kind != wire::frame_kind::call) return false;
    const Method* method = methods_.find(call.method);
    if (method == nullptr || method->run_plain == nullptr || call.size < method->plain_bytes) return false;
    void* object = object_->seen(*method->type);
    if (object == nullptr) return false;
    link.connection->pop_small();
    first_link_ = at + 1;  // the others' turn
    called_again_ = std::exchange(last_caller_, at) == at;
    arrives_from(link);
    peers_.row().received(sizeof(wire::FrameHeader) + call.size);
    if (!link.route) peers_.row().count_arrival();  // others have counted it
    run_small(call, *method, object);
    return true;
  }
  return false;
}

// Who called twice calls again, most likely, as soon as he has his answer: a look where that will show itself takes a fraction of what a round of
// everything takes. Until something else is to be done.
void Endpoint::await_small() const {
  if (!called_again_ || last_caller_ >= links_.size() || peers_.bell().crowded()) return;
  auto something = [this] { return !queue_.empty() || something_changed() || executor_->has() || peers_.asked_to_rest() || some_link_is_ready(); };
  auto& caller = *links_[last_caller_].connection;
  if (something() || caller.await_next()) return;
  const auto mark = caller.next_mark();
  for (int look = 0; look < looks_at_the_caller; ++look)
    if (mark.comes(looks_at_once) || something()) return;
}

// The method may read, and what was connected may be so no longer: hence links_round_.
void Endpoint::run_small(const wire::SmallFrame& call, const Method& method, void* object) {
  RootScope scope(*this, call.root, call.flags);
  stray_ = false;
  root_begun_here_ = call.root == root_of(arriving_.from.caller(), call.call);
  ShownCall shown(peers_.row(), call.kind, &method);
  running_.push_back({arriving_.from.caller(), call.call, depth_});
  wire::SmallFrame answer = call;
  std::exception_ptr error;
  try {
    answer.size = static_cast<std::uint16_t>(method.run_plain(object, call.body.data(), answer.body.data()));
  } catch (...) {
    error = std::current_exception();
  }
  running_.pop_back();
  auto* direct = arriving_.from.direct(links_round_);
  if (!error && direct != nullptr) {
    answer.kind = wire::frame_kind::reply;
    answer.flags = others_may_run(call.root, true) ? wire::flag_more_may_run : 0;
    if (direct->send_small(answer) == road::sent_now::sent) return peers_.row().sent(sizeof(wire::FrameHeader) + answer.size);
  }
  auto& header = arriving_.message.header;
  if (auto connection = arriving_.from.connection()) header = connection->header_of(call);
  std::tie(header.kind, header.call, header.root, header.flags, header.method) = std::tie(call.kind, call.call, call.root, call.flags, call.method);
  Reply::Impl reply(*this, arriving_, &method);
  if (error) Reply(reply).fail(error);
  else Reply(reply).plain(answer.body.data(), answer.size);
}

}  // namespace octavo::detail
