// SPDX-License-Identifier: Apache-2.0
#include "objects/stream/shown.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <tuple>

#include "octavo/base/error.hpp"
#include "octavo/stream/detail/shown/shown.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using stream::Counters, stream::doing, stream::part, stream::ShownPart;

std::uint64_t ns_of(double seconds) { return seconds > 0 ? static_cast<std::uint64_t>(std::llround(1e9 * seconds)) : 0; }

// Its parts are the source, the stages, and who takes the results. The first line of a stage has what it has done, the others what each worker does.
class ShownStream {
 public:
  using Stage = std::tuple<std::string, std::string, std::size_t>;  // name, place, workers
  explicit ShownStream(const std::vector<Stage>& stages) : shown_(parts_of(stages)), workers_(stages.size()) {
    for (std::size_t i = 0; i < stages.size(); ++i) workers_[i] = std::get<2>(stages[i]);
  }
  void stage(std::size_t stage, std::uint64_t taken, std::uint64_t given, double busy, double waited_for_input, double waited_for_room) {
    Counters& line = *shown_.counters(checked(stage) + 1);
    line.taken = taken;
    line.given = given;
    line.busy = ns_of(busy);
    line.waited_for_input = ns_of(waited_for_input);
    line.waited_for_room = ns_of(waited_for_room);
  }
  void worker(std::size_t stage, std::size_t worker, unsigned what, double since) {
    if (worker >= workers_[checked(stage)]) throw usage_error("a stage's worker " + std::to_string(worker) + " of " + std::to_string(workers_[stage]));
    Counters& line = shown_.counters(stage + 1)[1 + worker];
    line.since = ns_of(since);
    line.doing = what;
  }
  void ends(std::uint64_t given, std::uint64_t delivered) {
    shown_.counters(0)->given = given;
    shown_.counters(workers_.size() + 1)->taken = delivered;
  }
  void hide() { shown_.end(); }

 private:
  static std::vector<ShownPart> parts_of(const std::vector<Stage>& stages) {
    std::vector<ShownPart> parts{{.what = part::source, .name = "source"}};
    for (const auto& [name, place, workers] : stages) parts.push_back({.name = name, .place = place, .workers = workers, .lines = workers + 1});
    parts.push_back({.what = part::sink, .name = "sink"});
    return parts;
  }
  [[nodiscard]] std::size_t checked(std::size_t stage) const {
    if (stage < workers_.size()) return stage;
    throw usage_error("stage " + std::to_string(stage) + " of a stream of " + std::to_string(workers_.size()));
  }
  stream::Shown shown_;
  std::vector<std::size_t> workers_;
};

}  // namespace

void add_shown(nb::module_& m) {
  nb::class_<ShownStream>(m, "ShownStream")
      .def(nb::init<const std::vector<ShownStream::Stage>&>(), "stages"_a)
      .def("stage", &ShownStream::stage, "stage"_a, "taken"_a, "given"_a, "busy"_a, "waited_for_input"_a, "waited_for_room"_a)
      .def("worker", &ShownStream::worker, "stage"_a, "worker"_a, "doing"_a, "since"_a)
      .def("ends", &ShownStream::ends, "given"_a, "delivered"_a)
      .def("hide", &ShownStream::hide);
}

}  // namespace octavo::bindings
