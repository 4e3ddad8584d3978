// SPDX-License-Identifier: Apache-2.0
// Which process reads which mailbox of the home, as a lasting agent notes it for the one that follows when it is killed: until the program of a reader has
// told that one, only this note keeps the mailbox from a second reader (MB-2).
//
//   FileReaderRecord record(home);
//   auto readers = record.left();                    // by the agent before
//   record.keep(readers);                            // replaces what is noted; nothing is noted of none
//   if (!record.lives(readers.at(name).program)) ... // nobody will tell of that reader any more
//
// Threading: the agent's. Failure: left() and keep() throw io_error, and then the old note is there. It outlives the agent, not the machine: it is not synced.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "octavo/machine/address.hpp"

namespace octavo::agent {

// The one whose process a reader is, or that made it: also of a reader on another machine it is here. It ends when this process does.
struct ReadingProgram {
  std::uint64_t agent = 0;
  std::int64_t pid = 0;
  std::uint64_t started = 0;  // as ProcessStat has it

  // As the system knows it now.
  static ReadingProgram of(std::uint64_t agent, std::int64_t pid);
};

struct HomeReader {
  std::string type;
  ProcessFacts reader;
  ReadingProgram program;
};

class ReaderRecord {
 public:
  using All = std::map<std::string, HomeReader>;  // by the mailbox's name
  ReaderRecord() = default;
  ReaderRecord(const ReaderRecord&) = delete;
  ReaderRecord& operator=(const ReaderRecord&) = delete;
  virtual ~ReaderRecord() = default;
  [[nodiscard]] virtual All left() const = 0;
  virtual void keep(const All& all) = 0;
  [[nodiscard]] virtual bool lives(const ReadingProgram& program) const = 0;
};

// In the file `mailboxes` of the home.
class FileReaderRecord final : public ReaderRecord {
 public:
  explicit FileReaderRecord(const std::string& home) : path_(home + "/mailboxes") {}
  [[nodiscard]] All left() const override;
  void keep(const All& all) override;
  [[nodiscard]] bool lives(const ReadingProgram& program) const override;

 private:
  const std::string path_;
};

}  // namespace octavo::agent
