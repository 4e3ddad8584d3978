// SPDX-License-Identifier: Apache-2.0
// Transforms and copies of arrays on disk.
#include "octavo/fft/job.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <tuple>

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

// How Python makes a target that another library writes: path, shape, chunk, dtype, attributes, dimension names, fill value.
using Create = std::function<Storage(const std::string&, const Integers&, const Integers&, const std::string&, const std::string& attributes,
                                     const std::string& names, const std::string& fill)>;

fft::TargetOptions target_options(const std::optional<std::string>& format, const std::optional<Integers>& chunks, const std::vector<std::string>& devices,
                                  const std::string& map, int zarr_version, std::int64_t unit_bytes, bool creates_zarr, const std::optional<Create>& create) {
  fft::TargetOptions made;
  if (format) made.format = format_of(*format);
  made.chunks = shape_of(chunks);
  made.devices = devices;
  std::tie(made.map, made.map_block) = map_of(map);
  made.zarr_version = zarr_version;
  made.unit_bytes = unit_bytes;
  made.creates_zarr = creates_zarr;
  if (create)
    made.create = [call = *create](const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const CreateOptions& carried) {
      return call(path, integers(shape), integers(chunk), std::string(name_of(type)), carried.attributes_json, carried.dimension_names_json,
                  carried.fill.empty() ? std::string() : fill_text(carried.fill, type));
    };
  return made;
}

fft::Job make_job(const Storage& source, const std::string& target, const fft::TargetOptions& as, bool copy, const std::vector<int>& axes, bool inverse,
                  const std::string& norm, std::int64_t memory, int cores, const std::string& scratch, bool overwrite) {
  fft::JobOptions options{.source = source.path, .target = target};
  options.opened = source;
  options.target_as = as;
  options.copy = copy;
  options.axes = axes;
  options.inverse = inverse;
  options.norm = norm_of(norm);
  options.memory = memory;
  options.cores = cores;
  options.scratch = scratch;
  options.overwrite = overwrite;
  return fft::Job(std::move(options));
}

// Runs without the interpreter's lock; takes it to show progress and to see Ctrl-C. What Python raised meanwhile stops the job
// in its orderly way, and is raised afterwards.
fft::JobReport run_job(fft::Job& job, const nb::object& watch) {
  std::optional<nb::python_error> raised;
  auto show = [&](const fft::Progress& progress) {
    nb::gil_scoped_acquire locked;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return watch.is_none() || nb::cast<bool>(watch(progress));
    } catch (nb::python_error& e) {
      raised.emplace(std::move(e));
      return false;
    }
  };
  try {
    nb::gil_scoped_release unlocked;
    return job.run(show);
  } catch (...) {
    if (raised) throw nb::python_error(std::move(*raised));
    throw;
  }
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
      .def_ro("removed", &fft::JobReport::removed);
  nb::class_<fft::TargetOptions>(m, "TargetOptions");  // NOLINT(bugprone-unused-raii): making it registers it
  m.def("target_options", &target_options, "format"_a.none(), "chunks"_a.none(), "devices"_a, "map"_a, "zarr_version"_a, "unit_bytes"_a, "creates_zarr"_a,
        "create"_a.none());
  nb::class_<fft::Job>(m, "Job")
      .def_prop_ro("plan_text", [](const fft::Job& job) { return job.plan().text(); })
      .def_prop_ro("passes", [](const fft::Job& job) { return job.plan().passes.size(); })
      .def_prop_ro("transforms", [](const fft::Job& job) { return job.plan().transforms; })
      .def_prop_ro("depth", [](const fft::Job& job) { return job.plan().depth; })
      .def_prop_ro("uses_scratch", [](const fft::Job& job) { return job.plan().uses_scratch; })
      .def_prop_ro("source", [](const fft::Job& job) { return job.source(); })
      .def_prop_ro("processes", &fft::Job::processes)
      .def("run", &run_job, "watch"_a.none() = nb::none());
  m.def("make_job", &make_job, "source"_a, "target"_a, "target_as"_a, "copy"_a, "axes"_a, "inverse"_a, "norm"_a, "memory"_a, "cores"_a, "scratch"_a,
        "overwrite"_a);
}

}  // namespace octavo::bindings
