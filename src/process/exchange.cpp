// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/exchange.hpp"

#include <csignal>
#include <filesystem>

#include "machine/spawn.hpp"
#include "octavo/process/detail/environment.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

namespace {
control::Spawn spawn_request(const Method& constructor, const Placement& where) {
  auto command = where.server;
  if (command.empty()) command.push_back(constructor.built_in ? spawn::server_program() : spawn::own_program());
  if (command.front().empty() && !where.on_thread)
    throw not_supported("octavo-server was not found beside liboctavo, so " + std::string(constructor.class_name) + " cannot be served",
                        "Install Octavo whole");
  control::Spawn request{0, where, command, where.title.empty() ? std::string(constructor.class_name) : where.title, {}, {}, {}};
  if (where.name.empty()) return request;
  const Method* how = find_method(where.state_key);
  request.how = {how->hash, how->state_version, build_id()};
  if (where.machine.empty()) {  // another machine has others
    request.directory = std::filesystem::current_path().string();
    request.environment = spawn::own_environment();
  }
  return request;
}
}  // namespace

void begin_call(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, const Method& method, wire::Outgoing& out) {
  out.carried.leave_for(to);
  state->carried = std::move(out.carried);
  Endpoint::require().calls().begin(state, to, kind, method.hash, out);
}

void begin_call(const std::shared_ptr<StateBase>& state, const Address& to, const Method& method, ByteView numbers) {
  Endpoint::require().calls().begin(state, to, method.hash, numbers);
}

void begin_behind(const std::shared_ptr<StateBase>& state, const Address& to, const Method& method, wire::Outgoing& out) {
  out.carried.leave_for(to);
  state->carried = std::move(out.carried);
  Endpoint::require().calls().begin(state, to, wire::frame_kind::call, method.hash, out, Sender::when_full::wait_then_hand_over);
}

QuickCall begin_quickly(const Address& to, const Method& method, wire::Outgoing& out, SendAside aside) {
  out.carried.leave_for(to);
  wire::AllCarried carried = std::move(out.carried);
  auto call = Endpoint::require().calls().begin_quickly(to, method.hash, out, aside);
  if (call.begun) call.begun->carried = std::move(carried);
  return call;
}

void call(const Address& to, const Method& method, ByteView numbers, ByteSpan result) { Endpoint::require().calls().call(to, method.hash, numbers, result); }

void show_running(std::string_view text) noexcept {
  if (auto* here = Endpoint::current(); here != nullptr && here->context().runs_methods()) here->around().row.name_running(text.data(), text);
}

void note_environment() { Endpoint::require().around().agent.note_environment(); }

// Of one that could not be made the state says why, and there is no address. What the caller has to change is thrown.
Address begin_make(const std::shared_ptr<StateBase>& state, const Method& constructor, wire::Outgoing& out, const Placement& where) {
  auto& here = Endpoint::require();
  if (where.fork_server.empty() && !where.on_thread) here.around().agent.note_environment();
  const auto request = spawn_request(constructor, where);
  Address made;
  try {
    made = here.around().agent.ask<PeerLink>(request).facts.address;
  } catch (const error& e) {
    if (e.kind() == error_kind::usage || e.kind() == error_kind::not_supported) throw;
    state->fail(std::current_exception());
    return {};
  }
  out.carried.leave_for(made);
  state->carried = std::move(out.carried);
  here.calls().begin(state, made, wire::frame_kind::construct, constructor.hash, out);
  return made;
}

namespace {
// An object with a name that does not come up because its state cannot be read has no process that could destroy it.
bool is_forgotten(const Endpoint& here, const Address& object) {
  try {
    here.around().agent.ask<control::Done>(control::Forget{0, object});
    return true;
  } catch (const error&) {
    return false;  // what it failed with tells more
  }
}
}  // namespace

void begin_destroy(const std::shared_ptr<StateBase>& state, const Address& to) {
  wire::Outgoing out;
  // Where an object computes and calls fill the way to it, who destroys it waits for its answer, and not here: that wait can be left (Ctrl-C in Python).
  auto& here = Endpoint::require();
  try {
    here.calls().begin(state, to, wire::frame_kind::destroy, 0, out, Sender::when_full::wait_then_hand_over);
  } catch (const error&) {
    const bool needs_no_end = here.around().links.told().has(to) || (to.lasting() && is_forgotten(here, to));
    if (!needs_no_end) throw;
    wire::FrameHeader done;
    done.kind = wire::frame_kind::reply;
    state->callee = to;
    state->complete(wire::message_of(done, {}));
  }
}

void finish_destroy(StateBase& state) {
  const bool is_no_news = Endpoint::require().around().links.told().has(state.callee);
  try {
    finish_call(state);
  } catch (const process_died& death) {
    if (!death.obituary().destroyed && !is_no_news) throw;
  }
}

void destroy(const Address& object, std::chrono::steady_clock::time_point deadline) {
  auto state = std::make_shared<State<void>>();
  begin_destroy(state, object);
  if (!wait_for(*state, deadline)) raise_not_destroyed(object);
  finish_destroy(*state);
  raise_lost_errors(object);
}

void raise_not_destroyed(const Address& object) {
  throw timed_out("object " + std::to_string(object.object) + " has not ended in time: a method of it runs",
                  "It ends when that has returned; kill(p) ends its process at once");
}

void kill(const Address& object) {
  if (!object) throw usage_error("kill() of a remote pointer that points nowhere", "Make it with machine.make<Class>(...) first");
  auto& here = Endpoint::require();
  try {
    here.around().agent.ask<control::Done>(control::Kill{0, object, SIGKILL, true});
  } catch (const gone_error&) {    // it is gone already, which is what we want
  } catch (const process_died&) {  // as above
  }
  here.around().links.told().note(object);
}

bool cancel(StateBase& state) {
  try {
    return Endpoint::require().calls().cancel(state);
  } catch (const process_died&) {  // it ended meanwhile: the call is done, or has failed with it
    return false;
  }
}

bool cancel_until(StateBase& state, std::chrono::steady_clock::time_point deadline) {
  try {
    return Endpoint::require().calls().cancel(state, deadline);
  } catch (const gone_error&) {  // as above
    return false;
  } catch (const process_died&) {
    return false;
  }
}

void ask_to_cancel(StateBase& state) {
  if (state.call == 0 || state.ready()) return;
  try {
    Endpoint::require().calls().send_cancel(std::make_shared<State<bool>>(), state.call, state.callee);
  } catch (const gone_error&) {  // as above
  } catch (const process_died&) {}
}

void is_awaited_by_loop(const std::shared_ptr<StateBase>& state) {
  auto* here = Endpoint::current();
  if (here != nullptr && here->context().runs_methods() && !state->ready()) here->cycles().loop_waits().begin(state, here->served().running());
}

void is_left_by_loop(const StateBase& state) noexcept {
  if (auto* here = Endpoint::current()) here->cycles().loop_waits().leave(state);
}

bool wait_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline) { return Endpoint::require().wait(done, deadline); }

void raise_lost_errors(const Address& of) {
  auto& here = Endpoint::require();
  if (auto error = here.calls().take_lost_error(of); error && !here.around().links.told().is_no_news(of, error)) std::rethrow_exception(error);
}

}  // namespace octavo::detail
