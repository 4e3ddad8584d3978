// SPDX-License-Identifier: Apache-2.0
// Runs code that is made of ModelSteps (model/steps.hpp) in every order of its steps, and with every value that the memory (model/memory.hpp) may give.
//
//   Model<TsoMemory> model;
//   BasicBiasedLock<ModelSteps<TsoMemory, 1>> lock;
//   const auto found = model.explore({work, work});     // each: int(int at): does a piece of work, says where to go on; `end`: nowhere
//   EXPECT_EQ(found.complaint, "") << found.trace;
//
// Each access to an atomic and each barrier is one step. A state is the memory and, for each thread, where it is in its work and what that piece has read
// so far; states that were reached before are not gone on from, so all orders are looked at and it ends. It goes into a piece of work by running that
// from its start with what it read, and leaves it by longjmp: a piece must have no local variable with a destructor, and keep what it remembers in Plain.
// It is a fault if a state is reached from which the threads cannot all end, whoever is chosen from then on: a lock that is lost, a wait for ever.
// Threading: one thread.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kit/model/cpp_memory.hpp"
#include "kit/model/tso_memory.hpp"

namespace octavo::kit::model {

enum class step : std::uint8_t { none, load, store, exchange, barrier, other, read_plain };

// What a thread is about to do, for a test that puts a fault in.
struct Access {
  step what = step::none;
  int place = -1;   // which atomic, or which plain, in the order in which they were made
  Value value = 0;  // that is written
  std::memory_order order{};
  int thread = 0;
  step before = step::none;  // what the thread did before in this piece of work,
  int place_before = -1;     // and where
  bool left_out = false;
  Value gives_instead = 0;

  [[nodiscard]] bool loads(int from) const noexcept { return what == step::load && place == from; }
  [[nodiscard]] bool stores(int at) const noexcept { return what == step::store && place == at; }
  void leave_out(Value gives = 0) noexcept { left_out = true, gives_instead = gives; }
};

struct Found {
  std::string complaint, trace;  // of the shortest way to a fault; empty: none
  std::size_t states = 0, steps = 0;
};

using Work = std::function<int(int at)>;
constexpr int end = 255;
inline constexpr char stuck[] = "from here the threads can never all end";  // a complaint

template <class Memory>
class Model {
 public:
  Model() { here_ = this; }
  static Model& here() noexcept { return *here_; }
  static void breaks(const char* complaint) { here_->fail(complaint); }

  std::function<void(Access&)> fault;
  std::vector<std::string> names;  // of the places, for the trace
  std::size_t most_states = 4'000'000;

  Found explore(const std::vector<Work>& threads);  // explore.cpp

  // --- by ModelSteps and by the work ---
  [[nodiscard]] int thread() const noexcept { return thread_; }
  int new_place(Value value);
  int new_plain(Value value);
  Value load(int place, std::memory_order order);
  void store(int place, std::memory_order order, Value value);
  Value exchange(int place, std::memory_order order, Value value);
  Value add(int place, std::memory_order order, Value value);
  bool exchange_if(int place, Value& expected, Value value);
  void barrier();
  // The thread looks at the same place again: nothing that it remembers has changed since it first did.
  void wait() noexcept;
  Value read_plain(int plain);
  void write_plain(int plain, Value value);
  // As a condition variable does whose mutex each thread takes that rings: sleep() ends when another thread has rung since the last sleep().
  void sleep();
  void ring();

 private:
  static constexpr int most_seen = 40;
  struct Thread {
    std::uint8_t at = 0, count = 0;
    std::array<Value, most_seen> seen{};  // in this piece of work
  };
  struct State {
    Memory memory;
    std::array<Thread, most_threads> threads{};
    std::uint8_t rung = 0;
  };
  struct Search;
  enum class ran : std::uint8_t { stepped, blocked, broke };

  ran run(State& state, int thread, int choice);
  template <class Do>
  Value take_step(Access access, const Do& act);
  template <class Do>
  Value take_plain(const Do& act);
  void remember(Value value);
  [[noreturn]] void fail(const char* complaint);
  [[noreturn]] void pause() { std::longjmp(out_, 1); }
  void describe(const Access& access, Value gave);

  static inline Model* here_ = nullptr;
  State first_;
  int places_ = 0, plains_ = 0;
  const std::vector<Work>* work_ = nullptr;
  // Of the run.
  std::jmp_buf out_;
  State* state_ = nullptr;
  int thread_ = 0, choice_ = 0, options_ = 1, cursor_ = 0;
  bool stepped_ = false, blocked_ = false;
  const char* complaint_ = nullptr;
  step before_ = step::none;
  int place_before_ = -1;
  std::array<int, most_places> waits_from_{};
  std::string* tell_ = nullptr;
};

extern template class Model<TsoMemory>;
extern template class Model<CppMemory>;

}  // namespace octavo::kit::model
