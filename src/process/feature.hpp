// SPDX-License-Identifier: Apache-2.0
// What comes into an endpoint besides calls: members of groups, mailboxes, names. The endpoint hosts features and knows none of them; src/features.cpp lists
// them, and the Runtime or server that makes an endpoint passes that list in.
//
//   class Edges final : public Feature {
//    public:
//     explicit Edges(Endpoint& core) { core.frames().add<&Edges::take>(wire::frame_kind::post, *this); }
//     void something_changed() override;
//   };
//   Endpoint::require().feature<Edges>()
//
// Threading: made before the endpoint reads, and destroyed after it has read for the last time; what else is called, as each says.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "octavo/base/no_copy.hpp"
#include "octavo/wire/call_to_all.hpp"

namespace octavo::detail {

class Endpoint;

class Feature : NoCopy {
 public:
  virtual ~Feature() = default;

  // Connections came or went, or something else changed that is to be looked at. By the reader, or by the background sender's thread
  // (sending/background_sender.hpp) while another thread reads; may send.
  virtual void something_changed() {}
  // The object was destroyed, and the call that destroyed it is not answered yet. By the thread that runs methods; may send.
  virtual void object_destroyed() {}
  // A part of a call to all members of a group is answered, by `error` or a value: the answer leaves after this. By the thread that answers; may send.
  virtual void call_to_all_answered(const CallToAll& /*which*/, const std::exception_ptr& /*error*/) noexcept {}
  // The endpoint ends after this. By the thread that ends it; may send, and wait for what it has begun.
  virtual void ending() {}
  // An object with a name does not idle while one of its features says so. By the reader.
  [[nodiscard]] virtual bool keeps_awake() const { return false; }
};

// How a feature is made, and a mark that tells it from others.
struct MakeFeature {
  const void* mark;
  std::unique_ptr<Feature> (*make)(Endpoint& core);
};
using FeatureList = std::vector<MakeFeature>;
struct MadeFeature {
  const void* mark;
  std::unique_ptr<Feature> feature;
};

template <class F>
inline constexpr char mark_of_feature = 0;
template <class F>
MakeFeature feature_of() {
  return {&mark_of_feature<F>, [](Endpoint& core) -> std::unique_ptr<Feature> { return std::make_unique<F>(core); }};
}

// All of them (src/features.cpp).
FeatureList all_features();

}  // namespace octavo::detail
