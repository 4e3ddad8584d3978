// SPDX-License-Identifier: Apache-2.0
// Stages joined: what one gives the next one takes, all of them at once.
//
//   auto s = octavo::pipeline([&] { return next_file(); },            // source: std::optional<T>, empty at the end; or a range
//                             octavo::farm<Blur>(3).workers(4), octavo::stage<Emboss>(), [&](Image done) { save(done); });
//   octavo::StreamReport r = s.run();                                 // the last stage runs in this thread
//   for (Image x : octavo::pipeline(files, octavo::farm<Blur>(3))) if (good(x)) break;      // pulls; break ends all stages
//   auto soon = octavo::start(s);  soon.cancel();
//   octavo::pipeline(octavo::farm<Blur>(3), save).run(files);         // the source may be an argument
//
// ST-1  Each item that the source gives goes through every stage once. Results are in the order of the items, but behind an unordered() farm.
// ST-2  Between two stages lie at most as many items, and bytes, as bound() says of the latter; a stage waits while it is full. The item that is due in an
//       ordered farm always has room. Where items are dealt, as many lie before each worker, too. Before an unbounded() stage lie as many as come, up to so
//       many bytes: then the error names it.
// ST-3  What a source, a stage, its svc_init or its svc_end throws ends the stream, and is thrown by run(), get() or the loop, as it is. In order: all before
//       the failing item is delivered first, and of several errors that of the first item is thrown. Else what was done by then is.
// ST-4  A consumer that stops, cancel() and an error end all stages: who waits wakes up, who computes is told at its next item, a process that does not answer
//       is ended. A source that waits for something of its own is waited for. Nothing is left of a stream when run(), get(), the loop or its object is over.
// ST-5  A pipeline is a description: it may run again, and once at a time.
// ST-6  inlined() runs all stages in the calling thread, each called by the one before it; the results are the same.
// Threading: a pipeline is a handle, whose copies are of one description. Stages run on threads of their own, each by one thread at a time.
// Failure: what was thrown; cancelled; process_died; usage_error (it runs already; a bound or a number of workers of 0). What does not fit is a compile error.
#pragma once

#include <atomic>

#include "octavo/base/error.hpp"
#include "octavo/stream/detail/build.hpp"
#include "octavo/stream/detail/inlined.hpp"
#include "octavo/stream/detail/reading.hpp"
#include "octavo/stream/graph.hpp"
#include "octavo/stream/running.hpp"

namespace octavo {

template <class Source, class... S>
class Pipeline {
  struct Parts : stream::RunsOnce {
    Source source;
    std::tuple<S...> stages;
    Parts(Source from, std::tuple<S...> all) : source(std::move(from)), stages(std::move(all)) {}
  };

 public:
  static constexpr bool has_source = !std::is_same_v<Source, stream::NoSource>;
  Pipeline(Source source, std::tuple<S...> stages) : parts_(std::make_shared<Parts>(std::move(source), std::move(stages))) {}

  // To the end. Results that no stage takes are dropped.
  StreamReport run() const requires has_source {
    if (inlined_) return run_inlined();
    auto run = begin(false);
    run->work_here();
    run->raise();
    return run->report();
  }
  template <class Given>
  StreamReport run(Given&& source) const requires(!has_source) {
    return (*this)(std::forward<Given>(source)).run();
  }
  // The same stages with this source.
  template <class Given>
  auto operator()(Given&& source) const requires(!has_source) {
    auto from = stream::source_of(std::forward<Given>(source));
    Pipeline<decltype(from), S...> whole(std::move(from), parts_->stages);
    return inlined_ ? whole.inlined() : whole;
  }
  [[nodiscard]] Pipeline inlined() const {
    Pipeline same(*this);
    same.inlined_ = true;
    return same;
  }
  // As text of Graphviz (graph.hpp); with what its stages have done, if a report says so.
  [[nodiscard]] std::string graph(const StreamReport& report = {}) const {
    std::vector<stream::StageNode> nodes;
    std::apply([&](S&... each) { (nodes.push_back(node_of(each, nodes.size() + 1)), ...); }, parts_->stages);
    return stream::graph_of(nodes, report);
  }
  [[nodiscard]] RunningStream start() const requires has_source { return {begin(true), parts_}; }

  // To be read by a loop: once at a time.
  auto begin() const requires has_source {
    using End = typename stream::EndOf<typename Source::item, S...>::type;
    static_assert(!std::is_void_v<End>, "octavo: the last stage of this stream gives nothing that a loop could read. Use run()");
    auto run = make_run();
    auto belt = stream::Builder<S...>(*run, parts_->stages).build(parts_->source);
    return stream::Reading<End>(std::move(run), std::move(belt), parts_);
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  [[nodiscard]] const std::tuple<S...>& stages() const noexcept { return parts_->stages; }

 private:
  template <class, class...>
  friend class Pipeline;

  template <class Stage>
  static stream::StageNode node_of(Stage& stage, std::size_t number) {
    auto node = stream::node_of(stage.settings(), number, Stage::several);
    node.dealing = Stage::Dealing::word;
    if (Stage::Dealing::gathers) node.results = "gathered";
    using Doer = typename Stage::body_type::doer;
    if constexpr (stream::says_what_it_takes<Doer>) node.loops = stream::BySignature<Doer>::loops;
    return node;
  }
  [[nodiscard]] std::unique_ptr<stream::Run> make_run() const { return std::make_unique<stream::Run>(parts_->begin()); }
  [[nodiscard]] std::unique_ptr<stream::Run> begin(bool last_too) const {
    auto run = make_run();
    auto belt = stream::Builder<S...>(*run, parts_->stages).build(parts_->source);
    if constexpr (!std::is_null_pointer_v<decltype(belt)>) {
      run->add(std::make_unique<stream::DropCrew<typename decltype(belt)::element_type>>(std::move(belt)));
      run->has_sink = true;
    }
    run->begin(last_too);
    return run;
  }
  StreamReport run_inlined() const {
    const auto turn = parts_->begin();
    using End = typename stream::EndOf<typename Source::item, S...>::type;
    stream::InlinedRun<std::is_void_v<End>, S...> run(parts_->stages);
    run.run(parts_->source, stream::Dropped());
    return run.report();
  }

  std::shared_ptr<Parts> parts_;
  bool inlined_ = false;
};

namespace stream {

template <class... T>
inline constexpr bool is_pipeline<Pipeline<T...>> = true;

// A stage, a function that becomes one, or a pipeline without a source, whose stages it stands for.
template <class Given>
auto stages_of(Given&& given) {
  using T = std::decay_t<Given>;
  if constexpr (is_stage<T>) return std::tuple<T>(std::forward<Given>(given));
  else if constexpr (is_pipeline<T>) {
    static_assert(!T::has_source, "octavo::pipeline: a pipeline within another one has no source of its own");
    return given.stages();
  } else if constexpr (is_stream_box<T>) return std::tuple(octavo::stage(BoxSink(std::forward<Given>(given))));
  else return std::tuple(octavo::stage(std::forward<Given>(given)));
}
template <class Source, class... S>
auto pipeline_of(Source source, std::tuple<S...> stages) {
  return Pipeline<Source, S...>(std::move(source), std::move(stages));
}

}  // namespace stream

template <class First, class... Rest>
auto pipeline(First&& first, Rest&&... rest) {
  if constexpr (stream::source_like<First> && !stream::is_stage<std::decay_t<First>> && !stream::is_pipeline<std::decay_t<First>>)
    return stream::pipeline_of(stream::source_of(std::forward<First>(first)), std::tuple_cat(stream::stages_of(std::forward<Rest>(rest))...));
  else
    return stream::pipeline_of(stream::NoSource(),
                               std::tuple_cat(stream::stages_of(std::forward<First>(first)), stream::stages_of(std::forward<Rest>(rest))...));
}

// Each worker runs the stages of a pipeline one in the other; what they say of workers, places and bounds is passed over.
template <class... S>
auto farm(const Pipeline<stream::NoSource, S...>& inner) {
  static_assert(
      (std::is_same_v<typename S::Dealing, stream::ToWhoIsFree> && ...),
      "octavo::farm: a stage within a farm of a pipeline has one worker, so that nothing is dealt there: broadcast(), by() and the like are the farm's");
  using Body = stream::TogetherBody<typename S::body_type...>;
  return std::apply([](const S&... each) { return stream::Stage<Body, true>({{each.body()...}}, {.workers = 0}); }, inner.stages());
}

template <class... T>
RunningStream start(const Pipeline<T...>& stream) {
  return stream.start();
}

}  // namespace octavo
