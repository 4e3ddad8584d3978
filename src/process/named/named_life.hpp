// SPDX-License-Identifier: Apache-2.0
// The feature of objects with names, at the object's end: it is restored, saved, put to rest, and its agent is told of each.
// Threading: the thread that runs methods.
#pragma once

#include <memory>

#include "process/endpoint.hpp"
#include "process/feature.hpp"
#include "process/named/state_keeper.hpp"
#include "process/serve/object_life.hpp"

namespace octavo::detail {

class NamedLife final : public Feature, public ObjectLife {
 public:
  // Of an object without a name it does nothing.
  explicit NamedLife(Endpoint& core);

  bool begin(std::unique_ptr<Hosted>& object) override;
  void constructed(Hosted& object) override { save(object); }
  void constructor_threw() override;
  void destroyed() override;
  void save(Hosted& object) override;
  [[nodiscard]] bool asks_before_reply() const override { return keeper_->home().keeping.every_call; }
  void before_reply(Hosted& object, bool by_methods_thread) override;
  [[nodiscard]] road::Deadline idle_at(bool called) const override;
  void idles() override;
  void passivate(Hosted* object) override;

 private:
  void say_unmade(const error& why);
  const Surroundings around_;
  std::optional<StateKeeper> keeper_;
};

}  // namespace octavo::detail
