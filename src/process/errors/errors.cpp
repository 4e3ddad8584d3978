// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/errors.hpp"

#include <cxxabi.h>
#include <sys/wait.h>

#include <csignal>
#include <map>
#include <tuple>

#include "machine/obituary.hpp"
#include "octavo/process/detail/method.hpp"
#include "process/errors/error_report.hpp"

namespace octavo {

const remote_origin* origin(const std::exception& e) noexcept { return dynamic_cast<const remote_origin*>(&e); }

namespace {

// What tells more of an end by a signal.
std::string where_to_look(const Obituary& obituary) {
  if (!obituary.machine_lost.empty() || obituary.status == status_taken || !WIFSIGNALED(obituary.status)) return {};
  switch (WTERMSIG(obituary.status)) {
    case SIGKILL: return "; if nobody killed it, memory was short: see `dmesg`";
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT: return "; where it crashed PYTHONFAULTHANDLER=1 tells of Python, gdb of all else (docs/crashes.md)";
    default: return {};
  }
}

}  // namespace

std::string process_died::cure_for(const Obituary& obituary) {
  if (obituary.destroyed) return "Do not call a process after it was destroyed";
  const bool lasting = obituary.facts.address.lasting();
  return (lasting ? "It is there again at the next call, as it was last saved" : "Its memory is lost: make it again") + where_to_look(obituary);
}

namespace {

std::string text_of_abandoned(const std::string& lock, const Obituary& holder) {
  if (!holder.facts.address) return "who held " + lock + " is gone";
  return lock + " was held by a process that died: " + holder.text();
}

}  // namespace

lock_abandoned::lock_abandoned(std::string lock, Obituary holder)
    : gone_error(text_of_abandoned(lock, holder), "Look whether what it protects is whole, and lock it again"),
      lock_(std::move(lock)),
      obituary_(std::move(holder)) {}

namespace detail {

namespace {

// Part of the method registry: which exceptions have a name. Filled before main.
struct Known {
  std::mutex mutex;
  std::map<std::type_index, std::string> names;
  std::map<std::string, ErrorType> types;
};
Known& known() {
  static Known it;
  return it;
}

struct Report {
  std::string known_name;  // empty: the type has no name
  std::string type_name, what;
  ProcessFacts process;
  std::vector<std::string> trace;
};

template <class E>
bool name_octavo(const char* name) {
  return name_by_parts<E>(
      name, [](const error& e) { return std::tuple(e.message(), e.cure()); },
      [](std::string message, std::string cure) { return E(std::move(message), std::move(cure)); });
}

[[maybe_unused]] const bool octavo_types =
    name_octavo<usage_error>("octavo::usage_error") && name_octavo<gone_error>("octavo::gone_error") && name_octavo<timed_out>("octavo::timed_out") &&
    name_octavo<io_error>("octavo::io_error") && name_octavo<not_supported>("octavo::not_supported") && name_octavo<cancelled>("octavo::cancelled") &&
    name_octavo<channel_cancelled>("octavo::channel_cancelled") && name_octavo<call_cycle>("octavo::call_cycle") &&
    name_by_parts<refused>(
        "octavo::refused", [](const refused& e) { return std::tuple(e.message(), e.cure(), e.least, e.path); },
        [](std::string message, std::string cure, std::int64_t least, std::string path) {
          refused made(std::move(message), std::move(cure), least);
          made.path = std::move(path);
          return made;
        }) &&
    name_by_parts<process_died>(
        "octavo::process_died", [](const process_died& e) { return std::tuple(e.obituary()); }, [](Obituary of) { return process_died(std::move(of)); }) &&
    name_by_parts<lock_abandoned>(
        "octavo::lock_abandoned", [](const lock_abandoned& e) { return std::tuple(e.lock(), e.obituary()); },
        [](std::string lock, Obituary holder) { return lock_abandoned(std::move(lock), std::move(holder)); });

}  // namespace

bool register_error(const std::type_info& type, const std::type_info& arrived, ErrorType how) {
  std::lock_guard lock(known().mutex);
  known().names[type] = known().names[arrived] = how.name;
  known().types[how.name] = std::move(how);
  return true;
}

namespace {

// Where it began, and by which calls it came: kept as it passes through several processes.
Report report_of(const std::exception* e, const ProcessFacts& here, const std::string& method) {
  Report report;
  const std::type_info* type = e != nullptr ? &typeid(*e) : abi::__cxa_current_exception_type();
  report.type_name = type != nullptr ? readable(type->name()) : "unknown";
  report.what = e != nullptr ? e->what() : "an exception of type " + report.type_name;
  report.process = here;
  if (const auto* from = e != nullptr ? origin(*e) : nullptr) {
    report.process = from->process;
    report.trace = from->trace;
  }
  report.trace.push_back("in " + method + ", " + here.class_name + " (process " + std::to_string(here.address.object) + ", pid " + std::to_string(here.pid) +
                         " on " + here.machine + ")");
  if (const auto* untyped = dynamic_cast<const remote_error*>(e)) report.type_name = untyped->type_name();
  if (type != nullptr) {
    std::lock_guard lock(known().mutex);
    auto found = known().names.find(*type);
    if (found != known().names.end()) report.known_name = found->second;
    else if (const auto standard = standard_name(report.type_name); known().types.contains(standard)) report.known_name = standard;
  }
  return report;
}

// remote_error and remote_origin at once.
class ArrivedUntyped final : public remote_error, public remote_origin {
 public:
  ArrivedUntyped(const std::string& type, const std::string& what, const remote_origin& from) : remote_error(type, what), remote_origin(from) {}
};

}  // namespace

void encode_error(wire::Outgoing& out, const std::exception_ptr& error, const ProcessFacts& here, const std::string& method) {
  wire::Encoder encoder(out);
  encoder.copying = true;  // the report is gone when the frame is sent
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    Report report = report_of(&e, here, method);
    encoder(report);
    if (report.known_name.empty()) return;
    decltype(ErrorType::encode) encode = nullptr;
    {
      std::lock_guard lock(known().mutex);
      encode = known().types.at(report.known_name).encode;
    }
    encode(encoder, e);
  } catch (...) {
    Report report = report_of(nullptr, here, method);
    encoder(report);
  }
}

std::exception_ptr decode_error(wire::Message& message) {
  try {
    wire::Decoder in(message);
    Report report;
    in(report);
    remote_origin from;
    from.process = report.process;
    from.trace = report.trace;
    decltype(ErrorType::raise) raise = nullptr;
    {
      std::lock_guard lock(known().mutex);
      auto found = known().types.find(report.known_name);
      if (found != known().types.end()) raise = found->second.raise;
    }
    if (raise != nullptr) raise(in, report.what, from);
    throw ArrivedUntyped(report.type_name, report.what, from);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace detail
}  // namespace octavo
