// SPDX-License-Identifier: Apache-2.0
// The caller's side: calls, replies, waiting.
#include "process/endpoint.hpp"

#include <filesystem>

#include "base/delay_point.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

namespace {
// Of an object with a lasting address that a call is sent to, when it ends before it has heard it. One that rests soon may do so many times, on a busy machine.
constexpr int most_lives = 100;
}  // namespace

// Tells this call and what descends from it from those of all other processes, on whatever machine (SplitMix64's finalizer).
std::uint64_t Endpoint::root_of(const Address& caller, std::uint64_t call) noexcept {
  std::uint64_t mixed = caller.agent ^ caller.object * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  std::uint64_t root = (mixed ^ mixed >> 31) + call;
  return root != 0 ? root : 1;
}

Endpoint::Endpoint(Fd control, Peers::role mine, runtime_reach reach, std::shared_ptr<ThreadHost> host)
    : reach_(reach),
      host_(std::move(host)),
      peers_(
          std::move(control), mine, host_, [this](const Address& who, const std::function<void()>& part) { return may_part(who, part); },
          [this] {
            find_stillness();
            inquire();
          }) {
  come_into_force();
}

Endpoint::~Endpoint() {
  carrier_->end();
  stopping_.store(true);
  wake_waiters();
  nudge_progress();
  if (progress_.joinable()) progress_.join();
  for (const auto& [of, error] : lost_errors_) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      log_line("a call to process " + std::to_string(of.object) + " failed and nobody looked: " + e.what());
    } catch (...) {
      log_line("a call to process " + std::to_string(of.object) + " failed and nobody looked");
    }
  }
  end_pending();
  executor_->close();
  object_.reset();         // the promises that it kept are broken, and those who wait for them hear of it
  owed_replies_->close();  // what is answered from now on, by threads that live longer, finds nobody
  end_force();
}

// Whoever waits for these may outlive us, and own each other: nothing is left untold.
void Endpoint::end_pending() {
  std::vector<PendingCall> left;
  {
    std::lock_guard lock(pending_mutex_);
    left = pending_.take_those([](const PendingCall&) { return true; });
  }
  for (auto& call : left)
    call.state->fail(std::make_exception_ptr(gone_error("the Runtime ended before process " + std::to_string(call.to.object) + " had answered")));
}

void Endpoint::call(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out) {
  if (start_quickly(state, to, kind, method, out)) return;
  auto link = peers_.links().link_to(to);
  state->callee = to;
  fill_header(out.header, to, kind, method);
  const KeptPages kept(pool(), out, link.route && to.lasting());
  pages_leave(out, link.route);
  out.seal();
  send_call(std::move(link), state, out);
}

void Endpoint::fill_header(wire::FrameHeader& header, const Address& to, wire::frame_kind kind, std::uint64_t method) const {
  header.kind = kind;
  header.caller = facts().address.object;
  header.object = to.object;
  header.incarnation = to.incarnation;
  header.method = method;
  header.build = build_;
}

// It may have died between our look and our entry, and its end been dealt with then: nobody else would tell this call. While the
// reader has still to deal with it, the reply may be there to be read.
void Endpoint::fail_if_forgotten(const std::shared_ptr<StateBase>& state, const PeerLink& link, std::uint64_t call) {
  delay_point("call: looks whether its process had died");
  auto obituary = peers_.links().obituary_of_forgotten(link.facts);
  if (!obituary) return;
  if (runs_methods()) stray_ = true;
  if (forget(call) != nullptr) state->fail(std::make_exception_ptr(process_died(*obituary)));
}

void Endpoint::send_call(PeerLink link, const std::shared_ptr<StateBase>& state, wire::Outgoing& out) {
  auto& header = out.header;
  const Address to = state->callee;
  // Reads what is there, then sleeps until there is room. (Who reads for us may make the room: hence the time.)
  auto make_room = [this, &link] {
    auto room = [&link, looked = false]() mutable { return std::exchange(looked, true) && link.connection->ready(); };
    wait(room, road::Clock::now() + std::chrono::milliseconds(10));
    return true;
  };
  for (int life = 1;; ++life) {
    number_call(header);
    enter_pending(header.call, {state, to, link.facts.pid, header.method, header.root, false});
    delay_point("call: entered, not sent");
    try {
      link.connection->send(out, make_room);
      {
        std::lock_guard lock(pending_mutex_);
        pending_.note_sent(header.call);
      }
      count_sent(frame_bytes(out));
      if (link.route && is_queued(header.kind)) peers_.board().count_call_to(link.route->slot);
      break;
    } catch (const gone_error&) {
      forget(header.call);
      const auto route = link.route;
      if (route) pages_stay(out, route);
      try {
        if (!to.lasting() || life == most_lives) peers_.links().raise_gone(to);
        peers_.links().forget(link);
        link = peers_.links().link_to(to);
      } catch (...) {
        if (!route) pages_stay(out, route);
        throw;
      }
      if (!route) continue;
      for (const auto& page : out.pages) pool().share(page);  // call() has kept it
      pages_leave(out, link.route);
    }
  }
  delay_point("call: sent, not yet looked whether its process had died");
  pages_left(out, link.route);
  fail_if_forgotten(state, link, header.call);
}

std::shared_ptr<StateBase> Endpoint::forget(std::uint64_t call) {
  std::lock_guard lock(pending_mutex_);
  auto entry = pending_.take(call);
  pending_count_.store(pending_.size(), std::memory_order_relaxed);
  return entry ? std::move(entry->state) : nullptr;
}

Address Endpoint::make(const std::shared_ptr<StateBase>& state, const Method& constructor, wire::Outgoing& out, const Placement& where) {
  auto command = where.server;
  if (command.empty()) command.push_back(constructor.built_in ? spawn::server_program() : spawn::own_program());
  if (command.front().empty() && !where.on_thread)
    throw not_supported("octavo-server was not found beside liboctavo, so " + std::string(constructor.class_name) + " cannot be served",
                        "Install Octavo whole");
  control::Spawn wish{0, where, command, std::string(constructor.class_name), {}, {}, {}};
  if (!where.name.empty()) {
    const Method* how = find_method(where.state_key);
    wish.how = {how->hash, how->state_version, build_id()};
    if (where.machine.empty()) {  // another machine has others
      wish.directory = std::filesystem::current_path().string();
      wish.environment = spawn::own_environment();
    }
  }
  const auto link = peers_.agent().ask<PeerLink>(std::move(wish));
  call(state, link.facts.address, wire::frame_kind::construct, constructor.hash, out);
  return link.facts.address;
}

void Endpoint::take_message(wire::Message& message, const PeerLink& from) {
  switch (message.header.kind) {
    case wire::frame_kind::reply:
    case wire::frame_kind::error:
      if (runs_methods() && message.header.root == root_ && message.header.flags == wire::flag_more_may_run) stray_ = true;
      if (auto state = forget(message.header.call)) state->complete(std::move(message));
      return;
    case wire::frame_kind::cancel: return take_cancel(message, from);
    case wire::frame_kind::probe: return take_probe(message, from);
    case wire::frame_kind::inquiry: return take_inquiry(message, from);
    case wire::frame_kind::post:
    case wire::frame_kind::taken: return take_post(message, from);
    case wire::frame_kind::member: return take_letter(std::move(message), from);
    default:
      if (!from.route) peers_.row().count_arrival();  // others have counted it
      if (&message != &arriving_.message) {
        queue_.push_back({std::move(message), Origin(from, links_round_)});
        return;
      }
      arrives_from(from);
      arrived_ = true;
  }
}

bool Endpoint::refresh_links() {
  if (!peers_.links().refresh(links_, links_version_)) return false;
  ++links_round_;
  known_links_.fill(nobody);  // of two to one peer, calls take the first
  last_poster_ = last_caller_ = nobody;
  return true;
}

void Endpoint::pump() {
  struct Pumping {
    int& depth;
    ~Pumping() { --depth; }
  } pumping{++pumping_};
  if (arrived_ && !may_run_in_place()) {  // somebody waits before its turn came
    queue_.push_front(std::move(arriving_));
    arrived_ = false;
  }
  if (!peers_.links().changed(links_version_) && !peers_.links().deaths_wait() && !peers_.links().orphaned()) return read_links();
  delay_point("pump: something changed");
  auto seen = peers_.links().version();        // first: what comes while we look is looked at again
  auto deaths = peers_.links().take_deaths();  // before reading: what a peer sent before its end comes first
  if (refresh_links()) links_version_ = seen;  // after: a short life may have begun, and ended, since we looked last
  delay_point("pump: heard of deaths, has not read");
  read_links();
  if (peers_.links().death_is_due()) links_version_ = 0;  // it waited for what we have read just now
  for (const auto& death : deaths) {
    delay_point("pump: about to deal with a death");
    peers_.links().forget(death.facts);  // first: see the end of call()
    fail_pending(std::make_exception_ptr(process_died(death)),
                 [&](const PendingCall& call) { return call.to == death.facts.address && call.life == death.facts.pid; });
  }
  fail_lost_calls();
  if (auto place = office()) place->look_around();
  if (!deaths.empty()) wake_waiters();  // who waits in a collective has nothing pending
  if (peers_.links().orphaned())
    fail_pending(std::make_exception_ptr(gone_error("the program ends: its agent answers no more")), [](const PendingCall&) { return true; });
}

void Endpoint::read_links() {
  landing_.begin();
  for (std::size_t i = 0, all = links_.size(), at = first_link_; i < all && !arrived_ && !landing_.has_landed(); ++i, ++at) {
    if (at >= all) at = 0;
    const auto& link = links_[at];
    if (!link.connection->ready()) continue;
    const auto round = links_round_;
    read_from(link);
    if (round != links_round_) return;                            // what was told of an answer has read: links_ is another
    if (arrived_ || landing_.has_landed()) first_link_ = at + 1;  // the others' turn
  }
}

void Endpoint::read_from(const PeerLink& link) {
  // A call that is the only one to be run is run from where it lies. Else a call may be running that still looks at what lies there.
  const bool may_run = may_run_in_place() && queue_.empty();
  wire::Message other;
  auto& message = may_run ? arriving_.message : other;
  try {
    link.connection->flush();
    calls_land_ = may_run;
    for (const auto round = links_round_; !arrived_ && round == links_round_;) {
      if (take_small_answers(link)) wake_waiters();
      if (round != links_round_) break;
      // Whose message has landed goes on with it: the next one, too, is to land where he wants to have it.
      if (landing_.has_landed() || !link.connection->receive(message, &landing_)) break;
      peers_.row().received(frame_bytes(message));
      take_message(message, link);
      if (!arrived_) message.clear();  // nobody took it, say a reply that nobody waits for any more: its pages do not stay with us
    }
  } catch (error& e) {
    if (!arrived_) message.clear();
    close_damaged(link, e);
  }
}

// What cannot be understood cannot be gone on with; the others are not concerned.
void Endpoint::close_damaged(const PeerLink& link, error& why) {
  why.add_context("the connection with " + link.facts.class_name + " (process " + std::to_string(link.facts.address.object) + ") is closed");
  link.connection->close();
  fail_pending(std::current_exception(), [&](const PendingCall& call) { return call.to == link.facts.address; });
  peers_.links().something_changed();  // who waits for something else from there
}

// A call that is run from where it lies is decoded there, and what somebody waits for at a mailbox in his place.
bool Endpoint::Lands::lands(const wire::FrameHeader& header) {
  if (header.kind == wire::frame_kind::call) return here_.calls_land_;
  if (header.kind != wire::frame_kind::post) return false;
  auto office = here_.office();
  const bool lands = office != nullptr && office->lands(header.method);
  if (lands) has_landed_ = true;
  return lands;
}

// Who waits here decodes, and reads nothing else; but what others wait for, and found no room, goes on.
void Endpoint::Lands::await_bulk(const std::function<bool()>& here) {
  constexpr auto a_moment = std::chrono::milliseconds(1);
  while (!here_.peers_.bell().wait(here, road::Clock::now() + a_moment)) {
    if (here_.peers_.links().orphaned()) throw gone_error("the agent of this program is gone, and a message came only in part");
    for (const auto& link : here_.links_) {
      try {
        link.connection->flush();
      } catch (const error&) {  // another's end is told when it is read
      }
    }
  }
}

void Endpoint::fail_pending(const std::exception_ptr& error, const std::function<bool(const PendingCall& call)>& concerned) {
  std::vector<PendingCall> failed;
  {
    std::lock_guard lock(pending_mutex_);
    failed = pending_.take_those(concerned);
    pending_count_.store(pending_.size(), std::memory_order_relaxed);
  }
  for (const auto& call : failed) {
    if (runs_methods() && call.root == root_) stray_ = true;  // what it had begun elsewhere
    call.state->fail(error);
  }
}

void Endpoint::keep_lost_error(const Address& of, std::exception_ptr error) noexcept {
  try {
    std::lock_guard lock(pending_mutex_);
    lost_errors_.emplace(of, std::move(error));
  } catch (const std::bad_alloc&) {  // then it stays lost
  }
}

std::exception_ptr Endpoint::take_lost_error(const Address& of) {
  std::lock_guard lock(pending_mutex_);
  auto found = lost_errors_.find(of);
  if (found == lost_errors_.end()) return nullptr;
  auto error = found->second;
  lost_errors_.erase(of);
  return error;
}

}  // namespace octavo::detail
