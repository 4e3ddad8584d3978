// SPDX-License-Identifier: Apache-2.0
// Two machines, as far as the network goes: two network namespaces joined by a cable (veth), each with eth0 and the loopback device.
// This process's descriptors alone hold them, so the kernel removes them when it ends, however it does. Needs root and iproute2.
//
//   if (auto why = kit::TwoHosts::missing(); !why.empty()) GTEST_SKIP() << why;
//   kit::TwoHosts hosts;
//   auto listener = hosts.on(0, [&] { return std::make_unique<road::TlsListener>(hosts.address(0), 0, key); });
//   hosts.run(1, "ip link set eth0 down");
//
// What is made on a host (a socket) stays there, whichever thread uses it.
#pragma once

#include <array>
#include <future>
#include <string>
#include <thread>

#include "octavo/base/fd.hpp"

namespace octavo::kit {

class TwoHosts {
 public:
  static std::string missing();  // why there can be none here; empty if there can
  TwoHosts();                    // throws io_error

  [[nodiscard]] std::string address(int host) const { return "10.77.0." + std::to_string(host + 1); }
  [[nodiscard]] std::string path(int host) const;        // for `nsenter --net=`
  void run(int host, const std::string& command) const;  // throws io_error with what it said if it fails
  void enter(int host) const;                            // this thread, for good

  // On a thread of its own.
  template <class Work>
  auto on(int host, Work work) const -> decltype(work()) {
    return std::async(std::launch::async,
                      [&] {
                        enter(host);
                        return work();
                      })
        .get();
  }

  // Packets vanish, both ways, and nobody is told: they go to an address that no network card has.
  void cut() const;
  void join() const;

 private:
  std::array<Fd, 2> namespaces_;
};

}  // namespace octavo::kit
