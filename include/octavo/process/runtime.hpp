// SPDX-License-Identifier: Apache-2.0
// The first statement of main, and the machines objects are placed on.
//
//   int main(int argc, char** argv) {
//     octavo::Runtime runtime(argc, argv);
//     auto here = runtime.machine();                              // this machine; machine("name") for another
//     auto p = here.make<Counter>(5);                             // octavo::remote_ptr<Counter>, in a process of its own
//     auto q = octavo::start(here).make<Counter>(6);              // a future of one: processes are made in parallel (C-10)
//   }
//
// A program serves its own classes by running itself again; in such a server Runtime never returns. Octavo's own classes are
// served by octavo-server. At the end of the Runtime all its processes end. One Runtime at a time in a program; besides it there may be
// others with a budget and processes of their own (runtime_reach::scope), which are in force on a thread while `runtime.use()` is held.
// A process that was forked off one with a Runtime has none of it: to use it, or what was made under it, is a usage_error; it may make its own.
// Errors: usage_error (unknown machine, second Runtime), io_error, refused; make() throws what the constructor threw.
#pragma once

#include <functional>

#include "octavo/machine/engine.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/process/place.hpp"

namespace octavo {

enum class runtime_reach : std::uint8_t { program, scope };

struct RuntimeOptions {
  std::int64_t memory = 0;      // bytes of the pool that pages live in, on each machine; 0: a quarter of what there is
  std::int64_t ring_bytes = 0;  // of each direction of a connection; 0: 128 KiB
  bool measure = false;         // sample what the processes use, for memory_peak()
  runtime_reach reach = runtime_reach::program;
  std::shared_ptr<Engine> engine = {};       // of other machines (machine/engine.hpp); none: this one is all
  std::string home = {};                     // where objects with names are kept; empty: $OCTAVO_HOME, or octavo/ in the user's state directory
  std::chrono::milliseconds silence{10000};  // after which another machine is lost, and its calls fail
  bool keep_children = false;                // the processes that objects without names start outlive them (C-7)
};

class Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  Runtime(int argc, char** argv, RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Makes this Runtime the calling thread's while the result lives.
  class [[nodiscard]] Use;
  [[nodiscard]] Use use() const;

  // This machine; "local", "localhost" and its own name name it too.
  [[nodiscard]] Machine machine(std::string_view name = "local") const;
  // The names of all there are, this one first.
  [[nodiscard]] std::vector<std::string> machines() const;
  // All processes that are alive, the program first.
  [[nodiscard]] std::vector<ProcessFacts> processes() const;
  // Sends a signal. Throws gone_error, usage_error for an object that has no process of its own.
  void kill(const Address& who, int signal) const;
  // With options.measure: the highest sum of anonymous and shared memory of all processes, and the program's own share.
  [[nodiscard]] std::int64_t memory_peak() const;
  [[nodiscard]] std::int64_t program_peak() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

class Runtime::Use {
 public:
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  friend class Runtime;
  struct Scope;
  explicit Use(std::unique_ptr<Scope> scope);
  std::unique_ptr<Scope> scope_;
};

// Of a server whose objects are another language's.
struct ServerHooks {
  // Another thread than the methods' asks the running one to return, as the program ends. False: it does not hear.
  std::function<bool()> interrupt;
  // Before the process ends in order: has the object destroyed, then does what its language does at the end of a program.
  std::function<void(const std::function<void()>& destroy)> finish;
};
// If this program was started as a server: serves, and never returns. Runtime's constructor does so too.
void serve_if_asked(const ServerHooks& hooks = {});

// The page pool of this job, for Page. Throws usage_error without a Runtime.
Pool& job_pool();

// Bytes this process has put on its roads (headers, arguments, results): pages are not among them.
std::uint64_t road_bytes_sent();

}  // namespace octavo
