// SPDX-License-Identifier: Apache-2.0
#include "link/by_ssh.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "kit/clock.hpp"
#include "machine/spawn.hpp"
#include "road/net/ssh/kind.hpp"
#include "road/net/ssh/pipe_link.hpp"

namespace bench {

namespace {

namespace road = octavo::road;
constexpr std::string_view far_end = "--far-end";
constexpr int trips = 1000;

// Of a program with threads that block SIGPIPE; this one's first does not.
std::unique_ptr<road::Link> over(const octavo::kit::Sshd& sshd, const std::vector<std::string>& command) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT
  auto words = sshd.shell();
  words.back() = "there";
  words.insert(words.end(), command.begin(), command.end());
  auto run = octavo::spawn::run_command(words);  // it ends with its input, and is reaped by the end of this program
  return road::ssh::open_pipe_link(std::move(run.output), std::move(run.input));
}

}  // namespace

void be_far_end_if_asked(int argc, char** argv) {
  if (argc != 2 || argv[1] != far_end) return;
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT
  try {
    const auto link = road::ssh::dial_to("0,1", road::ClusterKey::make(), road::never, {});
    serve_far_end(*link);
  } catch (const std::exception&) {  // the other side ends
    std::_Exit(0);
  }
}

NearEnd BySsh::link() const { return NearEnd(over(sshd_, {octavo::spawn::own_program(), std::string(far_end)})); }

double BySsh::half_trip_alone(std::size_t bytes) const {
  const auto link = over(sshd_, {"cat"});
  std::vector<std::byte> room(bytes);
  const auto trip = [&] {
    send_all(*link, room);
    receive_all(*link, room);
  };
  trip();
  const auto begin = Clock::now();
  for (int i = 0; i < trips; ++i) trip();
  return seconds_since(begin) / trips / 2;
}

double BySsh::bytes_per_second_alone(std::size_t bytes) const {
  const std::size_t count = std::max<std::size_t>(2, (256U << 20) / bytes);
  const auto link = over(sshd_, {"head -c " + std::to_string((count + 1) * bytes) + " > /dev/null; echo"});
  const std::vector<std::byte> room(bytes);
  send_all(*link, room);
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < count; ++i) send_all(*link, room);
  std::byte last{};
  receive_all(*link, octavo::ByteSpan(&last, 1));
  return static_cast<double>(count * bytes) / seconds_since(begin);
}

}  // namespace bench
