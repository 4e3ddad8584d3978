// SPDX-License-Identifier: Apache-2.0
#include "link/by_files.hpp"

#include <octavo/base/error.hpp>
#include <thread>
#include <vector>

#include "kit/beside.hpp"
#include "kit/clock.hpp"
#include "kit/engines/surroundings.hpp"
#include "link/far_end.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace bench::files {

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::kit::TemporaryDirectory;

constexpr int messages = 500;
constexpr auto waited = std::chrono::seconds(1);

class Connection {
 public:
  Connection() : run_(place_.path().string()), at_(road::files::connect(run_.path())) {}
  [[nodiscard]] std::unique_ptr<road::files::FilesLink> dialer(bool inotify = true) const {
    return open(road::files::to_dialer(at_), road::files::to_owner(at_), inotify);
  }
  [[nodiscard]] std::unique_ptr<road::files::FilesLink> owner(bool inotify = true) const {
    return open(road::files::to_owner(at_), road::files::to_dialer(at_), inotify);
  }

 private:
  [[nodiscard]] std::unique_ptr<road::files::FilesLink> open(const std::string& in, const std::string& out, bool inotify) const {
    return std::make_unique<road::files::FilesLink>(road::files::FilesLink::Ends{.in = in, .out = out, .connection = at_}, inotify);
  }
  TemporaryDirectory place_;
  road::files::RunDirectory run_;
  std::string at_;
};

// Between two processes.
template <class Measure>
double between_two(Measure measure) {
  const Connection connection;
  return beside(
      [&] {
        const auto link = connection.dialer();
        serve_far_end(*link);
      },
      [&] { return measure(NearEnd(connection.owner())); }, "takes messages");
}

double operations_waiting(bool inotify) {
  const Connection connection;
  const auto here = connection.owner(inotify), there = connection.dialer(inotify);
  std::byte one{};
  for (int i = 0; i < 3; ++i) {  // until inotify has told of something
    send_all(*there, ByteView(&one, 1));
    receive_all(*here, ByteSpan(&one, 1));
  }
  const auto before = here->operations();
  std::jthread last([&] {
    std::this_thread::sleep_for(waited);
    send_all(*there, ByteView(&one, 1));
  });
  receive_all(*here, ByteSpan(&one, 1));
  return static_cast<double>(here->operations() - before);
}

}  // namespace

double half_trip(std::size_t bytes, int trips) {
  return between_two([=](const NearEnd& near) { return near.half_trip(bytes, trips); });
}
double bytes_per_second(std::size_t bytes) {
  return between_two([bytes](const NearEnd& near) { return near.bytes_per_second(bytes); });
}

double operations_a_message() {
  const Connection connection;
  const auto here = connection.owner(), there = connection.dialer();
  std::byte one{}, other{};
  std::uint64_t before = 0;
  std::jthread echo([&] {
    for (int i = 0; i <= messages; ++i) {
      receive_all(*there, ByteSpan(&other, 1));
      send_all(*there, ByteView(&other, 1));
    }
  });
  for (int i = 0; i <= messages; ++i) {
    send_all(*here, ByteView(&one, 1));
    receive_all(*here, ByteSpan(&one, 1));
    if (i == 0) before = here->operations();
  }
  return static_cast<double>(here->operations() - before) / messages;  // one sent and one received, by this side
}

double operations_a_waiting_second() { return operations_waiting(true); }
double operations_a_second_by_looking() { return operations_waiting(false); }

double a_file(std::size_t bytes) {
  const TemporaryDirectory place;
  road::files::Folder folder(place.path().string());
  const std::vector<std::byte> from(bytes);
  std::vector<std::byte> to(bytes + 1);
  const ByteView piece(from);
  const auto begin = Clock::now();
  for (std::uint64_t i = 1; i <= messages; ++i) {
    folder.put(i, std::span(&piece, 1));
    static_cast<void>(folder.read(i, to));
    folder.remove(i);
  }
  return seconds_since(begin) / messages;
}

}  // namespace bench::files
