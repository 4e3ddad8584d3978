// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/reader_record.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "machine/host/process_stat.hpp"
#include "machine/notices/envelope.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::agent {

namespace {

constexpr auto what = "the note of who reads which mailbox", cure = "It is of another Octavo: end the programs of this home, and remove it";

struct Line {
  std::string name;
  HomeReader reader;
};

wire::Body bytes_of(const ReaderRecord::All& all) {
  std::vector<Line> lines;
  for (const auto& [name, reader] : all) lines.push_back({name, reader});
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(lines);
  return control::sealed(control::service::reader_record, out.body);
}

ReaderRecord::All readers_in(ByteView bytes) {
  const auto envelope = control::opened(bytes, what, cure);
  if (envelope.of != control::service::reader_record) control::unknown_service(envelope.of, what, cure);
  wire::Message message = wire::message_of({}, envelope.body);
  wire::Decoder decoder(message);
  std::vector<Line> lines;
  decoder(lines);
  ReaderRecord::All all;
  for (auto& each : lines) all.emplace(std::move(each.name), std::move(each.reader));
  return all;
}

void write_all(const std::string& path, ByteView bytes) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) throw io_error_from(errno, "making '" + path + "'");
  while (!bytes.empty()) {
    const auto n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error_from(errno, "writing '" + path + "'");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace

ReadingProgram ReadingProgram::of(std::uint64_t agent, std::int64_t pid) {
  const auto stat = stat_of(pid);
  return {agent, pid, stat ? stat->started : 0};
}

bool FileReaderRecord::lives(const ReadingProgram& program) const {
  const auto stat = stat_of(program.pid);
  return stat && !stat->ended() && stat->started == program.started;
}

ReaderRecord::All FileReaderRecord::left() const {
  const Fd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return {};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) throw io_error_from(errno, "opening '" + path_ + "'");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t size = 0;
  while (size < bytes.size()) {
    const auto n = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error_from(errno, "reading '" + path_ + "'");
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  return readers_in(ByteView(bytes).first(size));
}

// By another file that takes its name: a lasting agent killed meanwhile leaves the old or the new.
void FileReaderRecord::keep(const All& all) {
  if (all.empty()) {
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw io_error_from(errno, "removing '" + path_ + "'");
    return;
  }
  const std::string fresh = path_ + ".new";
  write_all(fresh, bytes_of(all));
  if (::rename(fresh.c_str(), path_.c_str()) != 0) throw io_error_from(errno, "renaming '" + fresh + "' to '" + path_ + "'");
}

}  // namespace octavo::agent
