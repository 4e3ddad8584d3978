// SPDX-License-Identifier: Apache-2.0
// octavo._core: the thin layer between the package and the library. Names and documentation are in the .py files.
#include <nanobind/stl/string_view.h>

#include <set>

#include "errors.hpp"
#include "objects/runtime.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/log.hpp"
#include "octavo/fft/kernel.hpp"
#include "octavo/machine/budget.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Once per process and subject. The interpreter's lock is held.
void log_once_about(std::string_view subject, std::string_view text) {
  static std::set<std::string, std::less<>> told;
  if (told.emplace(subject).second) octavo::log_line(text);
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace octavo;
  nb::set_leak_warnings(false);  // an exception that is kept, or a daemon thread, holds objects until the interpreter's end: no user can mend that
  bindings::add_errors(m);
  m.def(
      "parse_bytes", [](const std::string& text) { return parse_bytes(text); }, "text"_a);
  m.def("default_budget", &default_budget);
  m.def("format_bytes", &format_bytes, "count"_a);
  m.def("log_once", &log_once_about, "subject"_a, "text"_a);
  m.def("kernel_names", [] {
    nb::list names;
    for (int i = 0; i < fft::kernel_count(); ++i) names.append(std::string(fft::kernel_at(i).name()));
    return names;
  });
  bindings::add_types(m);
  bindings::add_storage(m);
  bindings::add_phases(m);
  bindings::add_job(m);
  bindings::add_device_array(m);
  bindings::add_array(m);
  bindings::add_buffered(m);
  bindings::add_store(m);
  bindings::add_named(m);
  bindings::add_status(m);
  bindings::add_objects(m);
}
