// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/state_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <new>

#include "machine/registry/named_entry.hpp"
#include "machine/registry/private_directory.hpp"
#include "machine/registry/time_text.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

struct Earlier {
  StateFacts facts;
  std::string path;
};

// The latest whole state that is earlier than the current one; of any generation where that cannot be read.
std::optional<Earlier> find_earlier(const StatePlace& place) {
  std::uint64_t below = ~std::uint64_t{0};
  try {
    if (auto state = open_state(place.current, place.object)) below = state->header.facts.generation;
  } catch (const error&) {
    below = ~std::uint64_t{0};
  }
  std::optional<Earlier> found;
  for (const auto* path : {&place.previous, &place.fresh, &place.keep})
    if (auto facts = whole_state(*path, place.object); facts && facts->generation < below && (!found || facts->generation > found->facts.generation))
      found = Earlier{*facts, *path};
  return found;
}

std::string cure_for(const StatePlace& place, std::string_view name) {
  auto earlier = find_earlier(place);
  if (!earlier) return "No earlier state of it is whole: take the file from a copy, or destroy the object and make it again";
  return "Generation " + std::to_string(earlier->facts.generation) + ", saved " + time_text(earlier->facts.saved) +
         ", is whole: go back to it with `octavo restore " + (name.empty() ? "NAME" : "ov://" + std::string(name)) +
         "` or restore_previous(); what was done since is lost";
}

StoredState read_whole(const StatePlace& place) {
  auto state = open_state(place.current, place.object);
  if (!state) throw io_error("the state file '" + place.current + "' is missing");
  StoredState stored{state->header.facts, nullptr};
  std::uint64_t bytes = stored.facts.payload_bytes;
  try {
    stored.bytes = std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw refused("reading the state file '" + place.current + "': there is no memory for its " + format_bytes(static_cast<std::int64_t>(bytes)),
                  "Free memory, or use a larger machine");
  }
  read_payload(*state, place.current, [&](std::uint64_t at, std::size_t size) { return ByteSpan(stored.bytes.get() + at, size); });
  return stored;
}

}  // namespace

StoredState read_state(const std::string& directory, std::uint64_t object, std::string_view name) {
  StatePlace place(directory, object);
  try {
    return read_whole(place);
  } catch (const io_error& e) {
    throw io_error(e.message(), cure_for(place, name));
  }
}

std::optional<StateFacts> state_facts(const std::string& directory, std::uint64_t object) {
  StatePlace place(directory, object);
  try {
    auto state = open_state(place.current, object);
    return state ? std::optional(state->header.facts) : std::nullopt;
  } catch (const io_error& e) {
    throw io_error(e.message(), cure_for(place, {}));
  }
}

std::optional<StateFacts> previous_state(const std::string& directory, std::uint64_t object) {
  auto earlier = find_earlier(StatePlace(directory, object));
  return earlier ? std::optional(earlier->facts) : std::nullopt;
}

StateFacts restore_previous(const std::string& directory, std::uint64_t object, const StateSteps& steps) {
  StatePlace place(directory, object);
  StateLock lock(place);
  auto earlier = find_earlier(place);
  if (!earlier)
    throw io_error("no earlier state of object " + object_text(object) + " is whole in '" + place.folder + "'",
                   "Take '" + place.current + "' from a copy, or destroy the object and make it again");
  bool done = false;
  replace_current(place, earlier->path, place.damaged, steps, done);
  for (const auto* left : {&place.fresh, &place.keep}) ::unlink(left->c_str());  // what is still there is not whole, or older
  return earlier->facts;
}

bool remove_state(const std::string& directory, std::uint64_t object) {
  StatePlace place(directory, object);
  std::error_code failed;
  if (!fs::exists(place.folder, failed)) return false;
  StateLock lock(place);
  bool any = false;
  auto remove = [&](const std::string& path) {
    if (::unlink(path.c_str()) == 0) return true;
    if (errno != ENOENT) throw io_error_from(errno, "removing the state file '" + path + "'");
    return false;
  };
  for (const auto* path : {&place.damaged, &place.keep, &place.fresh, &place.previous, &place.current}) any |= remove(*path);
  sync_directory(place.folder);
  return any;
}

}  // namespace octavo
