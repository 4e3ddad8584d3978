// SPDX-License-Identifier: Apache-2.0
#include "message/channel/edges.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

void wake_waiters() { Endpoint::require().wake_waiters(); }

void read_now() { Endpoint::require().poller().read_now(); }

bool agent_is_gone() noexcept {
  auto* here = Endpoint::current();
  return here == nullptr || here->around().links.orphaned();
}

void adopt_posted(wire::Message& message) { adopt_pages(Endpoint::require().around().pool, message); }

bool take_posted(std::uint64_t edge, Posted& into, const Predicate& here, road::Deadline deadline) {
  return Edges::here().take_posted(edge, into, here, deadline);
}

bool wait_at(const std::string& at, const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline) {
  const Visit visit;  // the Runtime may end meanwhile, in another thread
  const bool is_done = Endpoint::current() != nullptr && wait_until([&] { return done() || agent_is_gone(); }, deadline);
  if (agent_is_gone()) throw gone_error("waiting at " + at + ": " + gone_text());
  return is_done;
}

void look_at_edges(Endpoint& core, BackgroundSender& background) {
  core.around().links.something_changed();
  core.wake_waiters();
  if (core.context().serves()) background.look_around_soon();
}

void watch(const Surroundings& around, const Life& who) {
  if (who.who == around.self.address) return;
  around.links.watch(who);
  around.agent.tell(control::Watch{{who}});
}

void watch_all(const Surroundings& around, const std::vector<LeftBehind>& places) {
  for (const auto& each : places) watch(around, each.who);
}

Edges::Edges(Endpoint& core) : core_(core), around_(core.around()), poller_(core.poller()) {
  for (const auto kind : {wire::frame_kind::post, wire::frame_kind::taken}) core.frames().add<&Edges::take>(kind, *this);
  core.frames().add_in_place<&Edges::receives_in_place>(wire::frame_kind::post, *this);
}

Edges::~Edges() {
  for (const auto& each : all()) each->inlet().show_unread(nullptr);
}

std::shared_ptr<EdgeBase> Edges::open(std::uint64_t id, const std::function<std::shared_ptr<EdgeBase>()>& make) {
  std::unique_lock lock(mutex_);
  if (edges_.size() >= look_at_ && !edges_.contains(id)) {
    lock.unlock();
    forget_unused();
    lock.lock();
  }
  const auto found = edges_.find(id);
  return found != edges_.end() ? found->second : edges_.emplace(id, make()).first->second;
}

std::size_t Edges::known() const {
  std::lock_guard lock(mutex_);
  return edges_.size();
}

// No Mailbox has it, nor does a question to the agent: but for the two references here.
void Edges::forget_unused() {
  std::vector<std::uint64_t> unused;
  for (const auto& edge : all())
    if (!edge->facts().numbered && edge.use_count() == 2 && edge->is_unused()) unused.push_back(edge->facts().id);
  std::lock_guard lock(mutex_);
  for (const auto id : unused)
    if (const auto found = edges_.find(id); found != edges_.end() && found->second.use_count() == 1) edges_.erase(found);
  look_at_ = std::max(fewest_to_look_at, 2 * edges_.size());
}

std::shared_ptr<EdgeBase> Edges::find(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  auto found = edges_.find(id);
  return found == edges_.end() ? nullptr : found->second;
}

std::uint64_t Edges::new_channel() {
  const auto& self = around_.self.address;
  const std::string name = std::to_string(self.agent) + "." + std::to_string(self.incarnation) + "." + std::to_string(self.object) + "." +
                           std::to_string(around_.self.pid) + "." + std::to_string(++channels_made_);
  return hash_of(name) | (std::uint64_t{1} << 63);
}

void Edges::forget(std::uint64_t id) {
  std::shared_ptr<EdgeBase> last;  // it ends without the lock
  std::lock_guard lock(mutex_);
  const auto found = edges_.find(id);
  if (found == edges_.end()) return;
  last = std::move(found->second);
  edges_.erase(found);
}

std::vector<std::shared_ptr<EdgeBase>> Edges::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<EdgeBase>> all;
  for (const auto& [id, edge] : edges_) all.push_back(edge);
  return all;
}

void Edges::take(wire::Message& message, const PeerLink& from) {
  const auto& header = message.header;
  if (header.kind == wire::frame_kind::taken) return hear_receipt(header.method, {{header.call, header.root}, header.flags}, from.facts);
  auto edge = find(header.method);
  if (!edge && is_channel(header.method)) return;  // its reader is gone
  if (!edge) return log_line("process " + std::to_string(from.facts.address.object) + " posted to a mailbox that is not here: it is dropped");
  edge->arrived(std::move(message), from.facts);
}

void Edges::hear_receipt(std::uint64_t edge, const Receipt& receipt, const Life& from) {
  if (receipt.flags != 0 || receipt.taken.messages != 0) {
    if (const auto found = find(edge)) found->hear_receipt(receipt, from);
    else if (receipt.flags == flag_reader_moved) send_receipt(edge, "a channel", from, {receipt.taken, flag_writer_is_elsewhere});
    return;
  }
  for (const auto& each : all())  // the process reads it no more, or (no edge) none
    if (edge == 0 ? !is_channel(each->facts().id) : each->facts().id == edge) each->reader_left(from.who);
}

// Before the call that destroys the object is answered: what its caller, or a thread that the caller tells, posts then finds that the reader is gone.
void Edges::object_destroyed() {
  ending();
  bool read_here = false;
  for (const auto& each : all()) read_here = each->stop_reading() || read_here;
  if (!read_here) return;
  std::vector<PeerLink> links;  // not the reader's view of them: this thread has lent that role
  std::uint64_t seen = 0;
  around_.links.refresh(links, seen);
  wire::SmallFrame none;
  none.kind = wire::frame_kind::taken;
  for (const auto& link : links) {
    try {
      core_.sender().post_small(link.facts.address, none, Sender::when_full::hand_over);
    } catch (const error&) {  // it is dead itself
    }
  }
}

void Edges::ending() {
  for (const auto& each : all()) each->finish_posting();
}

bool Edges::keeps_awake() const {
  const auto edges = all();
  return std::any_of(edges.begin(), edges.end(), [](const auto& each) { return each->holds_something(); });
}

bool Edges::receives_in_place(const wire::FrameHeader& header) {
  auto edge = find(header.method);
  return edge != nullptr && edge->inlet().receives_in_place(header.call);
}

void Edges::something_changed() {
  for (const auto& edge : all()) {
    try {
      edge->look_around();
    } catch (const std::exception& e) {  // the thread that reads here waits for something else
      log_line(edge->facts().text + ": " + e.what());
    }
  }
}

}  // namespace octavo::detail
