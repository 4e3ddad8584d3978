// SPDX-License-Identifier: Apache-2.0
#include "objects/host.hpp"

#include "objects/codec.hpp"
#include "objects/tools.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

OCTAVO_ERROR(PythonRaised)

namespace {

constexpr std::size_t most_names = 4096;
constexpr std::size_t arguments_on_stack = 8;

[[noreturn]] void throw_raised(nb::python_error& error, nb::handle describe) {
  PythonRaised raised;
  nb::tuple facts = nb::cast<nb::tuple>(describe(error.value()));  // (type name, text, traceback, pickled)
  raised.type_name = nb::cast<std::string>(facts[0]);
  raised.text = nb::cast<std::string>(facts[1]);
  raised.traceback = nb::cast<std::string>(facts[2]);
  auto pickled = nb::cast<nb::bytes>(facts[3]);
  const auto* bytes = static_cast<const std::byte*>(pickled.data());
  raised.pickled.assign(bytes, bytes + pickled.size());
  throw raised;
}

template <class Work>
auto with_python(Work work) {
  nb::gil_scoped_acquire locked;
  try {
    return work();
  } catch (nb::python_error& error) {
    throw_raised(error, tools().describe_exception);
  }
}

}  // namespace

PythonObject::PythonObject(Value what) {
  with_python([&] {
    hosting_ = tools().host(ValueDecoder(what, tools()).get());
    object_ = hosting_.attr("object");
  });
}

PythonObject::~PythonObject() {
  nb::gil_scoped_acquire locked;
  names_.clear();
  try {
    hosting_.attr("end")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("the end of a remote object");
  }
  object_.reset();
  hosting_.reset();
}

Value PythonObject::call(Value request) {
  return with_python([&] {
    nb::object result = run(request);
    Value reply;
    ValueEncoder(reply, tools()).put(result);
    return reply;
  });
}

nb::object PythonObject::run(Value& request) {
  ValueDecoder in(request, tools());
  auto what = static_cast<operation>(in.get_byte());
  if (what == operation::call) {
    nb::object result = call_method(interned(in.get_text()), in);
    return nb::cast<bool>(tools().is_lazy(result)) ? hosting_.attr("lazy")(result) : result;
  }
  nb::object name = in.get(), arguments = in.get();
  nb::object result = hosting_.attr("perform")(name, arguments);
  object_ = hosting_.attr("object");  // an operator in place may have made another
  return result;
}

nb::object PythonObject::call_method(nb::handle name, ValueDecoder& in) {
  const auto positional = in.get_count(), named = in.get_count();
  std::vector<nb::object> kept;
  kept.reserve(arguments_on_stack);
  std::vector<PyObject*> arguments{object_.ptr()};
  for (auto i = positional; i != 0; --i) arguments.push_back(kept.emplace_back(in.get()).ptr());
  nb::object keywords;
  if (named != 0) {
    nb::list names;
    for (auto i = named; i != 0; --i) {
      names.append(in.get());
      arguments.push_back(kept.emplace_back(in.get()).ptr());
    }
    keywords = nb::tuple(names);
  }
  auto* result = PyObject_VectorcallMethod(name.ptr(), arguments.data(), static_cast<std::size_t>(positional + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords.ptr());
  if (result == nullptr) throw nb::python_error();
  return nb::steal<nb::object>(result);
}

nb::handle PythonObject::interned(std::string_view name) {
  auto found = names_.find(std::string(name));
  if (found != names_.end()) return found->second;
  if (names_.size() == most_names) names_.clear();
  auto* made = PyUnicode_InternFromString(std::string(name).c_str());
  if (made == nullptr) throw nb::python_error();
  return names_.emplace(name, nb::steal<nb::object>(made)).first->second;
}

void add_hosting(nb::module_& m) {
  // Serves Python objects if this program was started as a server, and then never returns.
  m.def("serve_objects", &serve_if_asked, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace octavo::bindings
