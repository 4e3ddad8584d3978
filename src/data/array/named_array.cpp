// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/named_array.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "data/array/devices_of.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/base/log.hpp"
#include "octavo/data/open_array.hpp"

namespace octavo {

namespace {

std::string device_name(const std::string& array, std::size_t number) { return array + "/device/" + std::to_string(number); }

// What was begun of an array; without done() all of it is destroyed.
class Begun {
 public:
  Begun() = default;
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;
  ~Begun() {
    for (const auto& each : devices_) undo(each);
    if (record_) undo(record_);
  }
  void add(const remote_ptr<PageDevice>& device) { devices_.push_back(device); }
  void add(const remote_ptr<ArrayRecord>& record) { record_ = record; }
  // Throws where the record was destroyed meanwhile: the array could not be opened.
  void check_entered() const { (void)record_->facts(); }
  void done() noexcept {
    devices_.clear();
    record_ = {};
  }

 private:
  template <class Object>
  static void undo(const remote_ptr<Object>& object) noexcept {
    try {
      destroy(object);
    } catch (const std::exception& e) {
      log_line(std::string("an array with a name could not be made, and a part of it is left until destroy_array: ") + e.what());
    }
  }
  std::vector<remote_ptr<PageDevice>> devices_;
  remote_ptr<ArrayRecord> record_;  // the last to go: destroy_array finds by it what is left
};

// Two devices of an array over one file would write over each other's pages.
void check_each_file_once(const std::vector<PageFilePlace>& files) {
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& each : files) {
    const bool here = each.machine.empty() || each.machine == "local";
    const auto path = here ? std::filesystem::weakly_canonical(std::filesystem::absolute(each.path)) : std::filesystem::path(each.path).lexically_normal();
    if (!known.emplace(here ? std::string() : each.machine, path.string()).second)
      throw usage_error("the file '" + each.path + "' was given twice", "Give each device a file of its own");
  }
}

// Makes the array's record and then its devices, in parallel, each under its name. The record comes first: where this program is killed, it says what there
// may be, on which machines.
class MakeNamed {
 public:
  MakeNamed(const NamedPlace& place, std::string array, ArrayRecord record, std::vector<std::string> machines, Begun& begun)
      : place_(place), array_(std::move(array)), record_(std::move(record)), machines_(std::move(machines)), begun_(begun) {}

  using Begin = std::function<Address(std::size_t number, const std::shared_ptr<detail::State<void>>& made, const Placement& where)>;
  // `state_key`: of their class.
  std::vector<remote_ptr<PageDevice>> all(std::size_t count, std::uint64_t state_key, const Begin& begin) const {
    struct Making {
      std::shared_ptr<detail::State<void>> state;
      Address address;
    };
    enter(count);
    std::vector<Making> making;
    std::exception_ptr error;
    for (std::size_t i = 0; i < count && !error; ++i) try {
        auto state = std::make_shared<detail::State<void>>();
        const auto address = begin(i, state, where(i, state_key));
        making.push_back({std::move(state), address});
      } catch (...) {
        error = std::current_exception();
      }
    std::vector<remote_ptr<PageDevice>> devices;
    for (auto& each : making) try {
        detail::finish_call(*each.state);
        devices.emplace_back(each.address);
        begun_.add(devices.back());
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    if (error) std::rethrow_exception(error);
    begun_.check_entered();
    return devices;
  }

 private:
  [[nodiscard]] Placement where(std::size_t number, std::uint64_t state_key) const {
    Placement found = place_.renamed(device_name(array_, number), number < machines_.size() ? machines_[number] : std::string()).placement();
    found.state_key = state_key;
    return found;
  }

  void enter(std::size_t devices) const {
    ArrayRecord record = record_;
    for (std::size_t i = 0; i < devices; ++i) {
      const bool elsewhere = i < machines_.size() && !machines_[i].empty();
      record.devices.push_back({elsewhere ? machines_[i] : place_.placement().machine, device_name(array_, i)});
    }
    begun_.add(place_.make<ArrayRecord>(std::move(record)));
  }

  const NamedPlace& place_;
  const std::string array_;
  const ArrayRecord record_;
  const std::vector<std::string> machines_;
  Begun& begun_;
};

void check_may_be_an_array(const NamedPlace& place) {
  if (place.placement().keeping.every_call)
    throw usage_error("an array with a name whose devices are to be saved at every call: a device answers when its disk does, and no call changes its state",
                      "Leave out saving_every_call(); flush() returns when what was written is on the disk");
}

Machine machine_of(const std::string& name) { return Machine(name.empty() ? "local" : name); }

}  // namespace

Array NamedPlace::make_array(const Shape& shape, const Shape& page, dtype type, const std::vector<PageFilePlace>& files) const {
  if (files.empty()) throw usage_error("an array with a name and no device", "Give the file of at least one");
  return make_array(shape, page, type, files, PageMap::circulant(grid_of(shape, page), static_cast<std::int64_t>(files.size())));
}

Array NamedPlace::make_array(const Shape& shape, const Shape& page, dtype type, const std::vector<PageFilePlace>& files, const PageMap& map) const {
  check_may_be_an_array(*this);
  const std::string name = address_name(where_.name);
  if (map.devices() != static_cast<std::int64_t>(files.size()) || map.kind() == map_kind::any)
    throw usage_error("a map of " + std::to_string(map.devices()) + " devices for " + std::to_string(files.size()) + " files", "Give a file for each device");
  check_each_file_once(files);
  std::vector<std::string> machines;
  machines.reserve(files.size());
  for (const auto& each : files) machines.push_back(each.machine);
  // Of this machine the whole path, by which a job in another directory knows the file.
  auto path_there = [&](const PageFilePlace& file) {
    const std::string& machine = file.machine.empty() ? placement().machine : file.machine;
    return machine.empty() || machine == "local" ? std::filesystem::absolute(file.path).string() : file.path;
  };
  auto begin = [&](std::size_t device, const std::shared_ptr<detail::State<void>>& made, const Placement& where) {
    const auto& file = files[device];
    return detail::send_construction<PageFile>(made, where, path_there(file), std::int64_t{map.pages_per_device()}, page, type, file.options);
  };
  Begun begun;
  const MakeNamed make(*this, name, {shape, page, type, map, {}}, machines, begun);
  Array array(shape, page, type, make.all(files.size(), device_class<PageFile>().state_key, begin), map);
  begun.done();
  return array;
}

Array NamedPlace::make_array(const std::string& path, const DeviceOptions& options) const {
  check_may_be_an_array(*this);
  const std::string name = address_name(where_.name);
  const Storage storage = open_storage(std::filesystem::absolute(path).string());
  const StoredDevices devices = devices_of(storage, storage.is_paged() ? storage.chunk : default_page(storage));
  auto begin = [&](std::size_t device, const std::shared_ptr<detail::State<void>>& made, const Placement& where) {
    return devices.device.begin(made, where, devices.parts[device], devices.page, options);
  };
  Begun begun;
  const MakeNamed make(*this, name, {storage.shape, devices.page, storage.type, devices.map, {}}, {}, begun);
  Array array(storage.shape, devices.page, storage.type, make.all(devices.parts.size(), devices.device.state_key, begin), devices.map);
  begun.done();
  return array;
}

Array NamedPlace::make_array(const std::string& path) const { return make_array(path, DeviceOptions{}); }

namespace {

bool is_there(const Machine& machine, std::string_view name) {
  const std::string wanted = address_name(name);
  return std::ranges::any_of(names(machine, wanted), [&](const NamedFacts& each) { return each.name == wanted; });
}

remote_ptr<PageDevice> open_device_of(std::string_view array, const Machine& machine, const std::string& device) {
  try {
    return open<PageDevice>(machine, device);
  } catch (const usage_error& e) {
    if (is_there(machine, device)) throw;
    throw usage_error("opening '" + std::string(array) + "': " + e.message(),
                      "It is being made, or its making was interrupted: then destroy_array takes it away");
  }
}

}  // namespace

Array open_named_array(const Machine& machine, std::string_view name) {
  const auto record = open<ArrayRecord>(machine, name)->facts();
  std::vector<remote_ptr<PageDevice>> devices;
  for (const auto& each : record.devices) devices.push_back(open_device_of(name, machine_of(each.machine.empty() ? machine.name() : each.machine), each.name));
  return Array(record.shape, record.page, record.type, std::move(devices), record.map);
}

namespace {

// Of an array whose record is gone: a device that was still being made when destroy_array took the rest of what a killed program had left. False: none.
bool destroy_left_devices(const Machine& machine, std::string_view name) {
  const std::string below = address_name(name) + "/device/";
  bool found = false;
  for (const auto& each : names(machine, address_name(name)))
    if (each.name.starts_with(below) && each.name.find_first_not_of("0123456789", below.size()) == std::string::npos) {
      destroy(open<PageDevice>(machine, each.name));
      found = true;
    }
  return found;
}

}  // namespace

void destroy_array(const Machine& machine, std::string_view name) {
  if (!is_there(machine, name) && destroy_left_devices(machine, name)) return;
  auto record = open<ArrayRecord>(machine, name);
  const auto facts = record->facts();
  for (const auto& each : facts.devices)  // one that this program does not reach would be left, and its name taken
    if (!each.machine.empty()) in_context([&] { return "destroying '" + std::string(name) + "'"; }, [&] { (void)machine_of(each.machine).facts(); });
  for (const auto& each : facts.devices) try {
      auto device = open<PageDevice>(machine_of(each.machine.empty() ? machine.name() : each.machine), each.name);
      destroy(device);
    } catch (const usage_error&) {  // it was never made, or is gone
    } catch (const error& e) {
      log_line("destroying '" + std::string(name) + "': " + e.what());
    }
  destroy(record);
}

void destroy_array(std::string_view name) { destroy_array(Machine("local"), name); }

namespace {
[[maybe_unused]] const bool records_are_served =
    detail::serve_built_in(detail::ConstructorOf<ArrayRecord, ArrayRecord>::entry) && detail::serve_built_in(detail::StateOf<ArrayRecord>::entry);
}  // namespace

}  // namespace octavo
