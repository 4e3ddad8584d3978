// SPDX-License-Identifier: Apache-2.0
#include "kit/two_hosts.hpp"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "octavo/base/error.hpp"

namespace octavo::kit {

namespace {

void shell(const std::string& command) {
  std::string said;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(("(" + command + ") 2>&1").c_str(), "re"), nullptr);
  if (!pipe) throw io_error_from(errno, "running '" + command + "'");
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr) said += part.data();
  if (::pclose(pipe.release()) != 0) throw io_error("'" + command + "' failed: " + said);
}

Fd new_namespace() {
  return std::async(std::launch::async,
                    [] {
                      if (::unshare(CLONE_NEWNET) != 0) throw io_error_from(errno, "making a network namespace");
                      return Fd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
                    })
      .get();
}

}  // namespace

std::string TwoHosts::missing() {
  try {
    shell("ip -V && tc -V");
    TwoHosts probe;
    return "";
  } catch (const error& why) {
    return std::string("no two hosts can be played here: ") + why.what();
  }
}

TwoHosts::TwoHosts() : namespaces_{new_namespace(), new_namespace()} {
  run(0, "ip link add eth0 address 02:77:00:00:00:01 type veth peer name eth0 address 02:77:00:00:00:02 netns " + path(1));
  for (int host : {0, 1}) run(host, "ip link set lo up && ip addr add " + address(host) + "/24 dev eth0 && ip link set eth0 up");
}

std::string TwoHosts::path(int host) const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(namespaces_.at(static_cast<std::size_t>(host)).get());
}

void TwoHosts::enter(int host) const {
  if (::setns(namespaces_.at(static_cast<std::size_t>(host)).get(), CLONE_NEWNET) != 0) throw io_error_from(errno, "entering a network namespace");
}

void TwoHosts::run(int host, const std::string& command) const {
  on(host, [&] { shell(command); });
}

void TwoHosts::cut() const {
  for (int host : {0, 1}) run(host, "ip neigh replace " + address(1 - host) + " lladdr 02:77:00:00:00:99 nud permanent dev eth0");
}

void TwoHosts::join() const {
  for (int host : {0, 1})
    run(host, "ip neigh replace " + address(1 - host) + " lladdr 02:77:00:00:00:0" + std::to_string(2 - host) + " nud permanent dev eth0");
}

}  // namespace octavo::kit
