// SPDX-License-Identifier: Apache-2.0
// Transforms and copies of arrays on disk.
#include "octavo/fft/job.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "lock.hpp"
#include "octavo/base/error.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

fft::norm_kind norm_of(const std::string& name) {
  if (name == "backward") return fft::norm_kind::backward;
  if (name == "ortho") return fft::norm_kind::ortho;
  if (name == "forward") return fft::norm_kind::forward;
  throw usage_error("norm '" + name + "'", "It is backward, ortho or forward");
}

// How Python makes a target that another library writes: of path, shape, chunk, dtype, attributes, dimension names and fill value.
void set_create(fft::TargetOptions& options, nb::object create) {
  options.create = {};
  if (create.is_none()) return;
  // Owned by whoever drops it, with the lock.
  auto call = std::shared_ptr<nb::object>(new nb::object(std::move(create)), [](nb::object* done) { with_lock([&] { delete done; }); });
  options.create = [call = std::move(call)](const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const CreateOptions& carried) {
    return with_lock([&] {
      return nb::cast<Storage>((*call)(path, integers(shape), integers(chunk), std::string(name_of(type)), carried.attributes_json,
                                       carried.dimension_names_json, carried.fill.empty() ? std::string() : fill_text(carried.fill, type)));
    });
  };
}

// Runs without the interpreter's lock; takes it to show progress and to see Ctrl-C. What Python raised meanwhile stops the job
// in its orderly way, and is raised afterwards.
fft::JobReport run_job(fft::Job& job, const nb::object& watch) {
  std::optional<nb::python_error> raised;
  auto show = [&](const fft::Progress& progress) {
    return with_lock([&] {
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return watch.is_none() || nb::cast<bool>(watch(progress));
      } catch (nb::python_error& e) {
        raised.emplace(std::move(e));
        return false;
      }
    });
  };
  try {
    const Unlocked unlocked;
    return job.run(show);
  } catch (...) {
    if (raised) throw nb::python_error(std::move(*raised));
    throw;
  }
}

// As those of C++, but that Python says by names what has names; those it writes only.
void add_options(nb::module_& m) {
  nb::class_<fft::TargetOptions>(m, "TargetOptions")
      .def(nb::init<>())
      .def_prop_rw("format", nullptr, [](fft::TargetOptions& o, const std::string& name) { o.format = format_of(name); })
      .def_prop_rw("chunks", nullptr, [](fft::TargetOptions& o, const Integers& chunks) { o.chunks = shape_of(chunks); })
      .def_rw("devices", &fft::TargetOptions::devices)
      .def_prop_rw("map", nullptr, [](fft::TargetOptions& o, const std::string& name) { std::tie(o.map, o.map_block) = map_of(name); })
      .def_rw("zarr_version", &fft::TargetOptions::zarr_version)
      .def_rw("compressor", &fft::TargetOptions::compressor)
      .def_rw("level", &fft::TargetOptions::level, "level"_a.none())
      .def_prop_rw("shard", nullptr, [](fft::TargetOptions& o, const Integers& shard) { o.shard = shape_of(shard); })
      .def_rw("unit_bytes", &fft::TargetOptions::unit_bytes)
      .def_rw("creates_zarr", &fft::TargetOptions::creates_zarr)
      .def_prop_rw("create", nullptr, &set_create, nb::arg().none());
  nb::class_<fft::JobOptions>(m, "JobOptions")
      .def(
          "__init__",
          [](fft::JobOptions* self, const Storage& source, const std::string& name) {
            new (self) fft::JobOptions{.source = name.empty() ? source.path : name, .target = {}, .opened = source};
          },
          "source"_a, "name"_a = "")
      .def_rw("target", &fft::JobOptions::target)
      .def_rw("target_as", &fft::JobOptions::target_as)
      .def_rw("copy", &fft::JobOptions::copy)
      .def_rw("axes", &fft::JobOptions::axes)
      .def_rw("inverse", &fft::JobOptions::inverse)
      .def_prop_rw("norm", nullptr, [](fft::JobOptions& o, const std::string& name) { o.norm = norm_of(name); })
      .def_rw("memory", &fft::JobOptions::memory)
      .def_rw("cores", &fft::JobOptions::cores)
      .def_rw("scratch", &fft::JobOptions::scratch)
      .def_rw("overwrite", &fft::JobOptions::overwrite)
      .def_rw("timeline", &fft::JobOptions::timeline)
      .def_prop_rw("source_array", nullptr, [](fft::JobOptions& o, const Array& array) { o.from = array; })
      .def_prop_rw("target_array", nullptr, [](fft::JobOptions& o, const Array& array) { o.to = array; });
}

}  // namespace

void add_job(nb::module_& m) {
  nb::class_<fft::Progress>(m, "Progress")
      .def_ro("step", &fft::Progress::pass)
      .def_ro("steps", &fft::Progress::passes)
      .def_ro("bytes_done", &fft::Progress::bytes_done)
      .def_ro("bytes_total", &fft::Progress::bytes_total)
      .def_ro("seconds", &fft::Progress::seconds);
  nb::class_<ProcessFacts>(m, "ProcessFacts")
      .def_ro("class_name", &ProcessFacts::class_name)
      .def_ro("pid", &ProcessFacts::pid)
      .def_ro("machine", &ProcessFacts::machine)
      .def_prop_ro("object", [](const ProcessFacts& f) { return f.address.object; });
  nb::class_<fft::JobReport>(m, "JobReport")
      .def_ro("seconds", &fft::JobReport::seconds)
      .def_ro("bytes_moved", &fft::JobReport::bytes_moved)
      .def_ro("memory_peak", &fft::JobReport::memory_peak)
      .def_ro("program_peak", &fft::JobReport::program_peak)
      .def_ro("memory_budget", &fft::JobReport::memory_budget)
      .def_ro("road_bytes", &fft::JobReport::road_bytes)
      .def_ro("computing", &fft::JobReport::computing)
      .def_ro("processes", &fft::JobReport::processes)
      .def_ro("interpreters", &fft::JobReport::interpreters)
      .def_ro("removed", &fft::JobReport::removed)
      .def_ro("phases", &fft::JobReport::phases);
  add_options(m);
  m.def("least_text", &fft::least_text, "least"_a);
  nb::class_<fft::Job>(m, "Job")
      .def(
          "__init__",
          [](fft::Job* self, fft::JobOptions options) {
            const Unlocked unlocked;  // arrays with names are opened: others answer
            if (options.from) options.from_name = std::exchange(options.source, {}), options.opened.reset();
            if (options.to) options.to_name = std::exchange(options.target, {});
            new (self) fft::Job(std::move(options));
          },
          "options"_a)
      .def_prop_ro("plan_text", [](const fft::Job& job) { return job.plan().text(); })
      .def_prop_ro("passes", [](const fft::Job& job) { return job.plan().passes.size(); })
      .def_prop_ro("transforms", [](const fft::Job& job) { return job.plan().transforms; })
      .def_prop_ro("depth", [](const fft::Job& job) { return job.plan().depth; })
      .def_prop_ro("uses_scratch", [](const fft::Job& job) { return job.plan().uses_scratch; })
      .def_prop_ro("source", [](const fft::Job& job) { return job.source(); })
      .def_prop_ro("processes", &fft::Job::processes)
      .def("run", &run_job, "watch"_a.none() = nb::none());
}

}  // namespace octavo::bindings
