// SPDX-License-Identifier: Apache-2.0
#include "objects/exchange.hpp"

#include "objects/codec.hpp"
#include "objects/pointer.hpp"
#include "objects/tools.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

void raise_in_python(const PythonRaised& raised) {
  std::string where;
  if (const auto* from = origin(raised)) {
    const auto& process = from->process;
    where = "process " + std::to_string(process.address.object) + ", pid " + std::to_string(process.pid) + " on " + process.machine;
  }
  nb::bytes pickled(raised.pickled.data(), raised.pickled.size());
  tools().raise_remote(raised.type_name, raised.text, raised.traceback, pickled, where);
  throw nb::python_error();
}

future<Value> begin(const Address& to, Value request) {
  nb::gil_scoped_release unlocked;
  return octavo::start<&PythonObject::call>(remote_ptr<PythonObject>(to), std::move(request));
}

nb::object result_of(future<Value>& reply) {
  try {
    Value value;
    {
      nb::gil_scoped_release unlocked;
      value = reply.get();
    }
    return ValueDecoder(value, tools()).get();
  } catch (const PythonRaised& raised) {
    raise_in_python(raised);
  }
}

nb::object exchange(const Address& to, Value request) {
  auto reply = begin(to, std::move(request));
  wait_with_signals(reply, std::chrono::steady_clock::time_point::max());
  return result_of(reply);
}

nb::object perform(const Address& to, nb::handle name, nb::handle arguments) {
  Value request;
  ValueEncoder out(request, tools());
  out.put_byte(static_cast<std::uint8_t>(operation::other));
  out.put(name);
  out.put(arguments);
  return exchange(to, std::move(request));
}

void add_exchange(nb::module_& m) {
  m.def(
      "perform", [](nb::handle pointer, nb::handle name, nb::handle arguments) { return perform(address_of(pointer), name, arguments); }, "pointer"_a, "name"_a,
      "arguments"_a);
}

}  // namespace octavo::bindings
