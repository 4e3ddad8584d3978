// SPDX-License-Identifier: Apache-2.0
// An entry as a row of the database, and what may be in it.
#pragma once

#include "machine/registry/database.hpp"
#include "machine/registry/named_entry.hpp"

namespace octavo {

inline constexpr const char* entry_table =
    "CREATE TABLE entries(object INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, class TEXT NOT NULL, state_version INTEGER NOT NULL,"
    " executable BLOB NOT NULL, build INTEGER NOT NULL, construction BLOB NOT NULL, environment BLOB NOT NULL, directory BLOB NOT NULL,"
    " made REAL NOT NULL, saving INTEGER NOT NULL, idle_seconds REAL NOT NULL, restarting INTEGER NOT NULL, restarts INTEGER NOT NULL,"
    " restart_seconds REAL NOT NULL, generation INTEGER NOT NULL)";

// Throws usage_error for what cannot be, refused for what is too large.
void check_entry(const NamedEntry& entry);
// Into the 16 columns, in the order of entry_table.
void insert_row(const Database& database, const Statement& insert, const NamedEntry& entry);
// As their columns have them. Throws usage_error for a command with a zero byte.
std::string command_bytes(const std::vector<std::string>& command);
std::string environment_bytes(const std::vector<std::string>& environment);
// Of a SELECT *. Throws io_error where the row holds what no Octavo wrote.
NamedEntry entry_of(const Rows& row, const Database& database);

}  // namespace octavo
