// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/daemon.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

// The daemon listens, is stopped, and its backlog is full: a program that connects now can still be told to end.
TEST(Daemon, OneThatTakesNobodyHoldsNobody) {
  kit::Watchdog watchdog{30};
  registry_test::Folder folder;
  Fd lock(::open((folder / "agent.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, (folder / "agent.sock").c_str(), sizeof name.sun_path - 1);
  const auto* address = reinterpret_cast<const sockaddr*>(&name);
  Fd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listening.get(), address, sizeof name), 0);
  ASSERT_EQ(::listen(listening.get(), 0), 0);
  std::vector<Fd> waiting;
  for (bool full = false; !full;) {
    Fd each(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    full = ::connect(each.get(), address, sizeof name) != 0;
    waiting.push_back(std::move(each));
  }
  std::jthread reaching([&](const std::stop_token& stop) { EXPECT_THROW(daemon::reach(folder.path(), "here", stop), gone_error); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it waits at the door by now; if not, it is told before, which is the easier case
  reaching.request_stop();
  reaching.join();
}

}  // namespace
}  // namespace octavo
