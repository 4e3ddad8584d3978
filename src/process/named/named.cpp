// SPDX-License-Identifier: Apache-2.0
// Objects with names at the caller's end: opening, listing, rolling back, saving.
#include "octavo/process/named.hpp"

#include "machine/spawn.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

namespace {
AgentClient& agent() { return Endpoint::require().around().agent; }

void call_and_wait(const Address& to, wire::frame_kind kind, wire::Outgoing& out) {
  auto state = std::make_shared<State<void>>();
  Endpoint::require().calls().begin(state, to, kind, 0, out);
  finish_call(*state);
}
}  // namespace

Address open_named(std::string_view machine, std::string_view name) { return open_named_by({spawn::own_program()}, machine, name); }

Address open_named_by(std::vector<std::string> command, std::string_view machine, std::string_view name) {
  std::vector<control::StateClass> known;
  for (const auto* method : methods_that_save()) known.push_back({method->hash, method->state_version, build_id(), method->built_in});
  const control::Open request{0, std::string(machine), std::string(name), std::move(command), spawn::server_program(), std::move(known)};
  return agent().ask<PeerLink>(request).facts.address;
}

// One that has just died may be there again at the next call, and it does no harm to ask twice.
void check_class(const Address& object, std::string_view class_name) {
  constexpr int most_tries = 3;
  const std::string wanted(class_name);
  for (int tried = 1;; ++tried) try {
      wire::Outgoing out;
      wire::Encoder encoder(out);
      encoder(wanted);
      return call_and_wait(object, wire::frame_kind::is_a, out);
    } catch (const process_died&) {
      if (tried == most_tries || !object.lasting()) throw;
    }
}

void save_named(const Address& object) {
  wire::Outgoing out;
  call_and_wait(object, wire::frame_kind::save, out);
}

void save_this() { Endpoint::require().server().save_if_named(); }

std::vector<NamedFacts> list_names(std::string_view machine, std::string_view prefix) {
  return agent().ask<control::NameList>(control::Names{0, std::string(machine), std::string(prefix)}).names;
}

void roll_back(std::string_view machine, std::string_view name) { agent().ask<control::Done>(control::Rollback{0, std::string(machine), std::string(name)}); }

void end_lasting(std::string_view machine) { agent().ask<control::Done>(control::EndLasting{0, std::string(machine)}); }

}  // namespace octavo::detail
