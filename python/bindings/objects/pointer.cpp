// SPDX-License-Identifier: Apache-2.0
#include "objects/pointer.hpp"

#include <string>

#include "errors.hpp"
#include "objects/exchange.hpp"
#include "objects/method.hpp"
#include "objects/tools.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

class Pointer {
 public:
  Pointer(Address to, std::string what, nb::object method_names) : address(to), title(std::move(what)), names_(std::move(method_names)) {}
  Address address;
  std::string title;  // of the object's class

  nb::object attribute(nb::handle name) {
    if (auto* known = PyDict_GetItemWithError(methods_.ptr(), name.ptr())) return nb::borrow(known);
    if (names_.is_none()) learn_names();
    if (is_of_cpp() && !has(0, name)) raise_no_method(name);
    if (has(0, name) && !was_set(name)) return enter(name);
    nb::tuple found = nb::cast<nb::tuple>(perform(address, nb::str("getattr"), nb::make_tuple(name)));  // (whether it is a method, value)
    return nb::cast<bool>(found[0]) ? enter(name) : nb::object(found[1]);
  }
  // An attribute may hide a method from now on, or hide one no more: the object says which.
  void note_set(nb::handle name) {
    if (!set_) set_ = nb::set();
    set_.add(name);
    if (methods_.contains(name)) nb::del(methods_[name]);
  }

 private:
  [[nodiscard]] bool was_set(nb::handle name) const { return set_ && set_.contains(name); }
  [[nodiscard]] bool has(std::size_t which, nb::handle name) const {
    const int found = PySet_Contains(nb::object(names_[which]).ptr(), name.ptr());
    if (found < 0) throw nb::python_error();
    return found != 0;
  }
  void learn_names() {
    try {
      names_ = perform(address, nb::str("methods"), nb::make_tuple());
    } catch (const NoPythonObject&) {
      nb::list found(names_in_cpp(address));
      title = nb::cast<std::string>(found[0]);
      nb::del(found[0]);
      const auto set_of = nb::module_::import_("builtins").attr("frozenset");
      names_ = nb::make_tuple(set_of(found), set_of(), nb::none(), true);
    }
  }
  [[nodiscard]] bool is_of_cpp() const { return nb::len(names_) > 3; }
  [[noreturn]] void raise_no_method(nb::handle name) const {
    const auto text = "the C++ class " + title + " has no method '" + nb::cast<std::string>(name) + "' for Python. Name it after the class: OCTAVO_PYTHON(" +
                      title + ", " + nb::cast<std::string>(name) + ", ...)";
    PyErr_SetString(PyExc_AttributeError, text.c_str());
    throw nb::python_error();
  }
  nb::object enter(nb::handle name) {
    const auto runs = is_of_cpp() ? how::in_cpp : has(1, name) ? how::as_coroutine : how::at_once;
    auto method = make_method(address, name, nb::str(title.c_str()), runs, nb::len(names_) > 2 ? nb::object(names_[2]) : nb::none());
    methods_[name] = method;
    return method;
  }
  // Frozensets: of methods, and of those among them that are coroutines; a weak reference to the class, where it is known here; True of an object of C++.
  nb::object names_;
  nb::dict methods_;                                // by name
  nb::set set_ = nb::steal<nb::set>(nb::handle());  // names of attributes that were set, or deleted, through this pointer
};

// What begins and ends with two underscores is the pointer's own: Python looks for such names in classes, not in objects.
bool is_own(nb::handle name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  const std::string_view all(text, static_cast<std::size_t>(size));
  if (all.starts_with("_repr_") || all.starts_with("_ipython_")) return true;  // how a notebook shows a value
  return all.size() > 4 && all.starts_with("__") && all.ends_with("__");
}

PyObject* get_attribute(PyObject* self, PyObject* name) noexcept {
  try {
    if (is_own(name)) return PyObject_GenericGetAttr(self, name);
    return nb::inst_ptr<Pointer>(self)->attribute(name).release().ptr();
  } catch (...) {
    restore_current_exception();
    return nullptr;
  }
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) noexcept {
  try {
    if (is_own(name)) return PyObject_GenericSetAttr(self, name, value);
    auto& pointer = *nb::inst_ptr<Pointer>(self);
    if (value == nullptr) perform(pointer.address, nb::str("delattr"), nb::make_tuple(nb::borrow(name)));
    else perform(pointer.address, nb::str("setattr"), nb::make_tuple(nb::borrow(name), nb::borrow(value)));
    pointer.note_set(name);
    return 0;
  } catch (...) {
    restore_current_exception();
    return -1;
  }
}

}  // namespace

bool is_pointer(nb::handle object) { return nb::isinstance<Pointer>(object); }
const Address& address_of(nb::handle pointer) { return nb::cast<const Pointer&>(pointer).address; }
std::string_view title_of(nb::handle pointer) { return nb::cast<const Pointer&>(pointer).title; }

nb::object make_pointer(const Address& address, std::string_view title, nb::handle names) {
  return tools().pointer_type(address.agent, address.incarnation, address.object, nb::str(title.data(), title.size()), names);
}

void add_pointer(nb::module_& m) {
  static PyType_Slot slots[] = {
      {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)}, {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)}, {0, nullptr}};
  nb::class_<Pointer>(m, "PointerBase", nb::type_slots(slots), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Pointer* self, std::uint64_t agent, std::uint32_t incarnation, std::uint64_t object, std::string title, nb::object names) {
            new (self) Pointer({agent, incarnation, object}, std::move(title), std::move(names));
          },
          "agent"_a, "incarnation"_a, "object"_a, "title"_a, "names"_a.none());
  m.def("pointer_facts", [](nb::handle pointer) {
    const auto& address = address_of(pointer);
    const auto title = title_of(pointer);
    return nb::make_tuple(address.agent, address.incarnation, address.object, nb::str(title.data(), title.size()));
  });
  m.def("is_seen_to_have_ended", [](nb::handle pointer) { return detail::is_seen_to_have_ended(address_of(pointer)); });
}

}  // namespace octavo::bindings
