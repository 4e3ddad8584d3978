// SPDX-License-Identifier: Apache-2.0
// Where the processes of jobs, and devices, spend their time.
#include "octavo/data/phases.hpp"

#include <nanobind/stl/vector.h>

#include "octavo/fft/job.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

void add_phases(nb::module_& m) {
  nb::class_<Phase>(m, "Phase").def_ro("seconds", &Phase::seconds).def_ro("under_way", &Phase::under_way).def_ro("bytes", &Phase::bytes);
  nb::class_<Phases>(m, "Phases")
      .def_ro("reading", &Phases::reading)
      .def_ro("caching", &Phases::caching)
      .def_ro("computing", &Phases::computing)
      .def_ro("network", &Phases::network)
      .def_ro("writing", &Phases::writing)
      .def_ro("waiting", &Phases::waiting)
      .def_ro("idle", &Phases::idle)
      .def_ro("wall", &Phases::wall);
  nb::class_<fft::ProcessPhases>(m, "ProcessPhases")
      .def_ro("name", &fft::ProcessPhases::name)
      .def_ro("machine", &fft::ProcessPhases::machine)
      .def_ro("pid", &fft::ProcessPhases::pid)
      .def_ro("phases", &fft::ProcessPhases::phases);
}

}  // namespace octavo::bindings
