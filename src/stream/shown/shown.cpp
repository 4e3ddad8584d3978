// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/shown/shown.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <new>

#include "octavo/base/fd.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "process/endpoint.hpp"
#include "stream/shown/layout.hpp"

namespace octavo::stream {

namespace {

using board::put, board::put_text;

// None, where there is no memory or descriptor for it.
Fd memory_of(std::size_t bytes) {
  Fd memory(::memfd_create(shown::memory_name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const bool works =
      memory && ::ftruncate(memory.get(), static_cast<off_t>(bytes)) == 0 && ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  return works ? std::move(memory) : Fd();
}

void write_head(shown::Header& head, std::size_t parts, std::size_t lines) {
  const octavo::detail::Visit visit;  // it does not end meanwhile
  const auto* endpoint = octavo::detail::Endpoint::current();
  const ProcessFacts here = endpoint != nullptr ? endpoint->around().self : ProcessFacts();
  put(head.version, shown::version);
  put(head.parts, parts);
  put(head.lines, lines);
  put(head.agent, here.address.agent);
  put(head.incarnation, here.address.incarnation);
  put(head.object, here.address.object);
  put(head.pid, static_cast<std::uint64_t>(::getpid()));
  const std::chrono::duration<double> begun = std::chrono::system_clock::now().time_since_epoch();
  put(head.begun, std::bit_cast<std::uint64_t>(begun.count()));
  put_text(head.class_name, here.class_name);
  put(head.runs, 1);
}

}  // namespace

// Of the process alone, where none can be shared.
struct Shown::Memory {
  explicit Memory(std::size_t size) : bytes(size), shared(memory_of(size)) {
    at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, shared.get(), 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
  }
  ~Memory() { ::munmap(at, bytes); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] shown::Header& head() const noexcept { return *static_cast<shown::Header*>(at); }
  const std::size_t bytes;
  Fd shared;
  void* at;
};

namespace {

std::size_t lines_of(const std::vector<ShownPart>& parts) {
  std::size_t sum = 0;
  for (const auto& each : parts) sum += each.lines;
  return sum;
}

}  // namespace

Shown::Shown(const std::vector<ShownPart>& parts) : memory_(std::make_unique<Memory>(shown::bytes_for(parts.size(), lines_of(parts)))) {
  auto& head = memory_->head();
  auto* part = reinterpret_cast<shown::Part*>(&head + 1);
  auto* line = reinterpret_cast<Counters*>(part + parts.size());
  for (const auto& each : parts) {
    put(part->what, static_cast<std::uint64_t>(each.what));
    put(part->workers, each.workers);
    put(part->lines, each.lines);
    put_text(part->name, each.name);
    put_text(part->place, each.place);
    lines_.push_back(line);
    line += each.lines;
    ++part;
  }
  write_head(head, parts.size(), lines_of(parts));
  put(head.magic, shown::magic);
}

Shown::~Shown() = default;

void Shown::hide() noexcept { put(memory_->head().runs, 0); }

void Shown::end() noexcept {
  hide();
  memory_->shared.reset();
}

}  // namespace octavo::stream
