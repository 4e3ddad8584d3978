// SPDX-License-Identifier: Apache-2.0
// All stages of a stream in one thread, each called by the one before it: for the debugger, and for stages so short that handing items over costs more.
#pragma once

#include <array>

#include "octavo/stream/detail/build.hpp"

namespace octavo::stream {

template <bool has_sink, class... S>
class InlinedRun final : public Standing {
 public:
  explicit InlinedRun(std::tuple<S...>& stages) : stages_(stages), doers_(std::apply([](S&... each) { return Doing(each.body().one()...); }, stages)) {}

  template <class Source, class Sink>
  void run(Source& source, Sink&& sink) {
    const auto begin = std::chrono::steady_clock::now();
    const auto give = [&](typename Source::item&& item) {
      ++from_source_;
      step<0>(std::move(item), sink);
    };
    std::apply([&](auto&... each) { (open(each), ...); }, doers_);
    try {
      std::apply([&](auto&... each) { (begin_doer(each), ...); }, doers_);
      if constexpr (requires { source.each(give, *this); }) source.each(give, *this);
      else source.each(give);
    } catch (...) {
      error_ = std::current_exception();
      std::apply([&](auto&... each) { (tell_end(each), ...); }, doers_);
      throw;
    }
    std::apply([&](auto&... each) { (end_doer(each, *this), ...); }, doers_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  [[nodiscard]] bool is_cancelled() const noexcept override { return false; }
  [[nodiscard]] std::exception_ptr error() const override { return error_; }
  [[nodiscard]] StreamReport report() const {
    StreamReport report{.delivered = delivered_, .seconds = seconds_};
    std::size_t i = 0;
    std::apply(
        [&](S&... each) {
          ((report.stages.push_back({.name = name_of(each.settings(), i), .place = "inlined", .taken = taken_[i], .given = given_[i]}), ++i), ...);
        },
        stages_);
    if constexpr (has_sink) {
      report.delivered = report.stages.back().taken;
      report.stages.pop_back();
    }
    return report;
  }

 private:
  using Doing = std::tuple<decltype(std::declval<S&>().body().one())...>;
  static std::string name_of(const StageSettings& settings, std::size_t i) { return settings.name.empty() ? "stage " + std::to_string(i + 1) : settings.name; }
  template <class D>
  void open(D& doer) {
    if constexpr (opens<D>) doer.open_in(*this);
  }
  // Of an error, where there is somebody to be told.
  template <class D>
  void tell_end(D& doer) {
    if constexpr (requires { doer.end_in(*this); }) doer.end_in(*this);
  }
  template <std::size_t I, class In, class Sink>
  void step(In&& item, Sink& sink) {
    if constexpr (I == sizeof...(S)) {
      ++delivered_;
      sink(std::move(item));
    } else {
      using Given = std::tuple_element_t<I, std::tuple<S...>>;
      using Is = Shape<typename Given::body_type, Given::several, std::remove_cvref_t<In>, typename Given::Dealing>;
      const auto give = [&](auto&& result) {
        ++given_[I];
        step<I + 1>(std::move(result), sink);
      };
      if constexpr (Is::is_dealt) deal<I, Is>(std::move(item), give);
      else run_rounds<I, Is>(std::move(item), give);
    }
  }
  template <std::size_t I, class Is, class Give>
  void run_rounds(typename Is::In&& item, Give&& give) {
    if constexpr (Is::loops) {
      std::vector<typename Is::In> waiting;
      waiting.push_back(std::move(item));
      while (!waiting.empty()) {
        typename Is::In next = std::move(waiting.back());
        waiting.pop_back();
        ++taken_[I];
        Is::svc::run_round(std::get<I>(doers_), std::move(next), give, [&](typename Is::In value) { waiting.push_back(std::move(value)); });
      }
    } else {
      ++taken_[I];
      Is::svc::run(std::get<I>(doers_), std::move(item), give);
    }
  }
  // All workers are the one that there is.
  template <std::size_t I, class Is, class Give>
  void deal(typename Is::Comes&& item, Give& give) {
    const std::size_t workers = workers_of(std::get<I>(stages_).settings());
    typename Is::Dealing dealing = dealing_for<Is>(std::get<I>(stages_));
    [[maybe_unused]] std::vector<typename Is::Result> together;
    dealing.deal(std::move(item), taken_[I], workers, [&](std::size_t /*worker*/, typename Is::In&& part) {
      if constexpr (Is::gathers) run_rounds<I, Is>(std::move(part), [&](auto&& result) { together.push_back(std::move(result)); });
      else run_rounds<I, Is>(std::move(part), give);
    });
    if constexpr (Is::gathers) give(std::move(together));
  }

  std::tuple<S...>& stages_;
  Doing doers_;
  std::exception_ptr error_;
  std::uint64_t from_source_ = 0, delivered_ = 0;
  std::array<std::uint64_t, sizeof...(S) + 1> taken_{}, given_{};
  double seconds_ = 0;
};

}  // namespace octavo::stream
