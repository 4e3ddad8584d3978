// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/runtime.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "machine/agent/agent_main.hpp"
#include "machine/host/entries.hpp"
#include "machine/spawn.hpp"
#include "machine/sweeper/sweeper_main.hpp"
#include "octavo/base/log.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/machine/detail/interrupts.hpp"
#include "octavo/machine/engine_named.hpp"
#include "process/attached_endpoint.hpp"
#include "process/forked.hpp"
#include "process/orderly_end.hpp"

namespace octavo {

namespace {

// What a server must not inherit from code that ran before its Runtime.
void warn_of_early_threads() {
  if (!has_one_thread()) log_line("threads were running before octavo::Runtime: make it the first statement of main");
  if (entries_of("/proc/self/fd") > 5)
    log_line("descriptors were open before octavo::Runtime: make it the first statement of main");  // 0 1 2, control, the listing's own
}

// A program may be started with some of them closed (`1>&-`): what is opened next would take their place, here and in its objects.
void open_standard_descriptors() {
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(each, F_GETFD) == -1 && errno == EBADF) (void)::open("/dev/null", O_RDWR);
}

// Never returns, but by an exception.
void serve(detail::Endpoint& endpoint, detail::OrderlyEnd& end, const ServerHooks& hooks) {
  auto& server = endpoint.server();
  if (hooks.finish) server.set_finish([&end](const auto& destroy) { end.finish(destroy); });
  endpoint.serve();
  end.serving_is_over();
  if (endpoint.around().links.orphaned()) std::set_terminate([] { std::_Exit(0); });  // a destructor calls another object, which answers no more
  server.destroy_object();
  std::fflush(nullptr);
  std::_Exit(0);  // threads of the object's libraries must not see statics go
}

}  // namespace

void serve_if_asked(const ServerHooks& hooks) {
  be_agent_if_asked();
  be_sweeper_if_asked();
  const char* asked = std::getenv(spawn::server_variable);
  if (asked == nullptr) return;
  int control = std::atoi(asked);
  const bool forked = std::strcmp(asked, spawn::forked_server) == 0;
  ::unsetenv(spawn::server_variable);
  ::fcntl(control, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // C-7; if the program is gone already, the control socket says so
  detail::leave_interrupts_to_program();
  detail::leave_end_of_job_to_agent();
  ::pthread_atfork(nullptr, nullptr, &detail::take_interrupts_again);
  std::signal(SIGPIPE, SIG_IGN);
  if (!forked) warn_of_early_threads();
  int status = 0;
  try {
    detail::OrderlyEnd end(hooks);
    detail::AttachedEndpoint attached(Fd(control), detail::Peers::role::process, runtime_reach::program, std::make_shared<detail::ThreadHost>(),
                                      detail::all_features(), [&end](const OwnRow& row) { end.agent_is_lost(row); });
    serve(attached.endpoint(), end, hooks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: %s\n", e.what());
    status = 1;
  }
  std::_Exit(status);
}

struct Runtime::Parts {
  explicit Parts(const RuntimeOptions& options)
      : agent({.machine = {},
               .pool_bytes = options.memory,
               .ring_bytes = options.ring_bytes,
               .measure = options.measure,
               .engine = options.engine,
               .home = options.home,
               .silence = options.silence,
               .keep_children = options.keep_children}),
        engine(options.engine),
        attached(agent.join(), detail::Peers::role::program, options.reach, threads.host, detail::all_features()) {
    attached.endpoint().around().agent.set_note_environment([this] { agent.note_environment(); });
  }
  // Of a process that was forked off the owner everything here is a copy without its threads, on memory that the owner goes on using.
  void check_owner() const {
    if (::getpid() != owner) detail::raise_forked(owner);
  }
  [[nodiscard]] const ProcessFacts& self() { return attached.endpoint().around().self; }
  const pid_t owner = ::getpid();
  // The objects on threads end when their agent does, and are waited for then.
  struct Threads : NoCopy {
    std::shared_ptr<detail::ThreadHost> host = std::make_shared<detail::ThreadHost>();
    ~Threads() { host->join_all(); }
  } threads;
  Agent agent;
  std::shared_ptr<Engine> engine;
  detail::AttachedEndpoint attached;
};

// Without this a program would run itself again without end.
Runtime::Runtime(RuntimeOptions options) {  // NOLINT(performance-unnecessary-value-param): what it is given may be a temporary
  serve_if_asked();
  open_standard_descriptors();
  if (!options.engine && options.reach == runtime_reach::program) options.engine = engine_of_environment();
  parts_ = std::make_unique<Parts>(options);
}

Runtime::Runtime(int, char**, RuntimeOptions options) : Runtime(std::move(options)) {}

// In a forked process it is left as it lies: its threads cannot be joined, and what it would say is not for this process to say.
Runtime::~Runtime() {
  if (parts_ && parts_->owner != ::getpid()) (void)parts_.release();
}

Machine Runtime::machine(std::string_view name) const {
  parts_->check_owner();
  const std::string& here = parts_->self().machine;
  if (name == "local" || name == "localhost" || name == here) return Machine(here);
  std::string known = "'" + here + "' (this one)";
  for (const auto& other : parts_->engine ? parts_->engine->machines() : std::vector<std::string>()) {
    if (other == name) return Machine(other);
    known += ", '" + other + "'";
  }
  throw usage_error("there is no machine '" + std::string(name) + "'", "Known are " + known);
}

std::vector<std::string> Runtime::machines() const {
  std::vector<std::string> names{parts_->self().machine};
  if (!parts_->engine) return names;
  auto others = parts_->engine->machines();
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

MachineFacts Machine::facts() const { return detail::Endpoint::require().around().agent.ask<control::Facts>(control::AskFacts{0, name_}).facts; }

struct Runtime::Use::Scope {
  explicit Scope(detail::Endpoint& endpoint) : use(endpoint) {}
  detail::Endpoint::Use use;
};
Runtime::Use::Use(std::unique_ptr<Scope> scope) : scope_(std::move(scope)) {}
Runtime::Use::~Use() = default;
Runtime::Use Runtime::use() const {
  parts_->check_owner();
  return Use(std::make_unique<Use::Scope>(parts_->attached.endpoint()));
}

std::vector<ProcessFacts> Runtime::processes() const {
  parts_->check_owner();
  return parts_->attached.endpoint().around().agent.ask<control::Listing>(control::List{}).processes;
}
void Runtime::kill(const Address& who, int signal) const {
  parts_->check_owner();
  parts_->attached.endpoint().around().agent.ask<control::Done>(control::Kill{0, who, signal});
}
std::int64_t Runtime::memory_peak() const { return parts_->agent.peak_bytes(); }
std::int64_t Runtime::program_peak() const { return parts_->agent.peak_program_bytes(); }

Pool& job_pool() { return detail::Endpoint::require().around().pool; }
std::uint64_t road_bytes_sent() { return detail::Endpoint::require().around().links.bytes_sent(); }

}  // namespace octavo
