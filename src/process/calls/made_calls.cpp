// SPDX-License-Identifier: Apache-2.0
#include "process/calls/made_calls.hpp"

#include <numeric>

#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"
#include "process/context/frame_facts.hpp"
#include "process/errors/loss.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

namespace {
// Of an object with a lasting address that a call is sent to, when it ends before it has heard it. One that rests soon may do so many times, on a busy machine.
constexpr int most_lives = 100;

std::string text_of(const std::exception_ptr& lost) {
  try {
    std::rethrow_exception(lost);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an error that has no text";
  }
}

// One line for each process: of many calls to one that died all say the same.
void log_lost(std::multimap<Address, std::exception_ptr>& lost, const ToldDeaths& told) {
  std::erase_if(lost, [&](const auto& each) { return told.is_no_news(each.first, each.second); });
  for (auto at = lost.begin(); at != lost.end(); at = lost.upper_bound(at->first)) {
    const auto more = lost.count(at->first) - 1;
    log_line("a call to process " + std::to_string(at->first.object) + " failed and nobody looked" +
             (more == 0 ? "" : " (and so did " + std::to_string(more) + " more)") + ": " + text_of(at->second));
  }
}

// Of what is started the future says what went wrong. Other frames are begun by those who ask at once how it went.
bool tells_its_future(wire::frame_kind kind) { return kind == wire::frame_kind::call || kind == wire::frame_kind::construct; }

std::size_t bytes_of_pages(const wire::Outgoing& out) {
  return std::accumulate(out.pages.begin(), out.pages.end(), std::size_t{0}, [](std::size_t sum, const wire::PageRef& page) { return sum + page.bytes; });
}

std::exception_ptr ended_before(const Address& callee) {
  return std::make_exception_ptr(gone_error("the Runtime ended before process " + std::to_string(callee.object) + " had answered"));
}
// An object that is being made has one life. Where it has ended in that, its name is gone, too: what it died of tells more.
PeerLink link_for(wire::frame_kind kind, const Address& to, LinkTable& links) {
  try {
    return links.link_to(to);
  } catch (const gone_error&) {
    if (kind == wire::frame_kind::construct && to.lasting() && !links.orphaned()) links.raise_gone(to);
    throw;
  }
}
}  // namespace

MadeCalls::MadeCalls(const Surroundings& around, Poller& poller, Sender& sender, CallContext& context, Wait wait)
    : around_(around), poller_(poller), sender_(sender), context_(context), wait_(std::move(wait)) {}

// Those that wait for these calls may outlive the endpoint, and own each other: nothing is left untold.
void MadeCalls::end() {
  std::vector<PendingCall> left;
  std::multimap<Address, std::exception_ptr> lost;
  {
    std::lock_guard lock(mutex_);
    ended_.store(true, std::memory_order_relaxed);
    lost.swap(lost_errors_);
    left = pending_.take_those([](const PendingCall&) { return true; });
    count_.store(pending_.size(), std::memory_order_relaxed);
  }
  log_lost(lost, around_.links.told());
  for (auto& call : left) call.state->fail(ended_before(call.to));
}

// --- beginning ---

void MadeCalls::begin(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out,
                      Sender::when_full how) {
  if (!start_quickly(state, to, kind, method, out)) begin_usual(state, to, kind, method, out, {how});
}

void MadeCalls::begin(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method, ByteView numbers) {
  state->plain = true;
  if (start_small(state, to, method, numbers)) return;
  state->plain = false;
  wire::Outgoing out;
  out.body.append(numbers.data(), numbers.size());
  begin_usual(state, to, wire::frame_kind::call, method, out, {Sender::when_full::wait_for_room});
}

QuickCall MadeCalls::begin_quickly(const Address& to, std::uint64_t method, wire::Outgoing& out, SendAside aside) {
  if (auto quick = try_quickly(to, method, out); quick.reply || quick.begun) return quick;
  QuickCall call{std::nullopt, std::make_shared<State<void>>()};
  // A thread that sends aside may be interrupted while it waits for the answer, not while it waits for room: then at most one frame a thread is kept.
  constexpr std::size_t most_kept = 1 << 20;
  const WhenFull full = aside != nullptr ? WhenFull{Sender::when_full::wait_then_hand_over, most_kept} : WhenFull{Sender::when_full::wait_for_room};
  const auto send = [&] { begin_usual(call.begun, to, wire::frame_kind::call, method, out, full); };
  if (aside != nullptr) aside(send);
  else send();
  return call;
}

void MadeCalls::begin_usual(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out,
                            WhenFull full) {
  if (has_ended()) {
    state->callee = to;
    return state->fail(ended_before(to));
  }
  try {
    auto link = link_for(kind, to, around_.links);
    state->callee = to;
    sender_.fill_header(out.header, to, kind, method);
    send(link, state, out, full);
  } catch (const error& e) {
    const bool on_the_way = state->call != 0 && forget(state->call) != nullptr;
    // usage: the caller's own, such as a pointer that points nowhere
    if (on_the_way || !tells_its_future(kind) || e.kind() == error_kind::usage) throw;
    state->callee = to;
    if (state->call == 0) state->fail(std::current_exception());
  }
}

void MadeCalls::enter(std::uint64_t call, PendingCall pending) {
  pending.state->call = call;
  {
    std::lock_guard lock(mutex_);
    if (!has_ended()) {
      pending_.enter(call, std::move(pending));
      count_.store(pending_.size(), std::memory_order_relaxed);
      return;
    }
  }
  pending.state->fail(ended_before(pending.to));  // the end came since the call began
}

// The callee may have died between our look and our entry, and its end been dealt with then: nobody else would tell this call. While the
// reader has still to deal with it, the reply may be there to be read.
void MadeCalls::fail_if_forgotten(const std::shared_ptr<StateBase>& state, const PeerLink& link, std::uint64_t call) {
  delay_point("call: looks whether its process had died");
  auto obituary = around_.links.obituary_of(link.facts);
  if (!obituary) return;
  context_.others_may_run();
  if (forget(call) != nullptr) state->fail(loss_of(*obituary));
}

// Each time that it is sent a call has a number of its own.
class MadeCalls::Call final : public Sender::Resend {
 public:
  Call(MadeCalls& calls, const std::shared_ptr<StateBase>& state, wire::FrameHeader& header) : calls_(calls), state_(state), header_(header) {}

  [[nodiscard]] bool may_go_again() const override { return state_->callee.lasting(); }
  void about_to_leave(const PeerLink& by) override {
    calls_.number(header_);
    calls_.enter(header_.call, {state_, state_->callee, by.facts.pid, header_.method, header_.root, false});
    delay_point("call: entered, not sent");
  }
  PeerLink next_life(const PeerLink& gone) override {
    if (calls_.forget(header_.call) != nullptr) state_->call = 0;  // else whoever heard of the end fails it
    auto& links = calls_.around_.links;
    if (!may_go_again() || ++lives_ > most_lives) links.raise_gone(state_->callee);
    links.forget(gone);
    return link_for(header_.kind, state_->callee, links);
  }
  [[nodiscard]] bool given_up() const noexcept override { return calls_.has_ended(); }  // it was failed then

 private:
  MadeCalls& calls_;
  const std::shared_ptr<StateBase>& state_;
  wire::FrameHeader& header_;
  int lives_ = 1;
};

void MadeCalls::send(PeerLink& link, const std::shared_ptr<StateBase>& state, wire::Outgoing& out, WhenFull full) {
  // 64 MiB of short frames are kept at most, and 64 MiB of long ones. What goes to an object with a name may have to be sent to its next life.
  constexpr std::size_t short_frame = 4096, most_short = 16384, long_frame = 1 << 18, most_long = 256;
  const std::size_t bytes = frame_bytes(out) + (link.route ? 0 : bytes_of_pages(out)), calls = count_.load(std::memory_order_relaxed);
  const bool may_be_kept = bytes <= full.most_bytes || (bytes <= short_frame && calls < most_short) || (bytes <= long_frame && calls < most_long);
  Call call(*this, state, out.header);
  sender_.send(link, out, may_be_kept && !state->callee.lasting() ? full.how : Sender::when_full::wait_for_room, &call);
  {
    std::lock_guard lock(mutex_);
    pending_.note_sent(out.header.call);
  }
  if (link.route && is_queued(out.header.kind)) around_.board.count_call_to(link.route->slot);
  delay_point("call: sent, not yet looked whether its process had died");
  fail_if_forgotten(state, link, out.header.call);
}

// --- taking back ---

bool MadeCalls::cancel(StateBase& state, road::Deadline until) {
  if (state.call == 0 || state.ready()) return false;
  const bool hopeless = until != road::never && look([&](const PendingCalls& pending) {
                          bool asked = false;
                          pending.for_each([&](const PendingCall& each) { asked = asked || (each.method == 0 && each.to == state.callee); });
                          return asked;
                        });
  auto answer = std::make_shared<State<bool>>();
  send_cancel(answer, state.call, state.callee);
  return poller_.wait([&] { return answer->ready(); }, hopeless ? around_.now() : until) && answer->take();
}

void MadeCalls::send_cancel(const std::shared_ptr<StateBase>& answer, std::uint64_t number, const Address& to) {
  wire::Outgoing out;
  out.header.root = number;
  begin(answer, to, wire::frame_kind::cancel, 0, out, Sender::when_full::wait_then_hand_over);  // it takes none while it computes
}

// --- answers ---

void MadeCalls::take(wire::Message& reply, const PeerLink& /*from*/) {
  context_.reply_came(reply.header);
  if (auto state = forget(reply.header.call)) state->complete(std::move(reply));
}

std::shared_ptr<StateBase> MadeCalls::forget(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  auto entry = pending_.take(call);
  count_.store(pending_.size(), std::memory_order_relaxed);
  return entry ? std::move(entry->state) : nullptr;
}

void MadeCalls::fail(const std::exception_ptr& error, const std::function<bool(const PendingCall& call)>& concerned) {
  std::vector<PendingCall> failed;
  {
    std::lock_guard lock(mutex_);
    failed = pending_.take_those(concerned);
    count_.store(pending_.size(), std::memory_order_relaxed);
  }
  for (const auto& call : failed) {
    context_.others_may_run(call.root);  // what it had begun elsewhere
    call.state->fail(error);
  }
}

// --- what waits ---

std::size_t MadeCalls::waiting_of(std::uint64_t root) {
  if (none_waits()) return 0;
  constexpr std::size_t many = 64;  // then it is not worth counting
  return look([root](const PendingCalls& pending) {
    if (pending.size() > many) return many;
    std::size_t count = 0;
    pending.for_each([&](const PendingCall& each) { count += each.root == root ? 1 : 0; });
    return count;
  });
}

std::optional<std::string> MadeCalls::name_of(std::uint64_t call) {
  return look([call](const PendingCalls& pending) -> std::optional<std::string> {
    const auto* found = pending.find(call);
    if (found == nullptr) return std::nullopt;
    const Method* method = find_method(found->method);
    return (method != nullptr ? method->key : "a call") + " of process " + std::to_string(found->to.object);
  });
}

bool MadeCalls::do_if_none_waits(const Address& who, const std::function<void()>& part) {
  return look([&](const PendingCalls& pending) {
    bool waits = false;
    pending.for_each([&](const PendingCall& each) { waits = waits || each.to == who; });
    if (!waits) part();
    return !waits;
  });
}

void MadeCalls::keep_lost_error(const Address& of, std::exception_ptr error) noexcept {
  try {
    std::lock_guard lock(mutex_);
    lost_errors_.emplace(of, std::move(error));
  } catch (const std::bad_alloc&) {  // then it stays lost
  }
}

std::exception_ptr MadeCalls::take_lost_error(const Address& of) {
  std::lock_guard lock(mutex_);
  auto found = lost_errors_.find(of);
  if (found == lost_errors_.end()) return nullptr;
  auto error = found->second;
  lost_errors_.erase(of);
  return error;
}

}  // namespace octavo::detail
