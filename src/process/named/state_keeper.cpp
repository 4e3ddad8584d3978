// SPDX-License-Identifier: Apache-2.0
#include "process/named/state_keeper.hpp"

#include <algorithm>

#include "machine/registry/state_file.hpp"
#include "machine/registry/state_writer.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

const Method& StateKeeper::how() const {
  const Method* method = find_method(home_.how.restore);
  if (method != nullptr && method->save != nullptr) return *method;
  throw usage_error("'" + spawn::own_program() + "' does not know the class " + class_name_ + " of ov://" + home_.name,
                    "Open it from a program that has the class, and names it or opens it as that class");
}

std::unique_ptr<Hosted> StateKeeper::restore() {
  return in_context([&] { return "restoring ov://" + home_.name; },
                    [&] {
                      const Method& method = how();
                      auto stored = read_state(home_.directory, object_, home_.name);
                      if (stored.facts.state_version > method.state_version)
                        throw not_supported("its state was written by version " + std::to_string(stored.facts.state_version) + " of " + class_name_ +
                                                ", this program has version " + std::to_string(method.state_version),
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
                      return method.construct(message);
                    });
}

void StateKeeper::save(Hosted& object) {
  in_context([&] { return "saving ov://" + home_.name; },
             [&] {
               const Method& method = how();
               wire::Outgoing out;
               out.header.kind = wire::frame_kind::construct;
               wire::Encoder encoder(out);
               method.save(object, encoder);
               if (!out.pages.empty()) throw not_supported("a Page cannot be part of a stored state", "Let serialize() store its bytes");
               out.seal();
               std::vector<std::byte> tables;
               StateFacts facts{};
               facts.object = object_;
               facts.generation = generation_ + 1;
               facts.class_name = class_name_;
               facts.state_version = method.state_version;
               StateWriter writer(home_.directory, facts);
               writer.write(wire::pieces_of(out, tables));
               writer.commit();
               ++generation_;
             });
}

}  // namespace octavo::detail
