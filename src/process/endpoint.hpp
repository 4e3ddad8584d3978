// SPDX-License-Identifier: Apache-2.0
// The one object through which this process takes part: its calls, those made to it, and who waits for what.
//
// The thread that waits reads the connections; at most one thread reads at a time (the reader). In a server the main thread
// reads, and runs one method at a time. A watch thread sleeps on the control socket and on the ends of connections.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "octavo/machine/pool.hpp"
#include "octavo/process/detail/method.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/process/runtime.hpp"
#include "process/cycle/probe.hpp"
#include "process/executor.hpp"
#include "process/member/inbox.hpp"
#include "process/named/state_keeper.hpp"
#include "process/peers.hpp"

namespace octavo::detail {

class Endpoint {
 public:
  // `reach`: the whole program, or only where a Use is in force. `host`: of the objects on this process's threads.
  Endpoint(Fd control, Peers::role mine, runtime_reach reach, std::shared_ptr<ThreadHost> host);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // This thread's, else the program's: p->f() has no other way to it. Null without a Runtime.
  static Endpoint* current() noexcept;
  static Endpoint& require();  // throws usage_error

  // Calls made here.
  void call(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out);
  Address make(const std::shared_ptr<StateBase>& state, const Method& constructor, wire::Outgoing& out, const Placement& where);
  bool wait(const std::function<bool()>& done, road::Deadline deadline);
  // Until the call's result is there; in a method of a server, cycles of calls are found meanwhile (C-3).
  bool wait_for(StateBase& state, road::Deadline deadline);
  // True if the call will never run: its state is ready then, with `cancelled`.
  bool cancel(StateBase& state);
  void wake_waiters() noexcept;
  // In the program: from now on what nobody waits for is read too, by a thread that sleeps otherwise.
  void need_progress();

  // Of the thread that runs methods; in the program, of one that reads.
  [[nodiscard]] const std::shared_ptr<Executor>& executor() const noexcept { return executor_; }

  // The errors of calls whose futures were dropped.
  void keep_lost_error(const Address& of, std::exception_ptr error) noexcept;
  std::exception_ptr take_lost_error(const Address& of);

  // As a server: returns when the object was destroyed.
  void serve();
  void send_reply(const std::weak_ptr<road::Connection>& way, std::optional<unsigned> slot, wire::Outgoing& out);
  void reply_is_sent() noexcept { open_replies_.fetch_sub(1, std::memory_order_relaxed); }
  // Before a message's pages are taken out.
  void adopt_pages(wire::Message& message);
  [[nodiscard]] const ProcessFacts& facts() const noexcept { return peers_.self(); }
  [[nodiscard]] Peers& peers() noexcept { return peers_; }
  [[nodiscard]] Pool& pool() noexcept { return peers_.pool(); }
  // As a member of groups (detail/member.hpp).
  [[nodiscard]] Inbox& inbox() noexcept { return inbox_; }
  [[nodiscard]] bool serves() const noexcept { return serving_ != std::thread::id(); }
  [[nodiscard]] Hosted* object() const noexcept { return object_.get(); }
  void send_letter(const Address& to, wire::Outgoing& out);

  // The call that what runs now descends from; 0: none.
  [[nodiscard]] std::uint64_t root() const noexcept { return runs_methods() ? root_ : 0; }
  [[nodiscard]] std::uint64_t new_root(std::uint64_t call) const noexcept { return root_of(facts().address, call); }
  [[nodiscard]] static std::uint64_t root_of(const Address& caller, std::uint64_t call) noexcept;
  // When a reply leaves: whether what descends from this root may still run, here or elsewhere (C-3, cycle/cycle.cpp). `before`: whether it
  // could when its method returned.
  [[nodiscard]] bool others_may_run(std::uint64_t root, bool before);
  // Of an object that saves every call: throws what saving threw.
  void keep_state_of_reply();
  // Makes an endpoint this thread's while it lives.
  class Use {
   public:
    explicit Use(Endpoint& endpoint);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Endpoint* before_;
  };
  class AwaitScope;
  class RootScope;

 private:
  struct Pending {
    std::shared_ptr<StateBase> state;
    Address to;
    std::int64_t life;  // the pid of the callee: a lasting address has several lives
    std::uint64_t method;
    std::uint64_t root;
  };
  struct Awaited {
    const StateBase* state = nullptr;
    const AwaitedLetter* letter = nullptr;
    std::uint64_t number = 0;
    unsigned depth = 0;  // of the waits on this thread's stack
    road::Deadline next_probe;
    std::unique_ptr<Chase> chase;
    [[nodiscard]] bool known() const noexcept { return state != nullptr || letter != nullptr; }
  };
  struct Running {  // a method on this thread's stack
    Address caller;
    std::uint64_t call;
    unsigned depth;
  };
  struct Way {  // along which a probe goes
    Address to;
    std::uint64_t call;  // 0: for a letter
    Choices choices;
  };
  struct Arrived {
    wire::Message message;
    std::weak_ptr<road::Connection> way;
    std::optional<unsigned> slot;
    Address caller;
  };
  void pump();
  void read_from(const Peers::Link& link);
  [[nodiscard]] bool incoming() const;
  void take_message(wire::Message message, const Peers::Link& from);
  void pages_leave(wire::Outgoing& out, std::optional<unsigned> slot);
  void pages_left(const wire::Outgoing& out, std::optional<unsigned> slot) noexcept;
  void pages_stay(const wire::Outgoing& out, std::optional<unsigned> slot) noexcept;
  void fail_pending(const std::exception_ptr& error, const std::function<bool(const Pending& call)>& concerned);
  void send_call(Peers::Link link, const std::shared_ptr<StateBase>& state, wire::Outgoing& out);
  bool restore_object();  // of an object with a name that was saved; false: it could not be
  void save_object();
  void rest();
  bool may_part(const Address& who, const std::function<void()>& part);
  bool is_idle();
  [[nodiscard]] road::Deadline idle_at() const;
  void take_letter(wire::Message message, const Peers::Link& from);
  bool read_until(const std::function<bool()>& done, road::Deadline deadline);
  void make_progress();
  void run_call(Arrived arrived);
  void run_callbacks();
  [[nodiscard]] bool is_callback(const Arrived& call) const;
  [[nodiscard]] std::uint8_t depth_of_next_call() const noexcept;
  void run_frame(wire::Message& message, const Method* method, const Reply& reply);
  void say_goodbye(bool resting);
  std::shared_ptr<StateBase> forget(std::uint64_t call);  // null: it was answered
  Reply reply_to(const Arrived& arrived, const Method* method);
  std::shared_ptr<Reply::Impl> impl_of(const Arrived& arrived, const Method* method);
  std::deque<Arrived>::iterator find_queued(const Peers::Link& from, std::uint64_t call);
  void send_cancel(const std::shared_ptr<StateBase>& answer, std::uint64_t number, const Address& to);
  void take_cancel(wire::Message& message, const Peers::Link& from);
  bool wait_for_promise(StateBase& state, road::Deadline deadline);
  road::Deadline look_for_cycle(road::Deadline deadline);
  bool collect_ways(const StateBase& state, const Choices& choices, std::vector<Way>& ways);
  std::vector<Way> ways_of_wait();
  void pass_on(Probe probe, const Way& way);
  void take_probe(wire::Message& message, const Peers::Link& from);
  void send_probe(const Address& to, wire::Outgoing& out);
  void take_back(const Probe& probe, const Peers::Link& from);
  void take_verdict(wire::Message& message, const Peers::Link& from);
  void tell_askers(const std::set<Address>& askers, const Verdict& verdict);
  bool call_waits(Probe& probe, std::uint64_t call, const Peers::Link& from);
  bool letter_waits(Probe& probe, const Peers::Link& from);
  bool nobody_else_may_run();
  std::size_t pending_of(std::uint64_t root);
  std::string name_of_call(std::uint64_t call);
  [[noreturn]] void raise_gone(const Address& to);
  [[nodiscard]] bool runs_methods() const noexcept { return serving_ == std::this_thread::get_id(); }
  // While a method waits, only what descends from its call may go on (C-3).
  [[nodiscard]] bool may_resume() const { return runs_methods() ? root_ != 0 && executor_->has(root_) : executor_->has(); }
  void end_pending();

  runtime_reach reach_;
  std::shared_ptr<ThreadHost> host_;  // of this process's threads, at this agent
  std::mutex pending_mutex_;          // before peers_, whose thread asks what is pending
  std::unordered_map<std::uint64_t, Pending> pending_;
  Peers peers_;
  Inbox inbox_;
  std::vector<Peers::Link> links_;  // the reader's view
  std::uint64_t links_version_ = 0;
  std::atomic<std::thread::id> reader_{};
  std::thread::id serving_{};

  std::uint64_t next_call_ = 1;
  std::multimap<Address, std::exception_ptr> lost_errors_;

  std::mutex wait_mutex_;
  std::condition_variable changed_;
  std::atomic<int> waiting_{0};

  std::mutex progress_mutex_;
  std::thread progress_;
  std::atomic<std::thread::id> progress_reader_{};
  std::atomic<bool> stopping_{false};

  std::shared_ptr<Executor> executor_ = std::make_shared<Executor>(*this);

  std::atomic<int> open_replies_{0};
  std::deque<Arrived> queue_;  // calls that wait for their turn; touched by the serving thread only
  std::unique_ptr<Hosted> object_;
  std::unique_ptr<StateKeeper> keeper_;  // of one with a name
  std::uint64_t root_ = 0;
  std::uint8_t call_depth_ = 0;  // of the call that runs, in its header's flags: how far it descends from its root, which has 1; 0: not known
  Awaited awaited_;              // by the method that runs
  std::vector<Running> running_;
  std::uint64_t waits_ = 0;
  unsigned depth_ = 0;            // of waits of the reader
  bool root_begun_here_ = false;  // root_ is the call that runs, not one that this descends from
  bool stray_ = false;            // something that root_ began from here may run elsewhere, and no reply will tell when it ends
  bool ended_ = false;
};

}  // namespace octavo::detail
