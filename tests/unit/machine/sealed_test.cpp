// SPDX-License-Identifier: Apache-2.0
// Shared memory keeps its size: a process that has it cannot cut it, which would end all others that use it by SIGBUS.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "machine/board/board.hpp"
#include "machine/locks/lock_words.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo {
namespace {

void expect_sealed(int memory, const char* what) {
  constexpr int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  EXPECT_EQ(::fcntl(memory, F_GET_SEALS) & wanted, wanted) << what;
  EXPECT_NE(::ftruncate(memory, 0), 0) << what;
}

TEST(Sealed, AllSharedMemoryIs) {
  expect_sealed(road::Doorbell::make().descriptor(), "a doorbell");
  expect_sealed(road::Doorbell::make_polled().descriptor(), "a polled doorbell");
  expect_sealed(Pool::make(1 << 20).get(), "a pool");  // of huge pages, where some are reserved
  expect_sealed(StatusBoard::make(agent_kind::program, {}).get(), "a status board");
  expect_sealed(LockWords::make().get(), "the words of the locks");
}

}  // namespace
}  // namespace octavo
