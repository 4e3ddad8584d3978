// SPDX-License-Identifier: Apache-2.0
// Makes the belts and crews of a run from the stages of a pipeline.
#pragma once

#include <tuple>

#include "octavo/stream/detail/crews.hpp"
#include "octavo/stream/detail/placed.hpp"
#include "octavo/stream/detail/source.hpp"
#include "octavo/stream/stage.hpp"

namespace octavo::stream {

// What a stream's last belt holds; void where the last stage gives nothing.
template <class Slot, class... S>
struct EndOf {
  using type = Slot;
};
template <class Slot, class First, class... S>
struct EndOf<Slot, First, S...> {
  using shape = Shape<typename First::body_type, First::several, Slot>;
  static_assert(!shape::is_last || sizeof...(S) == 0, "octavo::pipeline: a stage that gives nothing is the last one");
  static auto next() {
    if constexpr (shape::is_last) return std::type_identity<void>();
    else return std::type_identity<typename EndOf<typename shape::OutSlot, S...>::type>();
  }
  using type = typename decltype(next())::type;
};

template <class... S>
class Builder {
 public:
  Builder(Run& run, std::tuple<S...>& stages) : run_(run), stages_(stages) {}
  // The belt that the results come on; none where the last stage takes them.
  template <class Source>
  auto build(Source& source) {
    using T = typename Source::item;
    auto out = run_.add_belt<T>(bound_before<0>());
    run_.add(std::make_unique<SourceCrew<Source, T>>(source, out));
    return build_from<0, T>(std::move(out));
  }

 private:
  template <std::size_t I>
  StreamBound bound_before() {
    if constexpr (I < sizeof...(S)) return std::get<I>(stages_).settings().bound;
    else return {};
  }
  template <std::size_t I, class Slot>
  auto build_from(std::shared_ptr<Belt<Slot>> in) {
    if constexpr (I == sizeof...(S)) {
      return in;
    } else {
      auto& stage = std::get<I>(stages_);
      using Given = std::remove_reference_t<decltype(stage)>;
      using Is = Shape<typename Given::body_type, Given::several, Slot>;
      using OutSlot = typename Is::OutSlot;
      std::shared_ptr<Belt<OutSlot>> out;
      if constexpr (!Is::is_last) out = run_.add_belt<OutSlot>(bound_before<I + 1>());
      else run_.has_sink = true;
      StageSettings settings = stage.settings();
      if (settings.name.empty()) settings.name = Is::is_last ? "sink" : "stage " + std::to_string(I + 1);
      using CrewOf = std::conditional_t<Given::placed, PlacedCrew<typename Given::body_type, Given::several, Slot>,
                                        ThreadCrew<typename Given::body_type, Given::several, Slot>>;
      run_.add(std::make_unique<CrewOf>(std::move(settings), stage.body(), std::move(in), out));
      if constexpr (Is::is_last) return nullptr;
      else return build_from<I + 1, OutSlot>(std::move(out));
    }
  }

  Run& run_;
  std::tuple<S...>& stages_;
};

}  // namespace octavo::stream
