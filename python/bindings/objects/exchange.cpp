// SPDX-License-Identifier: Apache-2.0
#include "objects/exchange.hpp"

#include <algorithm>

#include "lock.hpp"
#include "objects/deferred_interrupt.hpp"
#include "objects/future.hpp"
#include "objects/pointer.hpp"
#include "objects/tools.hpp"
#include "objects/turn.hpp"
#include "objects/value/codec.hpp"
#include "octavo/data/python/callable.hpp"
#include "octavo/message/detail/other_languages.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "octavo/process/detail/quick_call.hpp"
#include "signals.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

void raise_in_python(const PythonRaised& raised) {
  nb::object where = nb::none();
  if (const auto* from = origin(raised)) {
    const auto& process = from->process;
    std::string trace;
    for (const auto& each : from->trace)  // the rest is in the traceback
      if (each.find("member ") != std::string::npos) trace += (trace.empty() ? "" : ", ") + each;
    where = nb::make_tuple(raised.object, process.address.object, process.pid, process.machine, trace);
  }
  nb::bytes pickled(raised.pickled.data(), raised.pickled.size());
  tools().raise_remote(raised.type_name, raised.text, raised.traceback, pickled, raised.first, where);
  throw nb::python_error();
}

namespace {
thread_local bool runs_event_loop = false;  // and nobody was warned
}

void warn_of_event_loop() {
  if (!runs_event_loop) return;
  runs_event_loop = false;
  tools().warn_of_event_loop();
}

bool wait_with_signals(detail::StateBase& state, std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::milliseconds between_looks{100};
  const TurnGivenUp given_up;
  const Unlocked unlocked;
  const detail::Visit visit;
  const bool interrupted = may_be_interrupted(), told = state.call != 0;  // told: the end of the Runtime fails it
  if (!interrupted && (told || !visit.counts())) return detail::wait_for(state, deadline);
  for (;;) {
    auto now = std::chrono::steady_clock::now();
    if (detail::wait_for(state, std::min(deadline, now + between_looks))) return true;
    if (now >= deadline) return false;
    if (!told) check_runtime_goes_on();
    if (interrupted) look_at_signals();
  }
}

namespace {
const detail::Method& method_of(how runs) {
  if (runs == how::in_cpp) return detail::call_by_name();
  return *(runs == how::as_coroutine ? detail::MethodOf<&PythonObject::call_coroutine>::entry : detail::MethodOf<&PythonObject::call>::entry);
}

void encode(Value& request, wire::Outgoing& out) {
  wire::Encoder encoder(out);
  encoder.giving = true;
  encoder(request);
}

// An end of a channel is gone with the request: where that would find nobody, it is to stay. With the lock.
void check_ends_may_leave(const Address& to, const Value& request) {
  if (std::ranges::none_of(request.parts, [](const ValuePart& part) { return part.end != nullptr; })) return;
  const bool destroyed = nb::cast<bool>(nb::module_::import_("octavo.objects.pointers").attr("was_destroyed")(to.agent, to.incarnation, to.object));
  const Unlocked unlocked;
  const detail::Visit visit;
  detail::check_is_there(to, destroyed);
}
}  // namespace

// Does not wait until a busy object takes it.
future<Value> begin(const Address& to, Value request, how runs) {
  auto state = std::make_shared<detail::State<Value>>();
  try {
    check_ends_may_leave(to, request);
  } catch (const gone_error&) {
    state->callee = to;
    state->fail(std::current_exception());
    return future<Value>(std::move(state));
  }
  const Unlocked unlocked;
  const detail::Visit visit;
  wire::Outgoing out;
  encode(request, out);
  detail::begin_behind(state, to, method_of(runs), out);
  return future<Value>(std::move(state));
}

future<Value> begin_to_all(const Address& to, Value request, how runs, const detail::CallToAll& which) {
  const detail::Visit visit;
  auto state = std::make_shared<detail::State<Value>>();
  wire::Outgoing out;
  encode(request, out);
  detail::append_call_to_all(out, which);
  detail::begin_behind(state, to, method_of(runs), out);
  return future<Value>(std::move(state));
}

nb::object object_in(Value& value, const Address& from) {
  nb::object result = ValueDecoder(value, tools()).get();
  const bool is_stream = reinterpret_cast<PyObject*>(Py_TYPE(result.ptr())) == tools().stream_handle.ptr();
  return is_stream ? tools().stream(make_pointer(from, "", nb::none()), result) : result;
}

nb::object result_of(future<Value>& reply, const Address& from) {
  try {
    Value value;
    {
      const Unlocked unlocked;
      const detail::Visit visit;
      value = reply.get();
    }
    return object_in(value, from);
  } catch (const PythonRaised& raised) {
    raise_in_python(raised);
  }
}

namespace {

wire::Message reply_to(const Address& to, Value& request, how runs) {
  check_ends_may_leave(to, request);
  const detail::Visit visit;
  wire::Outgoing out;
  encode(request, out);
  // The lock is kept for the microseconds in which most answers come: to give it up and take it again would take as long.
  auto call = detail::begin_quickly(to, method_of(runs), out, [](const std::function<void()>& send) {
    const Unlocked unlocked;
    send();
  });
  if (call.reply) return std::move(*call.reply);
  try {
    wait_with_signals(*call.begun, detail::forever());
  } catch (...) {
    call.begun->abandon();  // as of a future that is dropped: somebody is told what it threw
    throw;
  }
  return call.begun->take_reply();
}

}  // namespace

nb::object exchange(const Address& to, Value request, how runs) {
  try {
    auto reply = reply_to(to, request, runs);
    wire::Decoder in(reply);
    Value value;
    in(value);
    return object_in(value, to);
  } catch (const PythonRaised& raised) {
    raise_in_python(raised);
  }
}

Value request_to_perform(const Address& to, nb::handle name, nb::handle arguments) {
  Value request;
  ValueEncoder out(request, tools(), &to);
  out.put_byte(static_cast<std::uint8_t>(operation::other));
  out.put(name);
  try {
    out.put(arguments);
  } catch (nb::python_error& error) {
    tools().raise_in_request(error.value(), name, arguments);
  }
  return request;
}

nb::object perform(const Address& to, nb::handle name, nb::handle arguments) {
  try {
    return exchange(to, request_to_perform(to, name, arguments));
  } catch (const usage_error& e) {
    if (std::string_view(e.what()).find("has no octavo::bindings::PythonObject::call(") == std::string_view::npos) throw;
    throw NoPythonObject("an object of C++ was asked for more than a method", "Call one that its OCTAVO_PYTHON(Class, method, ...) names: p.method(x)");
  }
}

nb::object names_in_cpp(const Address& of) {
  auto state = std::make_shared<detail::State<Value>>();
  Value names;
  {
    const Unlocked unlocked;
    const detail::Visit visit;
    wire::Outgoing out;
    detail::begin_call(state, of, wire::frame_kind::call, detail::names_of_methods(), out);
    names = future<Value>(std::move(state)).get();
  }
  return ValueDecoder(names, tools()).get();
}

void add_exchange(nb::module_& m) {
  // By the thread of an object's event loop when it begins, with the lock of the object's turn, and when it ends, with None.
  m.def(
      "mark_event_loop",
      [](nb::handle turn) {
        runs_event_loop = !turn.is_none();
        run_steps_of(turn);
      },
      "turn"_a.none());
  m.def(
      "perform", [](nb::handle pointer, nb::handle name, nb::handle arguments) { return perform(address_of(pointer), name, arguments); }, "pointer"_a, "name"_a,
      "arguments"_a);
  const auto start_as = [](how runs) {
    return [runs](nb::handle pointer, nb::handle name, nb::handle arguments) {
      const Address& to = address_of(pointer);
      return make_future(begin(to, request_to_perform(to, name, arguments), runs), to);
    };
  };
  m.def("start_perform", start_as(how::at_once), "pointer"_a, "name"_a, "arguments"_a);
  // Of what gives a coroutine: the object's event loop runs it.
  m.def("start_coroutine", start_as(how::as_coroutine), "pointer"_a, "name"_a, "arguments"_a);
}

}  // namespace octavo::bindings
