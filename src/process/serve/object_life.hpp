// SPDX-License-Identifier: Apache-2.0
// What a server asks of the feature that looks after its object's life beyond one process: objects with names are restored, saved and passivated (named/). A
// server without a name has none.
// Threading: the thread that runs methods.
#pragma once

#include "octavo/process/detail/method.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::detail {

class ObjectLife : NoCopy {
 public:
  virtual ~ObjectLife() = default;

  // Before the first call. False: the object could not be made again, and there is nothing to serve. `object` stays null where it is to be constructed.
  virtual bool begin(std::unique_ptr<Hosted>& object) = 0;
  // It was constructed by a call. Throws what saving throws: then it was not.
  virtual void constructed(Hosted& object) = 0;
  virtual void constructor_threw() = 0;
  // The program that was to construct it is dead: it will never be.
  virtual void never_constructed() = 0;
  // Before the caller hears.
  virtual void destroyed() = 0;
  // Asked for by a call. Throws io_error, refused.
  virtual void save(Hosted& object) = 0;
  // Whether before_reply() is to be called. Always the same.
  [[nodiscard]] virtual bool asks_before_reply() const = 0;
  // Before the reply to a call of one of its methods leaves. `by_methods_thread`: else from another. Throws: the caller then hears of that instead.
  virtual void before_reply(Hosted& object, bool by_methods_thread) = 0;
  // When to look whether the object idles. `called`: since it began.
  [[nodiscard]] virtual road::Deadline idle_at(bool called) const = 0;
  // Nobody has called until then, and nothing is under way.
  virtual void idles() = 0;
  // The agent wants the object ended. Null: it was never made.
  virtual void passivate(Hosted* object) = 0;
};

}  // namespace octavo::detail
