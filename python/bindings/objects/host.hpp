// SPDX-License-Identifier: Apache-2.0
// The one C++ class whose objects are Python objects: it lives in a server that is a Python interpreter (octavo/objects/server/program.py), or on a thread of
// the program.
//
// A request is an operation (one byte), a name and arguments; what is asked for often is done here, the rest by octavo/objects/hosting.py.
// Threading: that of any served object (C-3); each method takes the interpreter's lock. Errors: PythonRaised for what Python raised; of states those of
// Octavo.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lock.hpp"
#include "objects/value/value.hpp"
#include "octavo/data/python/detail/tagged_value.hpp"
#include "octavo/process.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace octavo {
class PageDevice;
}

namespace octavo::bindings {

using operation = detail::named_request;

// A Python exception between two processes: as itself where it can be pickled, and as text in any case.
class PythonRaised : public std::exception {
 public:
  std::string type_name, text, traceback, object;  // object: its class
  std::string first;                               // where it was raised, if that process was told of it by another: an octavo.errors.Origin, by lines
  std::vector<std::byte> pickled;                  // empty: it cannot be
  [[nodiscard]] const char* what() const noexcept override { return text.c_str(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(type_name, text, traceback, object, first, pickled);
  }
};

// `object`: that raised it; none where it could not be made, or none did.
PythonRaised raised_of(nanobind::handle error, nanobind::handle object);
// With the interpreter's lock; what Python raises is thrown as PythonRaised.
template <class Work>
auto with_python(nanobind::handle object, Work work) {
  return with_lock([&] {
    try {
      return work();
    } catch (nanobind::python_error& error) {
      throw raised_of(error.value(), object);
    }
  });
}

class PythonObject {
 public:
  // Of a value that holds what is to be called, with its arguments: octavo/objects/hosting.py, make().
  explicit PythonObject(Value what);
  PythonObject() = default;  // to be loaded: one with a name, from its saved state
  ~PythonObject();
  PythonObject(const PythonObject&) = delete;
  PythonObject& operator=(const PythonObject&) = delete;
  Value call(Value request);
  // Of what gives a coroutine, as an `async def` method does: the next call begins at once.
  future<Value> call_coroutine(Value request);
  // Of an object whose class is derived from a device of Octavo's: arrays call that, beside Python. Throws usage_error where it is none.
  [[nodiscard]] PageDevice* device() const;
  // The state of one with a name: what octavo/objects/named/state.py makes of it. Octavo's errors.
  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);

 private:
  void host(nanobind::handle what);
  nanobind::object run(Value& request);
  nanobind::object call_method(operation what, class ValueDecoder& in);
  nanobind::object perform(ValueDecoder& in);
  nanobind::handle interned(std::string_view name);
  void show(std::string_view method);
  nanobind::object object_;
  nanobind::object turn_;                                    // a lock that is held while a method runs; none where no coroutine has begun, nor is known of
  nanobind::object base_;                                    // its octavo._core.DeviceBase
  PageDevice* device_ = nullptr;                             // that one
  nanobind::object hosting_;                                 // the Python half: octavo.objects.hosting.Host
  std::unordered_map<std::string, nanobind::object> names_;  // of methods, as Python wants them
  std::map<std::string, std::string, std::less<>> shown_;    // and as they are shown while they run
  const unsigned life_ = detail::forks();                    // of the process that it was made in
};
OCTAVO_REMOTE(PythonObject, call, call_coroutine)

void add_hosting(nanobind::module_& m);

}  // namespace octavo::bindings
