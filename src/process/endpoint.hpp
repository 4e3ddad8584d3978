// SPDX-License-Identifier: Apache-2.0
// The one object through which this process takes part: its calls, those made to it, and who waits for what.
//
// The thread that waits reads the connections; at most one thread reads at a time (the reader). In a server the main thread
// reads, and runs one method at a time. A watch thread sleeps on the control socket and on the ends of connections.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "octavo/base/biased_lock.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/process/detail/method.hpp"
#include "octavo/process/detail/post.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/process/runtime.hpp"
#include "process/cycle/unanswered.hpp"
#include "process/executor.hpp"
#include "process/inquiry/inquiry.hpp"
#include "process/inquiry/stillness.hpp"
#include "process/member/inbox.hpp"
#include "process/named/state_keeper.hpp"
#include "process/peers/peers.hpp"
#include "process/pending_calls.hpp"
#include "process/post/carrier.hpp"
#include "process/reading/reader_role.hpp"
#include "process/serve/known_methods.hpp"
#include "process/serve/origin.hpp"
#include "process/serve/owed_replies.hpp"

namespace octavo::detail {

class Endpoint {
 public:
  // `reach`: the whole program, or only where a Use is in force. `host`: of the objects on this process's threads.
  Endpoint(Fd control, Peers::role mine, runtime_reach reach, std::shared_ptr<ThreadHost> host);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // This thread's, else the program's: p->f() has no other way to it. Null without a Runtime, and in a process that was forked off the one that has it.
  static Endpoint* current() noexcept;
  static Endpoint& require();                             // throws usage_error
  [[noreturn]] static void raise_none(const char* what);  // that there is none

  // Calls made here.
  void call(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out);
  // A small call of a method, and its reply, if it can go the short way; else nothing was done. Throws what the call threw, and as call().
  std::optional<wire::Message> call_quickly(const Address& to, std::uint64_t method, wire::Outgoing& out);
  // The same, begun: its numbers come back to state->set_plain().
  bool start_small(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method, ByteView arguments);
  // The same for numbers; what comes back fills `result`.
  bool call_small(const Address& to, std::uint64_t method, ByteView arguments, ByteSpan result);
  Address make(const std::shared_ptr<StateBase>& state, const Method& constructor, wire::Outgoing& out, const Placement& where);
  bool wait(const std::function<bool()>& done, road::Deadline deadline);
  // Until the call's result is there; in a method of a server, cycles of calls are found meanwhile (C-3).
  bool wait_for(StateBase& state, road::Deadline deadline);
  [[nodiscard]] Stillness& stillness() noexcept { return stillness_; }
  // True if the call will never run: its state is ready then, with `cancelled`.
  bool cancel(StateBase& state);
  void wake_waiters() noexcept;
  // In the program: from now on what nobody waits for is read too, by a thread that sleeps otherwise.
  void need_progress();
  void nudge_progress() noexcept;

  // Of the thread that runs methods; in the program, of one that reads.
  [[nodiscard]] const std::shared_ptr<Executor>& executor() const noexcept { return executor_; }

  // The errors of calls whose futures were dropped.
  void keep_lost_error(const Address& of, std::exception_ptr error) noexcept;
  std::exception_ptr take_lost_error(const Address& of);

  // As a server: returns when the object was destroyed.
  void serve();
  // The reply goes the way its call came, or by another connection with the same caller. A reply that finds none, though its caller lives, is logged.
  void send_reply(const Origin& to, wire::Outgoing& out);
  void reply_comes_later(const Address& caller, std::uint64_t call, const std::shared_ptr<StateBase>& result) { unanswered_.add(caller, call, result); }
  [[nodiscard]] const std::shared_ptr<OwedReplies>& owed_replies() const noexcept { return owed_replies_; }
  // Before a message's pages are taken out.
  void adopt_pages(wire::Message& message);
  [[nodiscard]] const ProcessFacts& facts() const noexcept { return peers_.self(); }
  [[nodiscard]] Peers& peers() noexcept { return peers_; }
  [[nodiscard]] Pool& pool() noexcept { return peers_.pool(); }
  // As a member of groups (detail/member.hpp).
  [[nodiscard]] Inbox& inbox() noexcept { return inbox_; }
  [[nodiscard]] bool serves() const noexcept { return serving_ != std::thread::id(); }
  [[nodiscard]] Hosted* object() const noexcept { return object_.get(); }
  // Where there is no room: waits; waits for a moment, then leaves it to the carrier; does that at once.
  enum class when_full : std::uint8_t { wait, see_off, keep };
  void send_letter(const Address& to, wire::Outgoing& out, when_full how = when_full::wait);
  // As a place of mailboxes (post/).
  std::shared_ptr<PostOffice> post_office(const std::function<std::shared_ptr<PostOffice>()>& make);
  void read_now();
  using WhenFound = std::function<void(const Address& owner, const std::exception_ptr& error)>;
  void find_mailbox(const std::string& name, const std::string& type, const Address& lost, WhenFound then);
  void post_small(const Address& to, const wire::SmallFrame& frame, when_full how);
  void post_frame(const Address& to, wire::Outgoing& frame, when_full how);
  bool take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, road::Deadline deadline);
  [[nodiscard]] bool comes_here(const Glance& here) const;

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
    unsigned life_;  // of this process (in_force/forked.hpp)
  };
  class AwaitScope;
  class RootScope;

 private:
  friend struct Reply::Impl;
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
    Origin from;
  };
  class Lands final : public wire::Landing {
   public:
    explicit Lands(Endpoint& here) : here_(here) {}
    bool lands(const wire::FrameHeader& header) override;
    void await_bulk(const std::function<bool()>& here) override;
    // A post, in this round.
    [[nodiscard]] bool has_landed() const noexcept { return has_landed_; }
    void begin() noexcept { has_landed_ = false; }

   private:
    Endpoint& here_;
    bool has_landed_ = false;
  };
  void pump();
  void read_links();
  void read_from(const PeerLink& link);
  void close_damaged(const PeerLink& link, error& why);  // while that is handled
  [[nodiscard]] bool incoming() const;
  [[nodiscard]] bool some_link_is_ready() const;
  // Peers came or went; a death may wait for what is read of its last words.
  [[nodiscard]] bool something_changed() const noexcept { return peers_.links().changed(links_version_) || peers_.links().deaths_wait(); }
  void take_message(wire::Message& message, const PeerLink& from);
  void pages_leave(wire::Outgoing& out, const std::optional<wire::PageRoute>& route);
  void pages_left(const wire::Outgoing& out, const std::optional<wire::PageRoute>& route) noexcept;
  // False: they are gone, as the receiver is.
  [[nodiscard]] bool pages_come_back(wire::Outgoing& out, const wire::PageRoute& route) noexcept;
  void pages_stay(const wire::Outgoing& out, const std::optional<wire::PageRoute>& route) noexcept;
  // A call that may be sent again, to the next life of who has a name, has its pages until then.
  class KeptPages {
   public:
    KeptPages(Pool& pool, const wire::Outgoing& out, bool keep);
    ~KeptPages();
    KeptPages(const KeptPages&) = delete;
    KeptPages& operator=(const KeptPages&) = delete;

   private:
    Pool& pool_;
    std::vector<wire::PageRef> pages_;
  };
  void fail_pending(const std::exception_ptr& error, const std::function<bool(const PendingCall& call)>& concerned);
  class Reading;
  [[nodiscard]] const PeerLink* known_link(const Address& to);
  // By who reads: over the lane, if there is room in it or soon will be. `send` says what became of it.
  static constexpr int most_tries = 64;
  template <class Send>
  const PeerLink* send_by_lane(const Address& to, int tries, Send send);
  [[nodiscard]] int tries_to_post(when_full how) const;
  template <class Send>
  const PeerLink* send_call_by_lane(const Address& to, std::size_t bytes, Send send);
  const PeerLink* send_quickly(const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out);
  bool start_quickly(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out);
  [[nodiscard]] int looks_now() const noexcept;
  [[nodiscard]] bool is_quick(const Address& to, const wire::Outgoing& out) const;
  [[nodiscard]] static bool may_go_now(const wire::Outgoing& out) noexcept;
  road::sent_now send_now(const PeerLink& by, wire::Outgoing& out);
  void fill_header(wire::FrameHeader& header, const Address& to, wire::frame_kind kind, std::uint64_t method) const;
  // Each time it is sent: what it descends from, and its place there (C-3). The root of a cancel is the call that it is for.
  template <class Frame>
  void number_call(Frame& frame) {
    frame.call = next_call_.fetch_add(1, std::memory_order_relaxed);
    if (frame.kind != wire::frame_kind::cancel) frame.root = root() != 0 ? root() : new_root(frame.call);
    frame.flags = depth_of_next_call();
  }
  wire::SmallFrame numbered_call(std::uint64_t method, ByteView arguments);
  const PeerLink* send_small(const Address& to, const wire::SmallFrame& frame);
  bool receive_answer(const PeerLink& from, std::uint64_t call, wire::Message& into);
  std::optional<wire::Message> await_quickly(const PeerLink& link, const Address& to, const wire::FrameHeader& header, int looks);
  // The callee's end of the shortest way (serve/small.cpp).
  bool serve_small();
  void await_small() const;
  void run_small(const wire::SmallFrame& call, const Method& method, void* object);
  void arrives_from(const PeerLink& link) {
    if (!arriving_.from.is(link, links_round_)) arriving_.from = Origin(link, links_round_);
  }
  bool refresh_links();
  template <class Frame>
  void enter_pending(const std::shared_ptr<StateBase>& state, const PeerLink& link, const Frame& call) {
    enter_pending(call.call, {state, state->callee, link.facts.pid, call.method, call.root});
  }
  void enter_pending(std::uint64_t call, PendingCall pending) {
    pending.state->call = call;
    std::lock_guard lock(pending_mutex_);
    pending_.enter(call, std::move(pending));
    pending_count_.store(pending_.size(), std::memory_order_relaxed);
  }
  bool take_small_answers(const PeerLink& link);
  void fail_if_forgotten(const std::shared_ptr<StateBase>& state, const PeerLink& link, std::uint64_t call);
  // Nothing runs on this thread's stack that might still look at arriving_.
  [[nodiscard]] bool may_run_in_place() const noexcept { return runs_methods() && depth_ == 0 && running_.empty(); }
  void count_sent(std::size_t bytes) noexcept { runs_methods() ? peers_.row().sent(bytes) : peers_.row().sent_aside(bytes); }
  void send_call(PeerLink link, const std::shared_ptr<StateBase>& state, wire::Outgoing& out);
  bool restore_object();  // of an object with a name that was saved; false: it could not be
  void save_object();
  void say_unmade(const error& why);
  void rest();
  bool may_part(const Address& who, const std::function<void()>& part);
  bool is_idle();
  [[nodiscard]] road::Deadline idle_at(bool called = true) const;
  void take_letter(wire::Message message, const PeerLink& from);
  void take_post(wire::Message& message, const PeerLink& from);
  enum class post_wait : std::uint8_t { at_the_last, at_all, not_at_first, briefly };
  [[nodiscard]] post_wait how_to_wait(const Glance& here, road::Deadline deadline) const;
  road::took_small take_next_post(std::uint64_t mailbox, Posted& into);
  road::took_small take_post_from(std::size_t at, std::uint64_t mailbox, Posted& into);
  bool take_whole_post(const PeerLink& from, std::uint64_t mailbox, Posted& into);
  bool take_receipt(road::Connection& from);
  std::shared_ptr<PostOffice> office();
  void look_around();
  bool read_until(const std::function<bool()>& done, road::Deadline deadline);
  void make_progress();
  bool await_progress(std::chrono::milliseconds time);
  void await_end_of_reading();
  bool try_read() noexcept;
  void stop_reading(bool briefly) noexcept;
  void tell_progress() noexcept;
  void count_read() noexcept { reads_.store(reads_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  [[nodiscard]] bool must_end() const;
  void run_call(Arrived& arrived);
  void run_callbacks();
  [[nodiscard]] bool is_callback(const Arrived& call) const;
  [[nodiscard]] std::uint8_t depth_of_next_call() const noexcept;
  void run_frame(wire::Message& message, const Method* method, const Reply& reply);
  void say_goodbye(bool resting);
  void send_reply_by(road::Connection& connection, const std::optional<wire::PageRoute>& route, wire::Outgoing& out);
  // inquiry/
  void find_stillness();
  void inquire();
  static void send_inquiry(const PeerLink& to, wire::Outgoing& out);
  void take_inquiry(const wire::Message& message, const PeerLink& from);
  [[nodiscard]] call_fate fate_of(const Address& caller, std::uint64_t call) const;
  [[nodiscard]] bool is_stalled() const;
  [[nodiscard]] std::string waiter() const;
  void fail_lost_calls();
  void fail_lost(std::uint64_t call, const std::string& why);
  void take_doubt(std::uint64_t call, call_fate fate);
  void fail_one(std::uint64_t call, const std::exception_ptr& error);
  std::shared_ptr<StateBase> forget(std::uint64_t call);  // null: it was answered
  std::deque<Arrived>::iterator find_queued(const PeerLink& from, std::uint64_t call);
  void send_cancel(const std::shared_ptr<StateBase>& answer, std::uint64_t number, const Address& to);
  void take_cancel(wire::Message& message, const PeerLink& from);
  bool wait_for_promise(StateBase& state, road::Deadline deadline);
  road::Deadline look_for_cycle(road::Deadline deadline);
  bool collect_ways(const StateBase& state, std::uint64_t wait, const Choices& choices, std::vector<Way>& ways);
  std::vector<Way> ways_of_wait();
  void pass_on(Probe probe, const Way& way);
  void take_probe(wire::Message& message, const PeerLink& from);
  void pass_by(const Probe& probe, Unanswered::Call& call, const PeerLink& from);
  void send_probe(const Address& to, wire::Outgoing& out);
  void take_back(const Probe& probe, const PeerLink& from);
  void take_verdict(wire::Message& message, const PeerLink& from);
  void tell_askers(const std::set<Address>& askers, const Verdict& verdict);
  bool call_waits(Probe& probe, std::uint64_t call, const PeerLink& from);
  bool letter_waits(Probe& probe, const PeerLink& from);
  bool nobody_else_may_run();
  std::size_t pending_of(std::uint64_t root);
  std::string name_of_call(std::uint64_t call);
  [[nodiscard]] bool runs_methods() const noexcept { return serving_ == std::this_thread::get_id(); }
  // While a method waits, only what descends from its call may go on (C-3).
  [[nodiscard]] bool may_resume() const { return runs_methods() ? root_ != 0 && executor_->has(root_) : executor_->has(); }
  void end_pending();
  void come_into_force();
  void end_force() noexcept;

  runtime_reach reach_;
  std::shared_ptr<ThreadHost> host_;  // of this process's threads, at this agent
  BiasedLock pending_mutex_;          // before peers_, whose thread asks what is pending
  PendingCalls pending_;
  std::atomic<std::size_t> pending_count_{0};  // whoever looks without the lock sees at least his own
  Inquiries inquiries_;                        // these before peers_, whose thread inquires
  Stillness stillness_;
  std::shared_ptr<Executor> executor_ = std::make_shared<Executor>(*this);
  std::mutex lost_mutex_;
  std::vector<Inquiries::Asked> lost_calls_;  // found by that thread, to be failed by the one that reads
  std::atomic<std::uint64_t> next_call_{1};
  std::mutex wait_mutex_;  // these before peers_, whose thread wakes who waits for a lock
  std::condition_variable changed_;
  std::atomic<int> waiting_{0};
  ReaderRole role_;
  Peers peers_;
  std::shared_ptr<Carrier> carrier_ = std::make_shared<Carrier>(peers_.bell(), [this] { look_around(); });  // the watch thread outlives us
  Inbox inbox_;
  std::mutex office_mutex_;
  std::shared_ptr<PostOffice> office_;
  std::atomic<bool> has_office_{false};
  std::vector<PeerLink> links_;  // the reader's view
  std::uint64_t links_version_ = 0, links_round_ = 0;
  std::size_t first_link_ = 0;  // that is looked at
  static constexpr std::size_t nobody = SIZE_MAX;
  std::size_t last_poster_ = nobody;  // from where a mailbox's last message came
  std::size_t last_caller_ = nobody;  // from where the last small call came
  bool called_again_ = false;         // and the one before
  std::thread::id serving_{};

  std::uint32_t build_ = build_id();
  int pumping_ = 0;                            // what is told of an answer may itself call
  int looks_ = 64;                             // of call_quickly; of the reader
  std::array<std::size_t, 16> known_links_{};  // places in links_, as long as that is of this round
  std::multimap<Address, std::exception_ptr> lost_errors_;

  std::mutex progress_mutex_;
  std::thread progress_;
  std::atomic<bool> progress_reads_{false};
  std::condition_variable progress_changed_;
  bool progress_needed_ = true;  // at its beginning, and by a coroutine that may go on
  std::atomic<bool> progress_waits_{false};
  std::atomic<std::uint64_t> reads_{0};  // how often somebody else began to read; about
  std::atomic<bool> stopping_{false};

  std::shared_ptr<OwedReplies> owed_replies_ = std::make_shared<OwedReplies>();  // a kept reply may outlive us
  // Touched by the serving thread only.
  Lands landing_{*this};
  bool calls_land_ = false;
  Arrived arriving_;           // the call that came while nothing was to be done
  bool arrived_ = false;       // it is there
  std::deque<Arrived> queue_;  // calls that wait for their turn
  KnownMethods methods_;
  std::unique_ptr<Hosted> object_;
  std::unique_ptr<StateKeeper> keeper_;  // of one with a name
  std::uint64_t root_ = 0;
  std::uint8_t call_depth_ = 0;  // of the call that runs, in its header's flags: how far it descends from its root, which has 1; 0: not known
  Awaited awaited_;              // by the method that runs
  std::vector<Running> running_;
  Unanswered unanswered_;
  std::uint64_t waits_ = 0;
  unsigned depth_ = 0;            // of waits of the reader
  bool root_begun_here_ = false;  // root_ is the call that runs, not one that this descends from
  bool stray_ = false;            // something that root_ began from here may run elsewhere, and no reply will tell when it ends
  bool ended_ = false;
};

}  // namespace octavo::detail
