// SPDX-License-Identifier: Apache-2.0
#include "objects/mailbox/mailbox.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>

#include "objects/mailbox/types.hpp"
#include "objects/message/waiting.hpp"
#include "octavo/base/error.hpp"
#include "octavo/message/detail/mailbox_endpoint.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using Clock = std::chrono::steady_clock;

// A type that C++ has told of is named as Python does.
template <class Work>
auto in_words(const Work& work) {
  try {
    return work();
  } catch (const usage_error& e) {
    throw usage_error(in_python_words(e.message()), e.cure());
  }
}

struct BoxFacts {
  std::string name;
  MessageType type;
  std::string type_text;
  detail::Bound bound;
};

class Box {
 public:
  virtual ~Box() = default;
  // Whether it was posted in time; `waits`: else it does not wait at all.
  virtual bool post(nb::handle object, const Seconds& seconds, bool waits) = 0;
  // None: nothing came in time. Else a tuple of the message.
  virtual nb::object retrieve(const Seconds& seconds) = 0;
  // Without the interpreter's lock. Throws what is wrong with its name, or its type.
  virtual void open() = 0;
  // The same, as its reader: whether something lies there.
  virtual std::function<bool()> watch() = 0;
};

template <class T>
class BoxOf final : public Box {
 public:
  explicit BoxOf(BoxFacts facts) : facts_(std::move(facts)) {}

  bool post(nb::handle object, const Seconds& seconds, bool waits) override {
    auto value = made_of<T>(facts_.type);
    try {
      if (!take_message(object, value, seconds)) return false;
    } catch (const Misfit& misfit) {
      throw nb::type_error(("mailbox '" + facts_.name + "' holds " + python_name_of(facts_.type) + ": " + misfit.text).c_str());
    }
    Endpoint edge;
    return in_words([&] {
      return wait_in_steps(seconds, [&](Clock::duration time) {
        if (!edge) edge = here();
        return edge->post(value, waits, Clock::now() + time);
      });
    });
  }

  nb::object retrieve(const Seconds& seconds) override {
    auto value = made_of<T>(facts_.type);
    Endpoint edge;
    const bool came = in_words([&] {
      return wait_in_steps(seconds, [&](Clock::duration time) {
        if (!edge) {
          edge = here();
          edge->own();
        }
        return edge->take(value, Clock::now() + time);
      });
    });
    if (!came) return nb::none();
    return nb::make_tuple(give_message(value));
  }

  void open() override { here(); }

  std::function<bool()> watch() override {
    auto edge = here();
    edge->own();
    return [edge] { return edge->has(); };
  }

 private:
  using Endpoint = std::shared_ptr<detail::MailboxEndpoint<T>>;
  Endpoint here() const {
    const auto make = [&] { return std::make_shared<detail::MailboxEndpoint<T>>(facts_.name, facts_.type_text, facts_.bound); };
    return std::static_pointer_cast<detail::MailboxEndpoint<T>>(detail::mailbox_endpoint(facts_.name, facts_.type_text, make));
  }
  const BoxFacts facts_;
};

std::shared_ptr<Box> box_of(BoxFacts facts) {
  switch (facts.type.kind) {
    case message_kind::of_python: return std::make_shared<BoxOf<Value>>(std::move(facts));
    case message_kind::integer: return std::make_shared<BoxOf<std::int64_t>>(std::move(facts));
    case message_kind::real: return std::make_shared<BoxOf<double>>(std::move(facts));
    case message_kind::text: return std::make_shared<BoxOf<std::string>>(std::move(facts));
    case message_kind::bytes: return std::make_shared<BoxOf<ByteMessage>>(std::move(facts));
    case message_kind::array: return std::make_shared<BoxOf<ArrayPage>>(std::move(facts));
    case message_kind::tuple: break;
  }
  return std::make_shared<BoxOf<TupleMessage>>(std::move(facts));
}

// What Python has of it.
struct MailboxBase {
  std::shared_ptr<Box> box;
};

MailboxBase make_mailbox(const std::string& name, const std::string& code, std::uint64_t messages, std::uint64_t bytes) {
  auto type = message_type_of(code);
  auto text = cpp_name_of(type);
  return {box_of({name, std::move(type), std::move(text), {messages, bytes}})};
}

// The first in which something lies; nothing: none in time.
std::optional<std::size_t> select(const std::vector<const MailboxBase*>& boxes, const Seconds& seconds) {
  std::vector<std::function<bool()>> watched;
  std::size_t which = 0;
  const auto first = [&] {
    for (which = 0; which < watched.size(); ++which)
      if (watched[which]()) return true;
    return false;
  };
  const auto step = [&](Clock::duration time) {
    if (watched.empty())
      for (const auto* each : boxes) watched.push_back(each->box->watch());
    detail::read_now();  // an urgent one may have come
    if (first()) return true;
    detail::wait_until([&] { return first() || detail::agent_is_gone(); }, Clock::now() + time);
    if (first()) return true;
    if (detail::agent_is_gone()) throw gone_error("waiting at several mailboxes: the agent of this program is gone");
    return false;
  };
  return in_words([&] { return wait_in_steps(seconds, step); }) ? std::optional(which) : std::nullopt;
}

}  // namespace

void add_mailbox(nb::module_& m) {
  nb::class_<MailboxBase>(m, "MailboxBase")
      .def(
          "__init__",
          [](MailboxBase* self, const std::string& name, const std::string& type, std::uint64_t messages, std::uint64_t bytes) {
            new (self) MailboxBase(make_mailbox(name, type, messages, bytes));
          },
          "name"_a, "type"_a, "messages"_a, "bytes"_a)
      .def("open",
           [](const MailboxBase& self) {
             in_words([&] {
               const Unlocked unlocked;
               const detail::Visit visit;
               self.box->open();
             });
           })
      .def(
          "post", [](const MailboxBase& self, nb::handle value, const Seconds& timeout) { return self.box->post(value, timeout, true); }, "value"_a.none(),
          "timeout"_a.none())
      .def(
          "try_post", [](const MailboxBase& self, nb::handle value) { return self.box->post(value, 0, false); }, "value"_a.none())
      .def(
          "retrieve", [](const MailboxBase& self, const Seconds& timeout) { return self.box->retrieve(timeout); }, "timeout"_a.none());
  m.def("select_mailbox", &select, "boxes"_a, "timeout"_a.none());
}

}  // namespace octavo::bindings
