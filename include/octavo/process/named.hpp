// SPDX-License-Identifier: Apache-2.0
// Objects that outlive the program: with a name, until they are destroyed explicitly.
//
//   auto device = ov::named("data/set/PageDevice/34").make<PageDevice>("pagefile", 1024, 32 << 20);
//   ov::save(device);                                            // its state is on the disk when this returns
//   auto same = ov::open<PageDevice>("ov://data/set/PageDevice/34");        // in another program, or after a crash
//   for (const auto& each : ov::names("data/set")) std::cout << each.name << "\n";
//   ov::restore_previous("data/set/PageDevice/34");              // back to the state before the last saved
//   ov::destroy(device);                                         // and its name and state are gone
//
// The object lives in a process of the machine's lasting agent, which is started when it is needed. Programs that open one name share
// one process. When it is not there (killed, its agent killed, the machine restarted), the next call brings it back from its last saved
// state: it is saved when it is made, at save(), when it is put to rest, when its agent ends in order, and with saving_every_call() before each reply. Calls
// answered after the last save are lost in a crash. A state is written whole or not at all. How often it comes back, and what brings it, is
// its restart policy: when called, at most 3 times in 60 s, unless restart_always or restart_never says otherwise.
// It works in the directory and with some environment variables of the program that made it (docs/names.md; on another machine: its agent's); they
// are kept in a database that only its owner can read.
// The class needs a default constructor and must travel: an aggregate, or with serialize(). Where that takes a version as cereal's
// does (CEREAL_CLASS_VERSION), it is told which version of the class wrote the state, and can convert it.
// Errors: refused (the name is taken), usage_error (no such name, a class this program does not know), not_supported (written by a later
// version of the class), io_error (damaged; the cure says which earlier state is whole).
#pragma once

#include "octavo/process/place.hpp"

namespace octavo {

class Array;
class PageMap;
class Shape;
enum class dtype : std::uint8_t;
struct DeviceOptions;
struct PageFilePlace;

namespace detail {

template <class T>
inline constexpr bool can_be_named = std::is_default_constructible_v<hosted_type<T>>&& wire::travels<hosted_type<T>>;

template <class T>
constexpr std::uint32_t state_version_of() {
  if constexpr (requires { cereal::detail::Version<T>::version; }) return cereal::detail::Version<T>::version;
  else return 0;
}

// How a state becomes an object and an object a state.
template <class T>
struct StateOf {
  static std::unique_ptr<Hosted> restore(wire::Message& message) {
    auto object = std::make_unique<HostedAs<T>>();
    wire::Decoder in(message);
    in(*static_cast<T*>(object->get()));
    return object;
  }
  static void save(Hosted& object, wire::Encoder& out) { out(*static_cast<T*>(object.get())); }
  static const Method* make() {
    Method method;
    method.key = "state of " + std::string(type_name<T>());
    method.type = &typeid(T);
    method.identity = &typeid(StateOf);
    method.class_name = class_title<T>;
    method.construct = &restore;
    method.save = &save;
    method.state_version = state_version_of<T>();
    MethodsOf<T>::enter();
    return register_method(std::move(method));
  }
  static inline const Method* const entry = make();
};

Address open_named(std::string_view machine, std::string_view name);
// Throws usage_error if the object is no such one.
void check_class(const Address& object, std::string_view class_name);
void save_named(const Address& object);
// The object whose method runs, if it has a name: from the thread of that method. Returns when its state is on the disk.
void save_this();
void roll_back(std::string_view machine, std::string_view name);
void end_lasting(std::string_view machine);
std::vector<NamedFacts> list_names(std::string_view machine, std::string_view prefix);

}  // namespace detail

// A place for one object, with its name. On another machine: ov::named("...").on(machine).
class NamedPlace {
 public:
  explicit NamedPlace(std::string_view name) { where_.name = name; }
  [[nodiscard]] NamedPlace on(const Machine& machine) const {
    return with([&](Placement& where) { where.machine = machine.name(); });
  }
  // A reply goes when the state that it leaves is on the disk.
  [[nodiscard]] NamedPlace saving_every_call() const {
    return with([](Placement& where) { where.keeping.every_call = true; });
  }

  // After so long without a call it is saved and its process ends, and the next call brings it back. Never while it is in a group.
  [[nodiscard]] NamedPlace resting_after(std::chrono::duration<double> idle) const {
    return with([&](Placement& where) { where.keeping.idle_seconds = idle.count(); });
  }

  // When its process dies by accident it comes back from its saved state, at most `restarts` times in `within`; then calls are refused, and say
  // how it died, until somebody opens it. restart_when_called is what happens if none of these is asked for.
  [[nodiscard]] NamedPlace restart_when_called(std::uint32_t restarts = 3, std::chrono::milliseconds within = std::chrono::seconds(60)) const {
    return restarting(restart_policy::when_called, restarts, within);
  }
  // At once, without a call.
  [[nodiscard]] NamedPlace restart_always(std::uint32_t restarts = 3, std::chrono::milliseconds within = std::chrono::seconds(60)) const {
    return restarting(restart_policy::always, restarts, within);
  }
  // Calls fail with process_died until somebody opens it.
  [[nodiscard]] NamedPlace restart_never() const { return restarting(restart_policy::never, 0, {}); }

  template <class T, class... A>
  remote_ptr<T> make(A&&... arguments) const {
    static_assert(detail::can_be_named<T>,
                  "an object with a name must have a state that can be stored: give its class a default constructor, and serialize(Archive&) "
                  "(or make it an aggregate of types that travel)");
    Placement where = where_;
    where.state_key = detail::StateOf<detail::hosted_type<T>>::entry->hash;
    auto state = std::make_shared<detail::State<void>>();
    Address address = detail::send_construction<T>(state, where, std::forward<A>(arguments)...);
    detail::finish_call(*state);
    return remote_ptr<T>(address);
  }

  // An array, whose devices have names, too (data/named_array.hpp): over new page files, circulant unless `map` says otherwise, or over what is
  // stored at `path`.
  [[nodiscard]] Array make_array(const Shape& shape, const Shape& page, dtype type, const std::vector<PageFilePlace>& files) const;
  [[nodiscard]] Array make_array(const Shape& shape, const Shape& page, dtype type, const std::vector<PageFilePlace>& files, const PageMap& map) const;
  [[nodiscard]] Array make_array(const std::string& path) const;
  [[nodiscard]] Array make_array(const std::string& path, const DeviceOptions& options) const;

  // The same options, with another name; on this machine, if it is not empty.
  [[nodiscard]] NamedPlace renamed(std::string name, const std::string& machine = {}) const {
    return with([&](Placement& where) {
      where.name = std::move(name);
      if (!machine.empty()) where.machine = machine;
    });
  }
  [[nodiscard]] const Placement& placement() const noexcept { return where_; }

 private:
  [[nodiscard]] NamedPlace restarting(restart_policy policy, std::uint32_t restarts, std::chrono::milliseconds within) const {
    return with([&](Placement& where) {
      where.keeping.restarting = policy;
      where.keeping.restarts = restarts;
      where.keeping.restart_seconds = std::chrono::duration<double>(within).count();
    });
  }
  template <class Change>
  [[nodiscard]] NamedPlace with(Change change) const {
    NamedPlace other(*this);
    change(other.where_);
    return other;
  }
  Placement where_;
};
inline NamedPlace named(std::string_view name) { return NamedPlace(name); }

// The object of this name, as its own class or a base of it.
template <class T>
remote_ptr<T> open(const Machine& machine, std::string_view name) {
  using Object = detail::hosted_type<T>;
  if constexpr (detail::can_be_named<T>) (void)detail::StateOf<Object>::entry;
  Address address = detail::open_named(machine.name(), name);
  detail::check_class(address, detail::class_title<Object>);
  return remote_ptr<T>(address);
}
template <class T>
remote_ptr<T> open(std::string_view name) {
  return open<T>(Machine("local"), name);
}

// Returns when the object's state is on the disk.
template <class T>
void save(const remote_ptr<T>& p) {
  detail::save_named(p.address());
}

// The state before the last saved becomes the object's state: what was done since that was saved is lost. A process of it is ended first, without
// saving; its waiting calls fail with process_died, later ones reach the next life. Throws io_error if no earlier state is whole.
inline void restore_previous(std::string_view name) { detail::roll_back("local", name); }
inline void restore_previous(const Machine& machine, std::string_view name) { detail::roll_back(machine.name(), name); }

// Ends the machine's lasting agent, if there is one, and with it all processes of objects with names, of all programs: they are saved first. The next
// call to one of them begins its next life. Returns when it has ended.
inline void end_lasting_agent() { detail::end_lasting("local"); }
inline void end_lasting_agent(const Machine& machine) { detail::end_lasting(machine.name()); }

// Those at `prefix` and below, sorted by name; empty: all.
inline std::vector<NamedFacts> names(std::string_view prefix = {}) { return detail::list_names("local", prefix); }
inline std::vector<NamedFacts> names(const Machine& machine, std::string_view prefix = {}) { return detail::list_names(machine.name(), prefix); }

}  // namespace octavo
