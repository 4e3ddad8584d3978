// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/named_array.hpp"

#include <filesystem>
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
    for (auto& each : made_) try {
        destroy(each);
      } catch (const std::exception& e) {
        log_line(std::string("an array with a name could not be made, and one of its devices is left: ") + e.what());
      }
  }
  void add(const remote_ptr<PageDevice>& device) { made_.push_back(device); }
  void done() noexcept { made_.clear(); }

 private:
  std::vector<remote_ptr<PageDevice>> made_;
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

// Makes devices with names, in parallel.
class MakeNamed {
 public:
  MakeNamed(const NamedPlace& place, std::string array, std::vector<std::string> machines, Begun& begun)
      : place_(place), array_(std::move(array)), machines_(std::move(machines)), begun_(begun) {}

  template <class Device, class Arguments>
  std::vector<remote_ptr<PageDevice>> all(int count, Arguments&& arguments_of) const {
    struct Making {
      std::shared_ptr<detail::State<void>> state;
      Address address;
    };
    std::vector<Making> making;
    std::exception_ptr error;
    for (int i = 0; i < count && !error; ++i) try {
        auto state = std::make_shared<detail::State<void>>();
        const auto address = std::apply([&](auto&&... each) { return begin<Device>(i, state, std::move(each)...); }, arguments_of(i));
        making.push_back({std::move(state), address});
      } catch (...) {
        error = std::current_exception();
      }
    std::vector<remote_ptr<PageDevice>> devices;
    for (auto& each : making) try {
        detail::finish_call(*each.state);
        devices.emplace_back(remote_ptr<Device>(each.address));
        begun_.add(devices.back());
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    if (error) std::rethrow_exception(error);
    return devices;
  }

 private:
  template <class Device, class... A>
  Address begin(int number, const std::shared_ptr<detail::State<void>>& state, A&&... arguments) const {
    const auto at = static_cast<std::size_t>(number);
    Placement where = place_.renamed(device_name(array_, at), at < machines_.size() ? machines_[at] : std::string()).placement();
    where.state_key = detail::StateOf<Device>::entry->hash;
    return detail::send_construction<Device>(state, where, std::forward<A>(arguments)...);
  }

  const NamedPlace& place_;
  const std::string array_;
  const std::vector<std::string> machines_;
  Begun& begun_;
};

// Enters the array itself under its name.
void enter(const NamedPlace& place, const std::string& name, const Array& array, const std::vector<std::string>& machines) {
  ArrayRecord record{array.shape(), array.page(), array.type(), array.map(), {}};
  for (std::size_t i = 0; i < array.devices().size(); ++i) {
    const bool elsewhere = i < machines.size() && !machines[i].empty();
    record.devices.push_back({elsewhere ? machines[i] : place.placement().machine, device_name(name, i)});
  }
  (void)place.make<ArrayRecord>(std::move(record));
}

Machine machine_of(const std::string& name) { return Machine(name.empty() ? "local" : name); }

}  // namespace

Array NamedPlace::make_array(const Shape& shape, const Shape& page, dtype type, const std::vector<PageFilePlace>& files) const {
  if (files.empty()) throw usage_error("an array with a name and no device", "Give the file of at least one");
  return make_array(shape, page, type, files, PageMap::circulant(grid_of(shape, page), static_cast<std::int64_t>(files.size())));
}

Array NamedPlace::make_array(const Shape& shape, const Shape& page, dtype type, const std::vector<PageFilePlace>& files, const PageMap& map) const {
  const std::string name = address_name(where_.name);
  if (map.devices() != static_cast<std::int64_t>(files.size()) || map.kind() == map_kind::any)
    throw usage_error("a map of " + std::to_string(map.devices()) + " devices for " + std::to_string(files.size()) + " files", "Give a file for each device");
  check_each_file_once(files);
  std::vector<std::string> machines;
  machines.reserve(files.size());
  for (const auto& each : files) machines.push_back(each.machine);
  auto file_of = [&](int device) {
    const auto& file = files[static_cast<std::size_t>(device)];
    return std::tuple(file.path, std::int64_t{map.pages_per_device()}, page, type, file.options);
  };
  Begun begun;
  Array array(shape, page, type, MakeNamed(*this, name, machines, begun).all<PageFile>(static_cast<int>(files.size()), file_of), map);
  enter(*this, name, array, machines);
  begun.done();
  return array;
}

Array NamedPlace::make_array(const std::string& path, const DeviceOptions& options) const {
  const std::string name = address_name(where_.name);
  const Storage storage = open_storage(std::filesystem::absolute(path).string());
  Begun begun;
  Array array = over_devices(MakeNamed(*this, name, {}, begun), storage, default_page(storage), options);
  enter(*this, name, array, {});
  begun.done();
  return array;
}

Array NamedPlace::make_array(const std::string& path) const { return make_array(path, DeviceOptions{}); }

Array open_named_array(const Machine& machine, std::string_view name) {
  const auto record = open<ArrayRecord>(machine, name)->facts();
  std::vector<remote_ptr<PageDevice>> devices;
  for (const auto& each : record.devices) devices.push_back(open<PageDevice>(machine_of(each.machine.empty() ? machine.name() : each.machine), each.name));
  return Array(record.shape, record.page, record.type, std::move(devices), record.map);
}

void destroy_array(const Machine& machine, std::string_view name) {
  auto record = open<ArrayRecord>(machine, name);
  const auto facts = record->facts();
  for (const auto& each : facts.devices)  // one that this program does not reach would be left, and its name taken
    if (!each.machine.empty()) in_context([&] { return "destroying '" + std::string(name) + "'"; }, [&] { (void)machine_of(each.machine).facts(); });
  for (const auto& each : facts.devices) try {
      auto device = open<PageDevice>(machine_of(each.machine.empty() ? machine.name() : each.machine), each.name);
      destroy(device);
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
