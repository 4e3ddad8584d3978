// SPDX-License-Identifier: Apache-2.0
// The paper's way, as pPython does it: the sender writes the message, then an empty lock file; the reader asks again and again whether that is there, reads the
// message and removes both.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <octavo/base/bytes.hpp>
#include <octavo/base/fd.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kit/beside.hpp"
#include "kit/clock.hpp"
#include "kit/engines/surroundings.hpp"
#include "link/by_files.hpp"

namespace bench::files::lock {

namespace {

constexpr int trips = 500, pages = 16;
constexpr auto waited = std::chrono::seconds(1);

class Messages {
 public:
  Messages(std::string directory, std::string name) : at_(std::move(directory) + "/" + std::move(name)) {}

  void send(octavo::ByteView bytes) {
    const std::string message = at_ + std::to_string(sent_), lock = message + ".lock";
    ++sent_;
    const octavo::Fd file(::open(message.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file || ::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("no message can be written");
    const octavo::Fd made(::open(lock.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    operations_ += 3;
  }
  void receive(octavo::ByteSpan bytes) {
    const std::string message = at_ + std::to_string(received_), lock = message + ".lock";
    ++received_;
    struct stat facts {};
    do ++operations_;
    while (::stat(lock.c_str(), &facts) != 0);
    const octavo::Fd file(::open(message.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file || ::read(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("no message can be read");
    ::unlink(message.c_str());
    ::unlink(lock.c_str());
    operations_ += 4;
  }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  std::string at_;
  std::uint64_t sent_ = 0, received_ = 0, operations_ = 0;
};

}  // namespace

double half_trip(std::size_t bytes, int trips) {
  const octavo::kit::TemporaryDirectory place;
  Messages there(place.path().string(), "a"), back(place.path().string(), "b");
  std::vector<std::byte> room(bytes);
  const auto echo = [&] {
    for (int i = 0; i < trips; ++i) {
      there.receive(room);
      back.send(room);
    }
  };
  const auto here = [&] {
    const auto begin = Clock::now();
    for (int i = 0; i < trips; ++i) {
      there.send(room);
      back.receive(room);
    }
    return seconds_since(begin) / trips / 2;
  };
  return beside(echo, here, "answers by message and lock file");
}

double bytes_per_second(std::size_t bytes) {
  const octavo::kit::TemporaryDirectory place;
  Messages there(place.path().string(), "a"), back(place.path().string(), "b");
  std::vector<std::byte> room(bytes);
  const int count = bytes > (64U << 20) ? 4 : pages;
  const auto take = [&] {
    for (int i = 0; i < count; ++i) {
      there.receive(room);
      back.send(octavo::ByteView(room).first(1));
    }
  };
  const auto here = [&] {
    std::byte answer{};
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) {
      there.send(room);
      back.receive(octavo::ByteSpan(&answer, 1));
    }
    return count * static_cast<double>(bytes) / seconds_since(begin);
  };
  return beside(take, here, "takes pages by message and lock file");
}

// Those of one side, which polls for the answer.
double operations_a_message() {
  const octavo::kit::TemporaryDirectory place;
  Messages there(place.path().string(), "a"), taken(place.path().string(), "a"), back(place.path().string(), "b"), answers(place.path().string(), "b");
  std::byte one{}, other{};
  std::jthread echo([&] {
    for (int i = 0; i < trips; ++i) {
      taken.receive(octavo::ByteSpan(&other, 1));
      back.send(octavo::ByteView(&other, 1));
    }
  });
  for (int i = 0; i < trips; ++i) {
    there.send(octavo::ByteView(&one, 1));
    answers.receive(octavo::ByteSpan(&one, 1));
  }
  return static_cast<double>(there.operations() + answers.operations()) / trips;
}

double operations_a_waiting_second() {
  const octavo::kit::TemporaryDirectory place;
  Messages sender(place.path().string(), "a"), reader(place.path().string(), "a");
  std::byte one{}, other{};
  std::jthread last([&] {
    std::this_thread::sleep_for(waited);
    sender.send(octavo::ByteView(&other, 1));
  });
  reader.receive(octavo::ByteSpan(&one, 1));
  return static_cast<double>(reader.operations());
}

}  // namespace bench::files::lock
