// SPDX-License-Identifier: Apache-2.0
// Feedback: where a farm's worker puts what is to go through the same farm once more.
//
//   struct Divide {
//     void svc(Task task, octavo::emit<Result>& out, octavo::again<Task>& more) {
//       if (task.is_small()) return out(task.solved());
//       for (Task part : task.parts()) more(std::move(part));
//     }
//   };
//
// ST-8  What is fed back is taken before new items, the latest first, and never waits for room; so bounded stages cannot stand still for it. The farm ends when
//       its input has ended and nothing is under way any more. In an ordered farm the results to an item are those of all that came of it, in the order in
//       which they came; after an error, of the items before it whose parts were all done.
// Threading: of the call of svc that it was given to. Failure: refused, when what waits to go round takes more than the stage's bound in bytes: name a larger
// one.
#pragma once

namespace octavo {

template <class T>
class again {
 public:
  again() = default;
  again(const again&) = delete;
  again& operator=(const again&) = delete;
  virtual void operator()(T value) = 0;

 protected:
  ~again() = default;
};

}  // namespace octavo
