// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/registry.hpp"

#include <sys/random.h>

#include <cerrno>
#include <filesystem>
#include <limits>

#include "machine/kept_variables.hpp"
#include "machine/registry/entry_row.hpp"
#include "machine/registry/private_directory.hpp"
#include "machine/registry/time_text.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::int64_t schema_version = 1;
constexpr std::int64_t application = 0x4F637461;  // "Octa": the database is Octavo's

std::uint64_t random_number() {
  std::uint64_t number = 0;
  while (number == 0)
    if (::getrandom(&number, sizeof number, 0) != sizeof number && errno != EINTR) throw io_error_from(errno, "asking the system for random bytes");
  return number;
}

}  // namespace

Registry::Statements::Statements(const Database& d)
    : fact(d, "SELECT value FROM facts WHERE key = ?1"),
      count_up(d, "UPDATE facts SET value = value + 1 WHERE key = ?1 RETURNING value"),
      insert(d, "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"),
      by_name(d, "SELECT * FROM entries WHERE name = ?1"),
      by_object(d, "SELECT * FROM entries WHERE object = ?1"),
      all(d, "SELECT * FROM entries ORDER BY name"),
      // '0' follows '/': what begins with "prefix/" lies between the two.
      below(d, "SELECT * FROM entries WHERE name = ?1 OR (name > ?1 || '/' AND name < ?1 || '0') ORDER BY name"),
      update(d,
             "UPDATE entries SET executable = coalesce(?2, executable), build = coalesce(?3, build),"
             " state_version = coalesce(?4, state_version), generation = coalesce(?5, generation) WHERE object = ?1 RETURNING object"),
      remove(d, "DELETE FROM entries WHERE object = ?1 RETURNING object"),
      set_environment(d, "UPDATE entries SET environment = ?2 WHERE object = ?1 RETURNING object") {}

namespace {

// A new database has the ids of no state: where it was there, and is empty now, its objects would be lost without a word.
std::string found_or_new(const std::string& directory) {
  namespace fs = std::filesystem;
  std::string path = directory + "/names.db";
  std::error_code failed;
  const bool found = fs::exists(path, failed);
  if (!found || (fs::file_size(path, failed) == 0 && !failed))
    for (const auto& each : fs::directory_iterator(directory + "/state", failed))
      if (each.path().filename() != "lock")
        throw io_error("the registry of names '" + path + "' is " + (found ? "empty" : "not there") + ", but there are states of its objects ('" +
                           each.path().string() + "')",
                       "Take it from a copy; or move '" + directory + "/state' away, and begin anew without those objects");
  make_private_file(path);
  return path;
}

}  // namespace

Registry::Registry(const std::string& directory, std::chrono::milliseconds patience)
    : directory_(private_directory(directory)), database_(found_or_new(directory_), patience) {
  open_schema();
  for (const char* part : {"", "-wal", "-shm"}) keep_private(database_.path() + part);  // an earlier Octavo left them to the umask
  statements_.emplace(database_);
  agent_id_ = fact("agent", false, "reading the agent's id");
}

void Registry::open_schema() {
  constexpr auto doing = "reading its version";
  // Whether it is new. A database of another kind or a later version is not touched.
  auto is_new = [&] {
    std::int64_t found = database_.number("PRAGMA user_version", doing), whose = database_.number("PRAGMA application_id", doing);
    if (found == 0 && whose == 0 && database_.number("SELECT count(*) FROM sqlite_schema", doing) == 0) return true;
    if (whose != application) throw refused("'" + database_.path() + "' is a database of another program", "Name another directory");
    if (found > schema_version)
      throw not_supported("the registry of names '" + database_.path() + "' has version " + std::to_string(found) + "; this Octavo knows version " +
                              std::to_string(schema_version),
                          "Use the Octavo that wrote it, or another directory");
    if (found < 1) throw io_error("the registry of names '" + database_.path() + "' has version " + std::to_string(found), "Take it from a copy");
    return false;
  };
  database_.run("BEGIN", doing);  // one moment for all that is asked: others may be making it
  bool made = !is_new();
  database_.run("COMMIT", doing);
  database_.make_durable();
  if (made) return;
  Transaction change(database_, "making it");
  if (is_new()) make_schema();  // unless another program has made it just now
  change.commit();
  sync_directory(directory_);
}

void Registry::make_schema() {
  constexpr auto doing = "making it";
  database_.run("CREATE TABLE facts(key TEXT PRIMARY KEY, value INTEGER NOT NULL)", doing);
  database_.run(entry_table, doing);
  Statement insert(database_, "INSERT INTO facts VALUES (?1, ?2)");
  auto put = [&](const char* key, std::uint64_t value) {
    auto row = insert.use(doing);
    row.bind(1, key);
    row.bind(2, value);
    row.next();
  };
  put("agent", random_number());
  put("incarnation", 0);
  put("object", named_object_bit | (random_number() >> 33 << 32));  // N-3: 31 bits are the database's, 32 count
  database_.run(("PRAGMA application_id = " + std::to_string(application)).c_str(), doing);
  database_.run(("PRAGMA user_version = " + std::to_string(schema_version)).c_str(), doing);
}

std::uint64_t Registry::fact(const char* key, bool count_up, std::string_view doing) {
  auto rows = (count_up ? statements_->count_up : statements_->fact).use(doing);
  rows.bind(1, key);
  if (!rows.next()) throw io_error("the registry of names '" + database_.path() + "' has lost its '" + key + "'", "Take it from a copy");
  std::uint64_t value = rows.number(0);
  rows.next();
  return value;
}

std::uint32_t Registry::next_incarnation() {
  constexpr auto doing = "counting the agent's lives";
  Transaction change(database_, doing);
  std::uint64_t number = fact("incarnation", true, doing);
  if (number > std::numeric_limits<std::uint32_t>::max())
    throw refused("the agent of '" + directory_ + "' has had 2^32 lives", "Move its objects to a new directory");
  change.commit();
  return static_cast<std::uint32_t>(number);
}

NamedEntry Registry::add(NamedEntry entry) {
  check_entry(entry);
  Transaction change(database_, "adding a name");
  if (auto other = find(std::string_view(entry.name)))
    throw refused("the name '" + other->name + "' is taken: by a " + other->class_name + ", made " + time_text(other->made),
                  "Open that one, destroy it first, or choose another name");
  entry.object = fact("object", true, "adding a name");
  if ((entry.object & 0xFFFFFFFF) == 0) throw refused("the registry of names '" + database_.path() + "' has given 2^32 ids", "Name another directory");
  if (entry.made == 0) entry.made = now_seconds();
  insert_row(database_, statements_->insert, entry);
  change.commit();
  return entry;
}

std::optional<NamedEntry> Registry::find(std::string_view name) {
  auto rows = statements_->by_name.use("finding a name");
  rows.bind(1, name);
  return rows.next() ? std::optional(entry_of(rows, database_)) : std::nullopt;
}

std::optional<NamedEntry> Registry::find(std::uint64_t object) {
  auto rows = statements_->by_object.use("finding an object");
  rows.bind(1, object);
  return rows.next() ? std::optional(entry_of(rows, database_)) : std::nullopt;
}

std::vector<NamedEntry> Registry::list(std::string_view prefix) {
  std::string above = address_prefix(prefix);
  auto rows = (above.empty() ? statements_->all : statements_->below).use("listing names");
  if (!above.empty()) rows.bind(1, above);
  std::vector<NamedEntry> entries;
  while (rows.next()) entries.push_back(entry_of(rows, database_));
  return entries;
}

void Registry::update(std::uint64_t object, const Change& change) {
  const std::string command = change.command ? command_bytes(*change.command) : std::string();
  constexpr auto doing = "changing an entry";
  Transaction all(database_, doing);
  bool found = false;
  {
    auto rows = statements_->update.use(doing);  // what is not bound is NULL, and stays
    rows.bind(1, object);
    if (change.command) rows.bind(2, std::as_bytes(std::span(command.data(), command.size())));
    if (change.build) rows.bind(3, std::uint64_t{*change.build});
    if (change.state_version) rows.bind(4, std::uint64_t{*change.state_version});
    if (change.generation) rows.bind(5, *change.generation);
    found = rows.next();
    if (found) rows.next();
  }
  if (!found) throw gone_error("the named object " + object_text(object) + " is not in '" + database_.path() + "': it has been destroyed", "Make it again");
  all.commit();
}

bool Registry::remove(std::uint64_t object) {
  constexpr auto doing = "removing an entry";
  Transaction change(database_, doing);
  bool found = false;
  {
    auto rows = statements_->remove.use(doing);
    rows.bind(1, object);
    found = rows.next();
    if (found) rows.next();
  }
  change.commit();
  return found;
}

void Registry::forget_needless_variables() {
  constexpr auto doing = "forgetting variables that are not kept any more";
  bool changed = false;
  {
    Transaction all(database_, doing);
    for (const auto& entry : list()) {
      auto kept = kept_variables(entry.environment);
      if (kept == entry.environment) continue;
      changed = true;
      std::string bytes = environment_bytes(kept);
      auto row = statements_->set_environment.use(doing);
      row.bind(1, entry.object);
      row.bind(2, std::as_bytes(std::span(bytes.data(), bytes.size())));
      while (row.next()) {}
    }
    all.commit();
  }
  if (changed) database_.leave_no_trace();
}

void Registry::check() {
  constexpr auto doing = "checking it";
  Statement quick(database_, "PRAGMA quick_check(1)");
  auto rows = quick.use(doing);
  if (!rows.next() || rows.text(0) != "ok")
    throw io_error("the registry of names '" + database_.path() + "' is damaged",
                   "Take it from a copy, or save what can be read with `sqlite3 " + database_.path() + " .recover`");
}

}  // namespace octavo
