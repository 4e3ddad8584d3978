// SPDX-License-Identifier: Apache-2.0
// octavo._core: the thin layer between the package and the library. Names and documentation are in the .py files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "errors.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/fft/job.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using Integers = std::vector<std::int64_t>;

Integers integers(const Shape& shape) { return {shape.begin(), shape.end()}; }

std::optional<Shape> shape_of(const std::optional<Integers>& values) { return values ? std::optional<Shape>(Shape(std::span(*values))) : std::nullopt; }

std::optional<RawLayout> raw_layout(const std::optional<Integers>& shape, const std::optional<std::string>& type, std::int64_t offset) {
  if (!shape && !type) return std::nullopt;
  if (!shape || !type) throw usage_error("a raw source needs both its shape and its dtype", "Give --shape and --dtype");
  return RawLayout{Shape(std::span(*shape)), parse_dtype(*type), byte_order::little, offset};
}

fft::norm_kind norm_of(const std::string& name) {
  if (name == "backward") return fft::norm_kind::backward;
  if (name == "ortho") return fft::norm_kind::ortho;
  if (name == "forward") return fft::norm_kind::forward;
  throw usage_error("norm '" + name + "'", "It is backward, ortho or forward");
}

const char* name_of_format(storage_format format) {
  switch (format) {
    case storage_format::zarr: return "zarr";
    case storage_format::npy: return "npy";
    case storage_format::raw: return "raw";
    case storage_format::page_file: return "page file";
    case storage_format::pages: return "octavo";
    case storage_format::store: return "store";
  }
  return "?";
}

fft::Job make_job(const std::string& source, const std::string& target, const std::vector<int>& axes, bool inverse, const std::string& norm,
                  std::int64_t memory, const std::optional<Integers>& chunks, const std::string& scratch, bool overwrite, const std::optional<Integers>& shape,
                  const std::optional<std::string>& type) {
  fft::JobOptions options{
      .source = source, .target = target, .raw = raw_layout(shape, type, 0), .axes = axes, .inverse = inverse, .norm = norm_of(norm), .memory = memory};
  options.chunks = shape_of(chunks);
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

NB_MODULE(_core, m) {
  add_errors(m);
  m.def(
      "parse_bytes", [](const std::string& text) { return parse_bytes(text); }, "text"_a);
  m.def("format_bytes", &format_bytes, "count"_a);

  nb::class_<Storage>(m, "Storage")
      .def_prop_ro("format", [](const Storage& s) { return name_of_format(s.format); })
      .def_ro("path", &Storage::path)
      .def_prop_ro("shape", [](const Storage& s) { return integers(s.shape); })
      .def_prop_ro("chunk", [](const Storage& s) { return integers(s.chunk); })
      .def_prop_ro("dtype", [](const Storage& s) { return std::string(name_of(s.type)); })
      .def_prop_ro("big_endian", [](const Storage& s) { return s.order == byte_order::big; })
      .def_prop_ro("nbytes", [](const Storage& s) { return s.shape.count() * size_of(s.type); });
  m.def(
      "open_storage",
      [](const std::string& path, const std::optional<Integers>& shape, const std::optional<std::string>& type) {
        return open_storage(path, raw_layout(shape, type, 0));
      },
      "path"_a, "shape"_a = nb::none(), "dtype"_a = nb::none());

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
      .def_ro("processes", &fft::JobReport::processes);
  nb::class_<fft::Job>(m, "Job")
      .def_prop_ro("plan_text", [](const fft::Job& job) { return job.plan().text(); })
      .def_prop_ro("passes", [](const fft::Job& job) { return job.plan().passes.size(); })
      .def_prop_ro("transforms", [](const fft::Job& job) { return job.plan().transforms; })
      .def_prop_ro("depth", [](const fft::Job& job) { return job.plan().depth; })
      .def_prop_ro("uses_scratch", [](const fft::Job& job) { return job.plan().uses_scratch; })
      .def_prop_ro("source", [](const fft::Job& job) { return job.source(); })
      .def_prop_ro("processes", &fft::Job::processes)
      .def("run", &run_job, "watch"_a.none() = nb::none());
  m.def("make_job", &make_job, "source"_a, "target"_a, "axes"_a, "inverse"_a, "norm"_a, "memory"_a, "chunks"_a.none(), "scratch"_a, "overwrite"_a,
        "shape"_a.none(), "dtype"_a.none());
}

}  // namespace octavo::bindings
