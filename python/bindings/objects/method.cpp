// SPDX-License-Identifier: Apache-2.0
#include "objects/method.hpp"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <stdexcept>

#include "errors.hpp"
#include "objects/exchange.hpp"
#include "objects/future.hpp"
#include "objects/pointer.hpp"
#include "objects/value/codec.hpp"
#include "octavo/base/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// Fields that Python finds by their offset.
struct Method {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  Address of;
  PyObject* name;
  PyObject* title;
  PyObject* of_class;  // a weak reference, or None: a class may have pointers to its objects
  how runs;
};

std::string_view text_of(PyObject* name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

// A C function of Python: what C++ throws becomes Python's exception.
template <class Work>
PyObject* guarded(Work work) noexcept {
  try {
    return work().release().ptr();
  } catch (...) {
    restore_current_exception();
    return nullptr;
  }
}

Value request_of_each(const Method& method, PyObject* const* arguments, std::size_t positional, PyObject* keywords) {
  Value request;
  ValueEncoder out(request, tools(), &method.of);
  out.put_byte(static_cast<std::uint8_t>(operation::call));
  out.put_text(text_of(method.name));
  const std::size_t named = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(keywords));
  out.put_count(positional);
  out.put_count(named);
  std::size_t at = 0;
  PyObject* name = nullptr;
  try {
    for (; at < positional; ++at) out.put(arguments[at]);
    for (; at < positional + named; ++at) {
      name = PyTuple_GetItem(keywords, static_cast<Py_ssize_t>(at - positional));
      out.put(name);
      out.put(arguments[at]);
    }
  } catch (nb::python_error& error) {
    nb::object which = name == nullptr ? nb::object(nb::int_(at + 1)) : nb::borrow(name);
    tools().raise_with_place(error.value(), nb::str("argument {}").format(which), nb::handle(arguments[at]));
  }
  return request;
}

// Whether an argument that can be changed stands twice: it is to be one object on the other side, too, which only a pickle of all tells. Of very many
// arguments that is not asked: it may be so.
bool may_have_twice(PyObject* const* arguments, std::size_t count) {
  constexpr std::size_t very_many = 64;
  if (count > very_many) return true;
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (arguments[i] == arguments[j] && !is_unchangeable(arguments[i])) return true;
  return false;
}

Value request_of(const Method& method, PyObject* const* arguments, std::size_t positional, PyObject* keywords) {
  const std::size_t named = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(keywords));
  if (!may_have_twice(arguments, positional + named)) return request_of_each(method, arguments, positional, keywords);
  nb::list values;
  for (std::size_t i = 0; i < positional; ++i) values.append(nb::handle(arguments[i]));
  nb::dict by_name;
  for (std::size_t i = 0; i < named; ++i) by_name[nb::handle(PyTuple_GetItem(keywords, static_cast<Py_ssize_t>(i)))] = nb::handle(arguments[positional + i]);
  Value request;
  ValueEncoder out(request, tools(), &method.of);
  out.put_byte(static_cast<std::uint8_t>(operation::call_with));
  out.put_text(text_of(method.name));
  nb::tuple all = nb::make_tuple(nb::tuple(values), by_name);
  try {
    out.put(all);
  } catch (nb::python_error& error) {
    tools().raise_in_request(error.value(), "call", all);
  }
  return request;
}

PyObject* call_method(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  return guarded([&] {
    const auto& method = *reinterpret_cast<Method*>(self);
    warn_of_event_loop();
    return exchange(method.of, request_of(method, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(count)), keywords), method.runs);
  });
}

void free_method(PyObject* self) {
  auto* method = reinterpret_cast<Method*>(self);
  Py_XDECREF(method->name);
  Py_XDECREF(method->title);
  Py_XDECREF(method->of_class);
  auto* type = Py_TYPE(self);
  auto* release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(type);
}

PyObject* show_method(PyObject* self) {
  auto* method = reinterpret_cast<Method*>(self);
  return PyUnicode_FromFormat("<remote method %U of %U>", method->name, method->title);
}

// (octavo.objects.pointers.method_of, its facts): a method travels as an argument.
PyObject* reduce_method(PyObject* self, PyObject*) {
  return guarded([&] {
    const auto& method = *reinterpret_cast<Method*>(self);
    if (method.runs == how::in_cpp) {  // as its pointer's, which asks what it points to
      auto pointer = make_pointer(method.of, text_of(method.title), nb::none());
      return nb::object(nb::make_tuple(nb::module_::import_("builtins").attr("getattr"), nb::make_tuple(pointer, nb::handle(method.name))));
    }
    auto facts = nb::make_tuple(method.of.agent, method.of.incarnation, method.of.object, nb::handle(method.title), nb::handle(method.name),
                                method.runs == how::as_coroutine);
    return nb::object(nb::make_tuple(tools().method_of, facts));
  });
}

// What the function of the object's class has of this name: octavo/objects/declared.py.
PyObject* get_declared(PyObject* self, void* what) {
  return guarded([&] {
    const auto& method = *reinterpret_cast<Method*>(self);
    return nb::object(
        nb::module_::import_("octavo.objects.declared").attr(static_cast<const char*>(what))(nb::handle(method.of_class), nb::handle(method.name)));
  });
}

char name_of_text[] = "text", name_of_signature[] = "signature";
PyGetSetDef declared[] = {{"__doc__", &get_declared, nullptr, nullptr, name_of_text},
                          {"__signature__", &get_declared, nullptr, nullptr, name_of_signature},
                          {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef functions[] = {{"__reduce__", &reduce_method, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, vectorcall), READONLY, nullptr},
                         {"__name__", T_OBJECT_EX, offsetof(Method, name), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_members, members},
                       {Py_tp_methods, functions},
                       {Py_tp_getset, declared},
                       {Py_tp_dealloc, reinterpret_cast<void*>(free_method)},
                       {Py_tp_repr, reinterpret_cast<void*>(show_method)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {0, nullptr}};
PyType_Spec spec = {"octavo._core.Method", sizeof(Method), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyTypeObject* method_type() {
  static PyTypeObject* type = [] {
    auto* made = PyType_FromSpec(&spec);
    if (made == nullptr) throw nb::python_error();
    return reinterpret_cast<PyTypeObject*>(made);
  }();
  return type;
}

}  // namespace

nb::object make_method(const Address& of, nb::handle name, nb::handle title, how runs, nb::handle of_class) {
  auto* allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(method_type(), Py_tp_alloc));
  auto* made = reinterpret_cast<Method*>(allocate(method_type(), 0));
  if (made == nullptr) throw nb::python_error();
  made->vectorcall = &call_method;
  new (&made->of) Address(of);
  made->name = nb::borrow(name).release().ptr();
  made->title = nb::borrow(title).release().ptr();
  made->of_class = nb::borrow(of_class).release().ptr();
  made->runs = runs;
  return nb::steal<nb::object>(reinterpret_cast<PyObject*>(made));
}

bool is_method(nb::handle object) { return Py_TYPE(object.ptr()) == method_type(); }

std::pair<Value, how> request_of_method(nb::handle object, const nb::tuple& arguments, const nb::dict& keywords) {
  if (!is_method(object)) throw usage_error("octavo.start() of what is no method of a remote object", "Write octavo.start(p.method, argument, ...)");
  const auto& method = *reinterpret_cast<Method*>(object.ptr());
  std::vector<PyObject*> values;
  for (auto each : arguments) values.push_back(each.ptr());
  nb::list names;
  for (auto [name, value] : keywords) {
    names.append(name);
    values.push_back(value.ptr());
  }
  nb::object named = nb::len(names) == 0 ? nb::object() : nb::object(nb::tuple(names));
  return {request_of(method, values.data(), nb::len(arguments), named.ptr()), method.runs};
}

nb::object start_method(nb::handle object, nb::args arguments, nb::kwargs keywords) {
  auto [request, runs] = request_of_method(object, arguments, keywords);
  const auto& of = reinterpret_cast<Method*>(object.ptr())->of;
  return make_future(begin(of, std::move(request), runs), of);
}

void add_method(nb::module_& m) {
  m.attr("Method") = nb::borrow(reinterpret_cast<PyObject*>(method_type()));
  m.def("method_of", [](std::uint64_t agent, std::uint32_t incarnation, std::uint64_t object, nb::handle title, nb::handle name, bool is_coroutine) {
    return make_method({agent, incarnation, object}, name, title, is_coroutine ? how::as_coroutine : how::at_once, nb::none());
  });
  m.def("start_method", &start_method);
}

}  // namespace octavo::bindings
