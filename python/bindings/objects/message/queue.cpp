// SPDX-License-Identifier: Apache-2.0
#include "objects/message/queue.hpp"

#include <nanobind/stl/optional.h>

#include <cstring>

#include "objects/exchange.hpp"
#include "objects/message/waiting.hpp"
#include "objects/value/codec.hpp"
#include "octavo/message/detail/other_languages.hpp"
#include "octavo/message/detail/queue_handle.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using Seconds = std::optional<double>;
using detail::QueueHandle;

struct HeldQueue {
  QueueHandle handle;
  detail::OfProcess process;
  [[nodiscard]] const QueueHandle& here() const {
    process.check();
    return handle;
  }
};

constexpr const char* type_of_items = "Python values";

// The lock is kept for the microseconds in which most answers come.
const detail::QueueWaiting waiting{[](const std::function<void()>& send) {
                                     const Unlocked unlocked;
                                     send();
                                   },
                                   &wait_with_signals};

// Zero: it does not wait.
QueueHandle::Deadline deadline_of(const Seconds& seconds) { return seconds && *seconds <= 0 ? QueueHandle::Deadline() : wait_deadline(seconds); }

// A large array is copied into a page, by which it goes from process to process; as long as there is no room for it, this waits. False: not in that time.
bool move_to_pages(Value& value, const Seconds& seconds) {
  constexpr std::size_t least = 64 << 10;
  for (auto& part : value.parts) {
    const auto bytes = part.borrowed ? part.borrowed->bytes() : ByteView();
    if (bytes.size() < least || static_cast<std::int64_t>(bytes.size()) > job_pool().bytes() / 4) continue;
    const bool moved = wait_in_steps(seconds, [&](WaitClock::duration time) {
      try {
        part.page = Page::make_by(static_cast<std::int64_t>(bytes.size()), WaitClock::now() + time);
      } catch (const timed_out&) {
        return false;
      }
      std::memcpy(part.page.mutable_data(), bytes.data(), bytes.size());
      return true;
    });
    if (!moved) return false;
    part.use = page_use::value;
    part.borrowed.reset();
  }
  return true;
}

bool put(const HeldQueue& self, nb::handle object, const Seconds& timeout) {
  const auto& queue = self.here();
  const auto deadline = deadline_of(timeout);
  Value value;
  ValueEncoder(value, tools()).put(object);
  if (!move_to_pages(value, timeout)) return false;
  const detail::Visit visit;
  const auto encode = [&](wire::Encoder& out) {
    out.giving = true;
    out(value);
  };
  return told_of_end([&] { return queue.put(encode, deadline, waiting); });
}

// None: nothing came in time. Else a tuple of the item.
nb::object get(const HeldQueue& self, const Seconds& timeout) {
  const auto& queue = self.here();
  Value value;
  {
    const detail::Visit visit;
    const auto decode = [&](wire::Decoder& in) { in(value); };
    if (!told_of_end([&] { return queue.get(decode, deadline_of(timeout), waiting); })) return nb::none();
  }
  return nb::make_tuple(ValueDecoder(value, tools()).get());
}

template <class Work>
auto unlocked(const Work& work) {
  const Unlocked without_lock;
  const detail::Visit visit;
  return work();
}

nb::tuple parts_of(const HeldQueue& self) {
  const auto& at = self.handle.keeper();
  return nb::make_tuple(at.agent, at.incarnation, at.object, self.handle.number(), self.handle.bound());
}

}  // namespace

void add_queue(nb::module_& m) {
  nb::class_<HeldQueue>(m, "QueueBase")
      .def("put", &put, "item"_a.none(), "timeout"_a.none())
      .def("get", &get, "timeout"_a.none())
      .def("task_done", [](const HeldQueue& self) { unlocked([&] { self.here().task_done(); }); })
      .def("join",
           [](const HeldQueue& self) {
             const detail::Visit visit;
             told_of_end([&] { self.here().join(waiting); });
           })
      .def("size", [](const HeldQueue& self) { return unlocked([&] { return self.here().facts().items; }); })
      .def(
          "shutdown", [](const HeldQueue& self, bool immediate) { unlocked([&] { self.here().shutdown(immediate); }); }, "immediate"_a)
      .def_prop_ro("parts", &parts_of);
  m.def(
      "make_queue",
      [](std::uint64_t bound) {
        return HeldQueue{unlocked([&] { return QueueHandle::make(bound, type_of_items); }), {}};
      },
      "bound"_a);
  m.def(
      "known_queue",
      [](std::uint64_t agent, std::uint32_t incarnation, std::uint64_t object, std::uint64_t number, std::uint64_t bound) {
        return HeldQueue{QueueHandle({agent, incarnation, object}, number, bound, type_of_items), {}};
      },
      "agent"_a, "incarnation"_a, "object"_a, "number"_a, "bound"_a);
}

}  // namespace octavo::bindings
