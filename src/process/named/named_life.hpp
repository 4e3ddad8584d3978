// SPDX-License-Identifier: Apache-2.0
// The feature of objects with names, at the object's end: it is restored, saved, put to rest, and its agent is told of each. The object's process itself writes
// its state to its agent's directory, as one frame, and reads it from there.
// Threading: the thread that runs methods.
#pragma once

#include <memory>

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/feature.hpp"
#include "process/serve/object_life.hpp"

namespace octavo::detail {

class NamedLife final : public Feature, public ObjectLife {
 public:
  // Of an object without a name it does nothing.
  explicit NamedLife(Endpoint& core);

  bool begin(std::unique_ptr<Hosted>& object) override;
  void constructed(Hosted& object) override { save(object); }
  void constructor_threw() override { say_unmade(usage_error("its constructor threw")); }
  void never_constructed() override { say_unmade(gone_error("the program that made ov://" + home().name + " ended before it was constructed")); }
  // Returns when the agent knows: whoever destroyed the object does not find its name any more.
  void destroyed() override;
  // Returns when the state is durable, and the agent told.
  void save(Hosted& object) override;
  [[nodiscard]] bool asks_before_reply() const override { return home().keeping.every_call; }
  void before_reply(Hosted& object, bool by_methods_thread) override;
  [[nodiscard]] road::Deadline idle_at(bool called) const override;
  void idles() override { around_.agent.tell(control::Idle{}); }
  void passivate(Hosted* object) override;

 private:
  [[nodiscard]] const control::NamedHome& home() const { return *around_.named; }
  // How the object is restored and saved. Throws usage_error: this program does not know the class.
  [[nodiscard]] const Method& method() const;
  // Throws usage_error, not_supported (a later version wrote the state), io_error.
  std::unique_ptr<Hosted> restore();
  void write_state(Hosted& object);
  void say_unmade(const error& why) { around_.agent.tell(control::ConstructFailed{why.kind(), why.message(), why.cure()}); }

  const Surroundings around_;
  std::uint64_t generation_ = 0;
};

}  // namespace octavo::detail
