// SPDX-License-Identifier: Apache-2.0
#include "objects/tools.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

const PythonTools& tools() {
  static const PythonTools& loaded = *[] {
    auto pickling = nb::module_::import_("octavo.objects.pickling"), hosting = nb::module_::import_("octavo.objects.hosting");
    auto raising = nb::module_::import_("octavo.objects.raising"), pointers = nb::module_::import_("octavo.objects.pointers");
    auto streams = nb::module_::import_("octavo.objects.streams");
    return new PythonTools{pickling.attr("dumps"),       pickling.attr("loads"),
                           pickling.attr("array_of"),    nb::module_::import_("numpy").attr("ndarray"),
                           hosting.attr("Host"),         hosting.attr("is_lazy"),
                           streams.attr("StreamHandle"), streams.attr("Stream"),
                           raising.attr("describe"),     nb::module_::import_("octavo.objects.unpicklable").attr("with_place"),
                           pointers.attr("method_of"),   raising.attr("raise_remote"),
                           pointers.attr("Pointer"),     nb::module_::import_("octavo.objects.futures").attr("Future")};
  }();
  return loaded;
}

}  // namespace octavo::bindings
