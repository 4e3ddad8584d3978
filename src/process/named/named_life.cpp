// SPDX-License-Identifier: Apache-2.0
#include "process/named/named_life.hpp"

#include <algorithm>

#include "machine/registry/state_file.hpp"
#include "machine/registry/state_writer.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

NamedLife::NamedLife(Endpoint& core) : around_(core.around()) {
  if (around_.named) core.server().set_life(*this);
}

const Method& NamedLife::method() const {
  const Method* method = find_method(home().how.restore);
  if (method != nullptr && method->save != nullptr) return *method;
  throw usage_error("'" + spawn::own_program() + "' does not know the class " + around_.self.class_name + " of ov://" + home().name,
                    "Open it from a program that has the class, and names it or opens it as that class");
}

std::unique_ptr<Hosted> NamedLife::restore() {
  const Method& how = method();
  auto stored = read_state(home().directory, around_.self.address.object, home().name);
  if (stored.facts.state_version > how.state_version)
    throw not_supported("its state was written by version " + std::to_string(stored.facts.state_version) + " of " + around_.self.class_name +
                            ", this program has version " + std::to_string(how.state_version),
                        "Open it from a program that has the later one");
  wire::FrameDecoder decoder;
  auto payload = stored.payload();
  for (std::size_t at = 0; at < payload.size() && !decoder.complete();) {
    auto room = decoder.want();
    std::size_t n = std::min(room.size(), payload.size() - at);
    std::copy_n(payload.begin() + static_cast<std::ptrdiff_t>(at), n, room.begin());
    decoder.got(n);
    at += n;
  }
  if (!decoder.complete()) throw io_error("its state ends too early");
  auto message = decoder.take();
  generation_ = stored.facts.generation;
  return how.construct(message);
}

void NamedLife::write_state(Hosted& object) {
  const Method& how = method();
  wire::Outgoing out;
  out.header.kind = wire::frame_kind::construct;
  wire::Encoder encoder(out);
  how.save(object, encoder);
  if (!out.pages.empty()) throw not_supported("a Page cannot be part of a stored state", "Let serialize() store its bytes");
  out.seal();
  std::vector<std::byte> tables;
  StateWriter writer(home().directory, {around_.self.address.object, generation_ + 1, around_.self.class_name, how.state_version});
  writer.write(wire::pieces_of(out, tables));
  writer.commit();
  ++generation_;
}

bool NamedLife::begin(std::unique_ptr<Hosted>& object) {
  if (home().fresh) return true;  // to be constructed
  try {
    object = in_context([&] { return "restoring ov://" + home().name; }, [&] { return restore(); });
    around_.agent.tell(control::Ready{generation_});
    return true;
  } catch (const error& e) {
    say_unmade(e);
  } catch (const std::exception& e) {
    say_unmade(io_error("restoring ov://" + home().name + ": " + e.what()));
  }
  return false;
}

void NamedLife::save(Hosted& object) {
  in_context([&] { return "saving ov://" + home().name; }, [&] { write_state(object); });
  around_.agent.tell(control::Ready{generation_});
}

void NamedLife::destroyed() {
  try {
    around_.agent.ask<control::Done>(control::Bye{});
  } catch (const gone_error&) {}  // there is no agent any more
}

void NamedLife::before_reply(Hosted& object, bool by_methods_thread) {
  if (!by_methods_thread)
    throw not_supported("the result came from another thread than the one of the object's methods, so its state cannot be saved with it",
                        "Let the method return its value, or be a coroutine");
  save(object);
}

// At least a second before the first call: the caller for whom the object was woken is still connecting.
road::Deadline NamedLife::idle_at(bool called) const {
  constexpr double for_the_first_call = 1;
  const double wanted = home().keeping.idle_seconds;
  if (wanted <= 0) return road::never;
  const std::chrono::duration<double> seconds(called ? wanted : std::max(for_the_first_call, wanted));
  return road::Clock::now() + std::chrono::duration_cast<road::Clock::duration>(seconds);
}

// The agent ends, or wants the memory: what is saved now is there at the next call.
void NamedLife::passivate(Hosted* object) {
  try {
    if (object != nullptr) save(*object);
  } catch (const std::exception& e) {
    log_line(std::string(e.what()) + ": it ends with the state that was saved before");
  }
}

}  // namespace octavo::detail
