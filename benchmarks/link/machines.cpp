// SPDX-License-Identifier: Apache-2.0
#include "link/machines.hpp"

#include <cstring>
#include <octavo/machine/ssh.hpp>
#include <vector>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr int trips = 2000, pages = 24, warm = 4;

octavo::RuntimeOptions options(const octavo::kit::TwoHosts& hosts) {
  octavo::SshOptions how;
  how.address = hosts.address(0);
  how.shell = {"nsenter", "--net=" + hosts.path(1)};
  octavo::RuntimeOptions options;
  options.engine = octavo::ssh({"node"}, how);
  return options;
}

}  // namespace

Machines::Machines(const octavo::kit::TwoHosts& hosts)
    : runtime_(std::make_unique<octavo::Runtime>(options(hosts))), there_(runtime_->machine("node").make<Receiver>()) {}
Machines::~Machines() = default;

double Machines::round_trip() const {
  for (int i = 0; i < trips / 10; ++i) there_->add(1);
  auto begin = Clock::now();
  for (int i = 0; i < trips; ++i) there_->add(1);
  return seconds_since(begin) / trips;
}

// One page is sent again and again, and stays here: it is shared, not given away.
double Machines::bytes_per_second(std::size_t page_bytes) const {
  octavo::Page page(static_cast<std::int64_t>(page_bytes));
  std::memset(page.mutable_data(), 1, page_bytes);
  auto some = [&](int count) {
    std::vector<octavo::future<void>> sent;
    sent.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) sent.push_back(octavo::start(there_)->take(page));
    for (auto& each : sent) each.get();
  };
  some(warm);
  auto begin = Clock::now();
  some(pages);
  return pages * static_cast<double>(page_bytes) / seconds_since(begin);
}

}  // namespace bench
