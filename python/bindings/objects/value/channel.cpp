// SPDX-License-Identifier: Apache-2.0
#include "objects/value/channel.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "lock.hpp"
#include "objects/message/waiting.hpp"
#include "objects/tools.hpp"
#include "objects/value/codec.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// What Python has of it.
struct EndObject {
  std::shared_ptr<ChannelEnd> end;
};

// A buffer of nothing: by it pickle gives the end itself to the encoder of the value that it stands in.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  static char nothing = 0;
  return PyBuffer_FillInfo(view, self, &nothing, 1, 1, flags);
}

bool post(const EndObject& self, nb::handle object, std::optional<double> timeout) {
  self.end->process.check();
  Value value;
  ValueEncoder(value, tools()).put(object);
  auto& end = *self.end;
  return wait_in_steps(timeout, [&](WaitClock::duration time) {
    const Turnstile::Pass pass(end.turnstile);
    return end.writer.post_for(value, time);
  });
}

// None: nothing came in time, or it is at its end. Else a tuple of the value.
nb::object retrieve(const EndObject& self, std::optional<double> timeout) {
  Value value;
  bool came = false;
  auto& end = *self.end;
  end.process.check();
  wait_in_steps(timeout, [&](WaitClock::duration time) {
    const Turnstile::Pass pass(end.turnstile);
    if (end.is_cancelled) throw channel_cancelled("a channel was read whose reader was cancelled", "Cancel it when no thread reads it any more");
    auto got = end.reader.retrieve_for(time);
    if (got) value = std::move(*got);
    came = got.has_value();
    return came || end.reader.at_end();
  });
  if (!came) return nb::none();
  return nb::make_tuple(ValueDecoder(value, tools()).get());
}

}  // namespace

void ChannelEnd::save(wire::Encoder& out) const {
  process.check();
  // Not by waiting: the interpreter's lock may be held, which the other thread may need.
  if (!turnstile.is_free()) throw usage_error("an end of a channel was sent while another thread used it", "Send it when no thread uses it");
  const bool writes = static_cast<bool>(writer);
  if (!writes && !reader) detail::raise_no_end("writer or reader");
  out(writes);
  if (writes) writer.save(out);
  else reader.save(out);
}

void ChannelEnd::load(wire::Decoder& in) {
  bool writes = false;
  in(writes);
  if (writes) writer.load(in);
  else reader.load(in);
}

nb::object make_channel_end(ValuePart part) { return nb::cast(EndObject{std::move(part.end)}); }

bool take_channel_end_of(nb::handle object, ValuePart& into) {
  if (nb::hasattr(object, "base")) return false;
  nb::object owner = nb::steal(PyMemoryView_FromObject(object.ptr()));
  if (!owner.is_valid()) return PyErr_Clear(), false;
  owner = owner.attr("obj");
  if (!nb::isinstance<EndObject>(owner)) return false;
  into.end = nb::cast<EndObject&>(owner).end;
  return true;
}

void add_channel(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<EndObject>(m, "ChannelEnd", nb::type_slots(slots))
      .def("post", &post, "value"_a.none(), "timeout"_a.none())
      .def("retrieve", &retrieve, "timeout"_a.none())
      .def(
          "close",
          [](const EndObject& self, bool given_up) {
            self.end->process.check();
            const Turnstile::Pass pass(self.end->turnstile);
            self.end->writer.close(given_up);
          },
          "given_up"_a, nb::call_guard<Unlocked>())
      .def(
          "cancel",
          [](const EndObject& self) {
            self.end->process.check();
            const Turnstile::Pass pass(self.end->turnstile);
            self.end->is_cancelled = self.end->is_cancelled || self.end->reader;
            self.end->reader.cancel();
          },
          nb::call_guard<Unlocked>())
      .def_prop_ro("at_end", [](const EndObject& self) { return self.end->is_cancelled || self.end->reader.at_end(); })
      .def_prop_ro("is_here", [](const EndObject& self) { return self.end->writer || self.end->reader; });
  m.def(
      "channel",
      [](std::uint64_t messages, std::uint64_t bytes) {
        auto [writer, reader] = channel<Value>({messages, bytes});
        auto out = std::make_shared<ChannelEnd>(), in = std::make_shared<ChannelEnd>();
        out->writer = std::move(writer);
        in->reader = std::move(reader);
        return nb::make_tuple(EndObject{out}, EndObject{in});
      },
      "messages"_a, "bytes"_a);
}

}  // namespace octavo::bindings
