// SPDX-License-Identifier: Apache-2.0
// Where a stage puts its results when there may be none or several to an item.
//
//   struct Words {
//     void svc(std::string line, octavo::emit<std::string>& out) {
//       std::istringstream words(line);
//       for (std::string word; words >> word;) out(word);
//     }
//   };
//
// Waits while what lies before the next stage is full. In an ordered farm the results of an item are held until it has all of them.
// Threading: of the call of svc that it was given to.
// Failure: when nobody wants results any more it throws what ends the stage: let it pass.
#pragma once

#include <utility>

namespace octavo {

template <class T>
class emit {
 public:
  emit() = default;
  emit(const emit&) = delete;
  emit& operator=(const emit&) = delete;
  virtual void operator()(T value) = 0;

 protected:
  ~emit() = default;
};

namespace stream {

// What passes a stage whose results nobody wants any more.
struct Stopped {};

template <class T, class Out>
class EmitTo final : public emit<T> {
 public:
  explicit EmitTo(Out& out) : out_(out) {}
  void operator()(T value) override { out_(std::move(value)); }

 private:
  Out& out_;
};

}  // namespace stream
}  // namespace octavo
