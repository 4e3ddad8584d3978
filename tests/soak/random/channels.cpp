// SPDX-License-Identifier: Apache-2.0
// Channels whose ends move from worker to worker, close, cancel and die. Only this strand's own workers read, and no worker that reads writes: so each writer
// that waits for room is read from.
#include <array>
#include <csignal>
#include <thread>

#include "random/strand.hpp"

namespace soak {

namespace {

ov::ChannelBound some_bound(std::uint64_t choice) {
  ov::ChannelBound bound;
  if (choice % 3 == 0) bound.messages = 1 + choice % 7;
  if (choice % 5 == 0) bound.bytes = 4096;
  return bound;
}

// What the end of the other says, at last.
void expect_end(const std::function<void()>& use, const char* what) {
  try {
    use();
  } catch (const ov::error& e) {
    if (e.kind() != ov::error_kind::gone) throw;
    return;
  }
  throw wrong(std::string("no end was told of ") + what);
}

class ChannelScenes {
 public:
  ChannelScenes(World& world, std::mt19937_64& random, std::deque<Party>& own) : world_(world), random_(random), own_(own) {}
  void ends_that_move();
  void reader_that_ends();
  void writer_that_ends();
  void ends_in_messages();

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  Party& any() { return world_.workers[below(world_.workers.size())]; }

  World& world_;
  std::mt19937_64& random_;
  std::deque<Party>& own_;
};

// Each goes its own way at the same time: parts of the messages are written here, and by others; and read so.
void ChannelScenes::ends_that_move() {
  const std::uint64_t count = below(300);
  auto [out, in] = ov::channel<Item>(some_bound(below(100)));
  std::vector<std::pair<Party*, std::uint64_t>> parts;  // by whom (null: this thread) how many are written
  for (std::uint64_t left = count; left != 0;) {
    parts.emplace_back(below(3) == 0 ? nullptr : &any(), 1 + below(left));
    left -= parts.back().second;
  }
  std::exception_ptr failed;
  std::thread writing([&, writer = std::move(out)]() mutable {
    try {
      std::uint64_t next = 0;
      for (const auto& [by, some] : parts) {
        if (by != nullptr) writer = by->pointer->write(std::move(writer), next, some);
        else
          for (std::uint64_t i = next; i < next + some; ++i) writer.post(Item::make(0, i));
        next += some;
      }
      writer.close();
    } catch (...) {
      failed = std::current_exception();
      writer.close(true);
    }
  });
  std::exception_ptr wrong_here;
  try {
    for (std::uint64_t next = 0; next < count;) {
      const std::uint64_t some = 1 + below(count - next);
      if (below(3) != 0) {
        in = own_[below(own_.size())].pointer->read(std::move(in), next, some);
      } else {
        for (std::uint64_t i = next; i < next + some; ++i) in.retrieve().value().check(0, i);
      }
      next += some;
    }
    if (in.retrieve()) throw wrong("a message more than was posted");
  } catch (...) {
    wrong_here = std::current_exception();
    in.cancel();
  }
  writing.join();
  if (failed) std::rethrow_exception(failed);
  if (wrong_here) std::rethrow_exception(wrong_here);
}

// It cancels, or its process is killed.
void ChannelScenes::reader_that_ends() {
  auto [out, in] = ov::channel<Item>(some_bound(below(100)));
  const auto victim = make_worker(world_, below(world_.places.size()), random_());
  const std::uint64_t before = below(50);
  auto reading = ov::start(victim)->read(std::move(in), 0, before);
  for (std::uint64_t i = 0; i < before; ++i) out.post(Item::make(0, i));
  auto back = reading.get();
  const bool is_killed = below(2) == 0;
  if (is_killed) {
    victim->hold(std::move(back));
    world_.runtime.kill(victim.address(), SIGKILL);
  } else {
    back.cancel();
  }
  expect_end(
      [&writer = out] {
        for (std::uint64_t i = 0; i < 100'000; ++i) writer.post(Item::make(0, 0));
      },
      "a reader");
  if (!is_killed) ov::destroy(victim);
}

void ChannelScenes::writer_that_ends() {
  auto [out, in] = ov::channel<Item>(some_bound(below(100)));
  const auto victim = make_worker(world_, below(world_.places.size()), random_());
  const std::uint64_t count = 1 + below(50), most = 100'000;
  const bool is_killed = below(2) == 0;
  auto writing = ov::start(victim)->write(std::move(out), 0, is_killed ? most : count);
  if (is_killed) {
    std::uint64_t next = 0;
    expect_end(
        [&, &reader = in] {
          for (;; ++next) {
            if (next == count) world_.runtime.kill(victim.address(), SIGKILL);
            auto item = reader.retrieve();
            if (!item) break;
            item->check(0, next);
          }
        },
        "a writer");
    if (next < count) throw wrong("what had come before was lost");
    expect_end([&] { static_cast<void>(writing.get()); }, "a call");
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) in.retrieve().value().check(0, i);
  writing.get().close();
  if (in.retrieve()) throw wrong("a message more than was posted");
  ov::destroy(victim);
}

// Readers of channels go through a channel, whose reader may move while they lie in it.
void ChannelScenes::ends_in_messages() {
  const std::uint64_t count = 1 + below(8);
  auto [give, take] = ov::channel<ItemReader>();
  std::vector<ItemWriter> writers;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto [out, in] = ov::channel<Item>();
    writers.push_back(std::move(out));
    give.post(std::move(in));
  }
  give.close();
  const auto reader = below(3) == 0 ? nullptr : &own_[below(own_.size())];
  std::uint64_t next = 0;
  for (std::optional<ItemReader> in; (in = take.retrieve()); ++next) {
    auto writing = ov::start(any().pointer)->write(std::move(writers.at(next)), 0, 5);
    if (reader != nullptr) *in = reader->pointer->read(std::move(*in), 0, 5);
    else
      for (std::uint64_t i = 0; i < 5; ++i) in->retrieve().value().check(0, i);
    writing.get().close();
    if (in->retrieve()) throw wrong("a message more than was posted");
  }
  expect("how many ends came", next, count);
}

}  // namespace

void Strand::channels() {
  using Scenes = ChannelScenes;
  constexpr std::array scenes{&Scenes::ends_that_move, &Scenes::reader_that_ends, &Scenes::writer_that_ends, &Scenes::ends_in_messages};
  Scenes of_this(world_, random_, own_);
  (of_this.*scenes[below(scenes.size())])();
}

}  // namespace soak
