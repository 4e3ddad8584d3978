// SPDX-License-Identifier: Apache-2.0
#include "objects/tools.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

namespace {

PythonTools* load() {
  auto pickling = nb::module_::import_("octavo.objects.pickling"), hosting = nb::module_::import_("octavo.objects.hosting");
  auto raising = nb::module_::import_("octavo.objects.raising"), pointers = nb::module_::import_("octavo.objects.pointers");
  auto streams = nb::module_::import_("octavo.objects.streams");
  return new PythonTools{pickling.attr("dumps"),
                         pickling.attr("loads"),
                         pickling.attr("array_of"),
                         nb::module_::import_("numpy").attr("ndarray"),
                         pickling.attr("number_of"),
                         nb::module_::import_("numpy").attr("number"),
                         hosting.attr("Host"),
                         hosting.attr("is_lazy"),
                         streams.attr("StreamHandle"),
                         streams.attr("Stream"),
                         raising.attr("describe"),
                         pickling.attr("raise_with_place"),
                         pickling.attr("raise_in_request"),
                         pointers.attr("method_of"),
                         raising.attr("raise_remote"),
                         pointers.attr("Pointer"),
                         nb::module_::import_("octavo.objects.futures").attr("Future"),
                         nb::module_::import_("octavo.objects.server.coroutines").attr("warn_of_event_loop")};
}

}  // namespace

const PythonTools& tools() {
  // The interpreter's lock guards it, and no guard of C++: the thread that imports gives the lock to others now and then, which would keep it while they
  // waited for that guard.
  static PythonTools* loaded = nullptr;
  if (loaded == nullptr) {
    PythonTools* mine = load();
    if (loaded == nullptr) loaded = mine;  // else another thread was quicker, and `mine` is kept for ever, too
  }
  return *loaded;
}

}  // namespace octavo::bindings
