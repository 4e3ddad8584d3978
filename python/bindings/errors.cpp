// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "octavo/message/barrier.hpp"
#include "octavo/message/queue.hpp"
#include "octavo/process/errors.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

namespace {

// The Python class of a kind; they live in octavo.errors so that their documentation does too.
const char* class_of(const error& e) {
  if (dynamic_cast<const process_died*>(&e) != nullptr) return "ProcessDied";
  if (dynamic_cast<const channel_cancelled*>(&e) != nullptr) return "ChannelCancelled";
  if (dynamic_cast<const queue_shut_down*>(&e) != nullptr) return "QueueShutDown";
  if (dynamic_cast<const broken_barrier*>(&e) != nullptr) return "BrokenBarrier";
  if (dynamic_cast<const lock_abandoned*>(&e) != nullptr) return "LockAbandoned";
  if (dynamic_cast<const cancelled*>(&e) != nullptr) return "Cancelled";
  switch (e.kind()) {
    case error_kind::usage: return "UsageError";
    case error_kind::remote: return "RemoteError";
    case error_kind::gone: return "GoneError";
    case error_kind::timed_out: return "TimedOut";
    case error_kind::refused: return "Refused";
    case error_kind::io: return "IoError";
    case error_kind::not_supported: return "NotSupported";
  }
  return "Error";
}

// Names and what a damaged file said need not be UTF-8, and a text that was cut may end within a character. Null: Python has an error set.
nb::object text_object(std::string_view text) {
  return nb::steal<nb::object>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

nb::object type_named(const char* name) { return nb::module_::import_("octavo.errors").attr(name); }

void raise(const char* name, std::string_view text) {
  const nb::object type = type_named(name);
  if (auto what = text_object(text)) PyErr_SetObject(type.ptr(), what.ptr());
}

void raise_refused(const refused& e, std::string_view text) {
  const nb::object type = type_named(class_of(e));
  const nb::object what = text_object(text), path = text_object(e.path);
  if (!what || !path) return;
  const nb::object made = type(what);
  made.attr("least") = e.least;
  made.attr("path") = path;
  PyErr_SetObject(type.ptr(), made.ptr());
}

// What a text of the library says of its own functions and of C++ programs, to who calls it in Python.
std::string in_words_of_python(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"Make an octavo::Runtime the first statement of main", "There was none yet, or it has ended, and its objects with it: make the object again"},
      {"octavo::bindings::PythonObject::call(octavo::bindings::Value)", "a method"},
      {"octavo::bindings::PythonObject::call_coroutine(octavo::bindings::Value)", "a coroutine"},
  };
  for (const auto& [of_cpp, of_python] : words)
    for (auto at = text.find(of_cpp); at != std::string::npos; at = text.find(of_cpp, at + of_python.size())) text.replace(at, of_cpp.size(), of_python);
  return text;
}

bool is_a_limit(const std::error_code& code) { return code == std::errc::resource_unavailable_try_again || code == std::errc::not_enough_memory; }

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const refused& e) {
    raise_refused(e, in_words_of_python(e.what()));
  } catch (const error& e) {
    raise(class_of(e), in_words_of_python(e.what()));
  } catch (const std::system_error& e) {  // of the standard library: a thread that cannot be begun, a file that cannot be looked at
    std::string text = e.what();
    if (is_a_limit(e.code()))
      raise("Refused",
            text + ": the system gives this program no more threads or memory. Raise its limits (ulimit -v, ulimit -u; a container's), or free some");
    else raise("IoError", text);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "there is not enough memory. Raise this program's limit (ulimit -v; a container's), or free some");
  }
}

}  // namespace

void restore_current_exception() noexcept {
  try {
    throw;
  } catch (nb::python_error& raised) {
    raised.restore();
  } catch (...) {
    try {
      translate(std::current_exception(), nullptr);
    } catch (const std::exception& other) {
      PyErr_SetString(PyExc_RuntimeError, other.what());
    }
  }
}

void add_errors(nb::module_&) { nb::register_exception_translator(translate); }

void throw_as_octavo_error(nb::python_error& raised) {
  std::string type = nb::cast<std::string>(raised.type().attr("__name__")), text = nb::cast<std::string>(nb::str(raised.value()));
  if (type == "UsageError") throw usage_error(text);
  if (type == "GoneError") throw gone_error(text);
  if (type == "TimedOut") throw timed_out(text);
  if (type == "Refused") throw refused(text, {}, nb::cast<std::int64_t>(raised.value().attr("least")));
  if (type == "IoError") throw io_error(text);
  if (type == "NotSupported") throw not_supported(text);
  throw std::runtime_error(type + ": " + text);
}

}  // namespace octavo::bindings
