// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/entry_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::size_t most_entry_bytes = 16 << 20;

// Each string with a zero byte behind it.
std::string joined(const std::vector<std::string>& strings) {
  std::string bytes;
  for (const auto& each : strings) (bytes += each) += '\0';
  return bytes;
}

std::vector<std::string> split(std::string_view bytes) {
  std::vector<std::string> strings;
  for (std::size_t end; (end = bytes.find('\0')) != std::string_view::npos; bytes.remove_prefix(end + 1)) strings.emplace_back(bytes.substr(0, end));
  return strings;
}

std::vector<std::string> command_of(std::string bytes) {
  if (bytes.empty()) return {};
  bytes += '\0';
  return split(bytes);
}

ByteView view(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

}  // namespace

// A command of one word is that word alone.
std::string command_bytes(const std::vector<std::string>& command) {
  std::string bytes;
  for (const auto& word : command) {
    if (word.find('\0') != std::string::npos) throw usage_error("a path with a zero byte", "Correct the call");
    if (&word != &command.front()) bytes += '\0';
    bytes += word;
  }
  return bytes;
}

std::string environment_bytes(const std::vector<std::string>& environment) { return joined(environment); }

void check_entry(const NamedEntry& entry) {
  auto bad = [&](const std::string& what) { return usage_error("naming '" + printable(entry.name) + "': " + what, "Correct the call"); };
  if (address_name(entry.name) != entry.name) throw bad("a name is kept without ov://");
  if (entry.class_name.empty() || entry.class_name.size() > longest_name)
    throw bad("the name of its class has " + std::to_string(entry.class_name.size()) + " bytes, not 1 to " + std::to_string(longest_name));
  if (auto wrong = wrong_with_text(entry.class_name); !wrong.empty())
    throw bad("the name of its class '" + printable(entry.class_name) + "': " + std::string(wrong));
  auto has_zero = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(entry.command.begin(), entry.command.end(), has_zero) || has_zero(entry.directory)) throw bad("a path with a zero byte");
  if (std::any_of(entry.environment.begin(), entry.environment.end(), has_zero)) throw bad("an environment variable with a zero byte");
  if (!is_time(entry.made) || !is_time(entry.policy.idle_seconds) || !is_time(entry.policy.restart_seconds))
    throw bad("a time in it is negative or no number of seconds");
  std::size_t bytes = entry.directory.size() + entry.construction.size();
  for (const auto& each : entry.command) bytes += each.size() + 1;
  for (const auto& each : entry.environment) bytes += each.size() + 1;
  if (bytes > most_entry_bytes)
    throw refused("naming '" + printable(entry.name) + "': its constructor's arguments and environment have " + format_bytes(static_cast<std::int64_t>(bytes)) +
                      ", more than " + format_bytes(most_entry_bytes),
                  "Make the object with less, and give it the rest in a call");
}

void insert_row(const Database& database, const Statement& insert, const NamedEntry& entry) {
  const std::string environment = environment_bytes(entry.environment), command = command_bytes(entry.command);
  auto row = insert.use("adding a name");
  int column = 0;
  row.bind(++column, entry.object);
  row.bind(++column, entry.name);
  row.bind(++column, entry.class_name);
  row.bind(++column, std::uint64_t{entry.state_version});
  row.bind(++column, view(command));
  row.bind(++column, std::uint64_t{entry.build});
  row.bind(++column, ByteView(entry.construction));
  row.bind(++column, view(environment));
  row.bind(++column, view(entry.directory));
  row.bind(++column, entry.made);
  row.bind(++column, std::uint64_t{entry.policy.every_call});
  row.bind(++column, entry.policy.idle_seconds);
  row.bind(++column, std::uint64_t{static_cast<std::uint8_t>(entry.policy.restarting)});
  row.bind(++column, std::uint64_t{entry.policy.restarts});
  row.bind(++column, entry.policy.restart_seconds);
  row.bind(++column, entry.generation);
  if (row.next()) throw io_error("the registry of names '" + database.path() + "' answers an insert with a row", "Take it from a copy");
}

NamedEntry entry_of(const Rows& row, const Database& database) {
  auto small = [&](int column, std::uint64_t most, const char* what) {
    std::uint64_t number = row.number(column);
    if (number > most)
      throw io_error(
          "the registry of names '" + database.path() + "': the entry of '" + printable(row.text(1)) + "' has " + what + " " + std::to_string(number),
          "Take it from a copy");
    return number;
  };
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  NamedEntry entry;
  entry.object = row.number(0);
  entry.name = row.text(1);
  entry.class_name = row.text(2);
  entry.state_version = static_cast<std::uint32_t>(small(3, most32, "state version"));
  entry.command = command_of(row.text(4));
  entry.build = static_cast<std::uint32_t>(small(5, most32, "build"));
  auto construction = row.bytes(6);
  entry.construction.assign(construction.begin(), construction.end());
  entry.environment = split(row.text(7));
  entry.directory = row.text(8);
  entry.made = row.real(9);
  entry.policy.every_call = small(10, 1, "saving policy") != 0;
  entry.policy.idle_seconds = row.real(11);
  entry.policy.restarting = static_cast<restart_policy>(small(12, 2, "restart policy"));
  entry.policy.restarts = static_cast<std::uint32_t>(small(13, most32, "restarts"));
  entry.policy.restart_seconds = row.real(14);
  entry.generation = row.number(15);
  return entry;
}

}  // namespace octavo
