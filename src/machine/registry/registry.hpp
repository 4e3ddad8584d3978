// SPDX-License-Identifier: Apache-2.0
// The registry of names of one machine's agent: which persistent objects there are, and how each is brought back to life. A database
// (SQLite, write-ahead log) `names.db` in a directory of the agent's owner, which must lie on a local disk.
//
//   Registry registry("/home/ada/.local/share/octavo");
//   NamedEntry entry = registry.add({.name = "data/set/PageDevice/34", .class_name = "PageDevice", .command = {"/home/ada/bin/fft"}});
//   if (auto found = registry.find("data/set/PageDevice/34")) activate(*found);
//   registry.update(entry.object, {.generation = 7});
//
// N-1  What a call changed is durable when it returns; a program killed in it leaves the old or the new, never half.
// N-2  Any number of programs may have one directory open, and see what the others have done. A call waits for another writer for at most
//      `patience`, then throws timed_out.
// N-3  An object id is never used again, and has named_object_bit. Ids of two databases differ, so a new database does not take
//      the state files of a lost one for its own.
// Threading: one thread, the agent's. After a fork, only one side may use it.
// Failure: usage_error (no name), refused (taken; a directory of others), gone_error (destroyed), not_supported (written by a later Octavo),
// io_error (disk, damage), timed_out. Each names the database or the name.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/registry/address_name.hpp"
#include "machine/registry/database.hpp"
#include "machine/registry/named_entry.hpp"

namespace octavo {

class Registry {
 public:
  // The directory is made if missing (mode 0700).
  explicit Registry(const std::string& directory, std::chrono::milliseconds patience = std::chrono::seconds(10));

  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }  // absolute
  // Random, made once for each directory; never 0.
  [[nodiscard]] std::uint64_t agent_id() const noexcept { return agent_id_; }
  // 1 the first time; to be called once in each life of an agent.
  std::uint32_t next_incarnation();

  // Returns it with its object id and when it was made; what `object` was does not matter. Throws refused if the name is taken, saying by what.
  NamedEntry add(NamedEntry entry);
  [[nodiscard]] std::optional<NamedEntry> find(std::string_view name);
  [[nodiscard]] std::optional<NamedEntry> find(std::uint64_t object);
  // Those at `prefix` and below, sorted by name: "data/set" finds "data/set" and "data/set/x", not "data/settle". Empty: all.
  [[nodiscard]] std::vector<NamedEntry> list(std::string_view prefix = {});

  struct Change {
    std::optional<std::vector<std::string>> command{};
    std::optional<std::uint32_t> build{}, state_version{};
    std::optional<std::uint64_t> generation{};
  };
  // What is given changes, all at once. Throws gone_error if there is no such object (any more).
  void update(std::uint64_t object, const Change& change);
  // False if there was none. The state files are left: see remove_state.
  bool remove(std::uint64_t object);

  // Of all entries, as kept_variables() has it: an earlier Octavo kept a program's whole environment. By the agent, when it begins.
  void forget_needless_variables();

  // Reads the whole database; throws io_error if it is damaged.
  void check();

 private:
  void open_schema();
  void make_schema();
  std::uint64_t fact(const char* key, bool count_up, std::string_view doing);

  std::string directory_;
  Database database_;
  std::uint64_t agent_id_ = 0;
  // Prepared when the tables are there.
  struct Statements {
    explicit Statements(const Database& database);
    Statement fact, count_up, insert, by_name, by_object, all, below, update, remove, set_environment;
  };
  std::optional<Statements> statements_;
};

}  // namespace octavo
