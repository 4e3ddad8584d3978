// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/lock_words.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "octavo/base/error.hpp"

namespace octavo {

Fd LockWords::make() {
  Fd memory(::memfd_create("octavo-locks", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ::ftruncate(memory.get(), sizeof(Memory)) != 0 || ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw io_error_from(errno, "making the memory of an agent's locks");
  return memory;
}

LockWords::LockWords(const Fd& memory) {
  void* at = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping the locks of an agent");
  memory_ = static_cast<Memory*>(at);  // zeros, which are free mutexes
}

LockWords::~LockWords() { ::munmap(memory_, sizeof(Memory)); }

}  // namespace octavo
