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
  using shape = Shape<typename First::body_type, First::several, Slot, typename First::Dealing>;
  static_assert(!shape::is_last || sizeof...(S) == 0, "octavo::pipeline: a stage that gives nothing is the last one");
  static auto next() {
    if constexpr (shape::is_last) return std::type_identity<void>();
    else return std::type_identity<typename EndOf<typename shape::OutSlot, S...>::type>();
  }
  using type = typename decltype(next())::type;
};

// How this stage's items are dealt: as it says, if they do not.
template <class Is, class Stage>
typename Is::Dealing dealing_for(const Stage& stage) {
  if constexpr (std::is_same_v<typename Stage::Dealing, typename Is::Dealing>) return stage.dealing();
  else return {};
}

template <class... S>
class Builder {
 public:
  Builder(Run& run, std::tuple<S...>& stages) : run_(run), stages_(stages) {}
  // The belt that the results come on; none where the last stage takes them.
  template <class Source>
  auto build(Source& source) {
    using T = typename Source::item;
    auto out = run_.add_belt<T>(settings_of<0>(), 1);
    run_.add(std::make_unique<SourceCrew<Source, T>>(source, out));
    return build_from<0, T>(std::move(out));
  }

 private:
  // Also of the thread that reads the stream.
  template <std::size_t I>
  StageSettings settings_of() {
    StageSettings settings;
    if constexpr (I < sizeof...(S)) settings = std::get<I>(stages_).settings();
    if (settings.name.empty()) settings.name = "stage " + std::to_string(I + 1);
    return settings;
  }
  template <std::size_t I, class Slot>
  auto build_from(std::shared_ptr<Belt<Slot>> in) {
    if constexpr (I == sizeof...(S)) {
      return in;
    } else {
      auto& stage = std::get<I>(stages_);
      using Given = std::remove_reference_t<decltype(stage)>;
      using Is = Shape<typename Given::body_type, Given::several, Slot, typename Given::Dealing>;
      StageSettings settings = settings_of<I>();
      if (Is::is_last && stage.settings().name.empty()) settings.name = "sink";
      auto [entry, exit, out] = ways<I, Is>(settings, stage, std::move(in));
      using CrewOf = std::conditional_t<Given::placed, PlacedCrew<Is>, ThreadCrew<Is>>;
      run_.add(std::make_unique<CrewOf>(std::move(settings), stage.body(), std::move(entry), std::move(exit)));
      if constexpr (Is::is_last) {
        run_.has_sink = true;
        return nullptr;
      } else return build_from<I + 1, typename Is::OutSlot>(std::move(out));
    }
  }

  // How items come to stage I and its results away, and the belt behind it, if it gives any.
  template <std::size_t I, class Is, class Stage>
  auto ways(const StageSettings& settings, [[maybe_unused]] const Stage& stage, std::shared_ptr<Belt<typename Is::Slot>> in) {
    using Out = std::shared_ptr<Belt<typename Is::OutSlot>>;
    const std::size_t workers = workers_of(settings);
    const bool by_number = Is::is_farm && settings.ordered && !Is::is_last;
    const auto belt_behind = [&]() -> Out {
      if constexpr (Is::is_last) return nullptr;
      else return run_.add_belt<typename Is::OutSlot>(settings_of<I + 1>(), workers);
    };
    if constexpr (Is::loops) {
      Out out = belt_behind();
      auto loop = std::make_shared<Loop<Is>>(settings, std::move(in), out, by_number);
      return std::tuple(loop, loop, out);
    } else {
      auto entry = entry_of<Is>(settings, stage, std::move(in));
      Out out = belt_behind();
      return std::tuple(std::move(entry), std::make_shared<BeltExit<Is>>(out, workers, by_number), out);
    }
  }
  template <class Is, class Stage>
  auto entry_of(const StageSettings& settings, [[maybe_unused]] const Stage& stage, std::shared_ptr<Belt<typename Is::Slot>> in) {
    const std::size_t workers = workers_of(settings);
    if constexpr (Is::is_dealt) {
      auto lanes = std::make_shared<Lanes<Is>>(run_.add_lanes<Numbered<typename Is::In>>(settings));
      run_.add(std::make_unique<DealCrew<Is>>(settings, dealing_for<Is>(stage), workers, std::move(in), lanes));
      return lanes;
    } else return std::make_shared<SharedEntry<Is>>(std::move(in), workers);
  }

  Run& run_;
  std::tuple<S...>& stages_;
};

}  // namespace octavo::stream
