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
// A result To<T> says which worker of the next farm has it: out.to(2, part), or what svc returns is octavo::To<Part>{2, part}.
// Threading: of the call of svc that it was given to.
// Failure: when nobody wants results any more it throws what ends the stage: let it pass.
#pragma once

#include <cstddef>
#include <utility>

namespace octavo {

// An item for this worker of the next farm, from 0.
template <class T>
struct To {
  std::size_t worker = 0;
  T item = {};
};

namespace stream {

template <class T>
struct to_worker {
  static constexpr bool is = false;
  using type = T;
};
template <class T>
struct to_worker<To<T>> {
  static constexpr bool is = true;
  using type = T;
};

}  // namespace stream

template <class T>
class emit {
 public:
  emit() = default;
  emit(const emit&) = delete;
  emit& operator=(const emit&) = delete;
  virtual void operator()(T value) = 0;
  void to(std::size_t worker, typename stream::to_worker<T>::type item) requires stream::to_worker<T>::is { (*this)(T{worker, std::move(item)}); }

 protected:
  ~emit() = default;
};

namespace stream {

// What passes a stage whose results nobody wants any more.
struct Stopped {};

// An emit or again, as a stage sees it, whose values `Out` is called with.
template <template <class> class Second, class T, class Out>
class Giving final : public Second<T> {
 public:
  explicit Giving(Out& out) : out_(out) {}
  void operator()(T value) override { out_(std::move(value)); }

 private:
  Out& out_;
};

}  // namespace stream
}  // namespace octavo
