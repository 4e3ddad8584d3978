// SPDX-License-Identifier: Apache-2.0
// Which object: on which agent, in which of its lives, which one there. Never a rank, a pid or a path.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace octavo {

struct Address {
  std::uint64_t agent = 0;
  std::uint32_t incarnation = 0;  // of the agent: one that comes back has a new one, and the old is refused; 0: lasting, of whichever life
  std::uint64_t object = 0;       // 0: none; 1: the program itself

  explicit operator bool() const noexcept { return object != 0; }
  [[nodiscard]] bool lasting() const noexcept { return incarnation == 0 && object != 0; }
  auto operator<=>(const Address&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(agent, incarnation, object);
  }
};

// What is known of a process, alive or dead. Part of listings and of process_died.
struct ProcessFacts {
  Address address;
  std::string class_name;
  std::string machine;
  std::int64_t pid = 0;
  double started = 0;  // seconds since 1970
};

// One life of an object. A lasting address has many, one after another, each in a process of its own.
struct Life {
  Address who;
  std::int64_t pid = 0;  // 0: whichever

  Life() = default;
  Life(const Address& of, std::int64_t process = 0) : who(of), pid(process) {}  // NOLINT: most addresses have one life
  Life(const ProcessFacts& of) : Life(of.address, of.pid) {}                    // NOLINT: which one it is
  [[nodiscard]] bool is_of(const ProcessFacts& process) const noexcept { return process.address == who && (pid == 0 || process.pid == pid); }
  auto operator<=>(const Life&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(who, pid);
  }
};

// A persistent object, running or not.
struct NamedFacts {
  std::string name;
  Address address;
  std::string class_name;
  double made = 0;               // seconds since 1970
  std::uint64_t generation = 0;  // how often it was saved
  std::int64_t pid = 0;          // 0: it rests
};

struct Obituary {
  ProcessFacts facts;
  double died = 0;                         // seconds since 1970
  int status = 0;                          // as waitpid gives it; -1: not known, another part of the program took it
  bool destroyed = false;                  // ended by destroy(): no accident
  std::string last_lines;                  // that it wrote to standard error
  std::string machine_lost;                // why, if it is its whole machine that is gone
  bool resting = false;                    // it has a name, and its state is saved: the next call brings it back
  [[nodiscard]] std::string text() const;  // "PageDevice (process 17, pid 4711 on box) was killed by SIGKILL 0.2 s after ..."
};

}  // namespace octavo
