// SPDX-License-Identifier: Apache-2.0
// A StreamBox as the source of a stream, and as its sink.
#pragma once

#include "octavo/message/select.hpp"
#include "octavo/stream/detail/joint/joint.hpp"
#include "octavo/stream/detail/joint/standing.hpp"
#include "octavo/stream/emit.hpp"
#include "octavo/stream/stream_box.hpp"

namespace octavo::stream {

template <class T>
struct BoxSource {
  using item = T;
  StreamBox<T> box;

  template <class Give>
  void each(Give&& give, const Standing& run) {
    JointIn joint(box.name());
    try {
      for (std::uint64_t taken = 0; taken == 0;) {
        while (!joint.is_joined())
          if (!joint.accept(joint_step)) check_is_wanted(run);
        const Mailbox<T> items(joint.items(), box.bound());
        while (joint.is_joined()) {
          if (auto next = items.retrieve_for(soon)) {
            ++taken;
            give(std::move(*next));
          } else if (joint.is_over(taken)) {
            return;
          } else if (joint.is_joined()) {
            check_is_wanted(run);
            static_cast<void>(select_for(joint_step, items, joint.said()));
          }
        }
      }
    } catch (const Stopped&) {
      joint.leave(run.error());
      throw;
    } catch (...) {
      joint.leave(std::current_exception());
      throw;
    }
  }

 private:
  // The shortest way to an item is to wait for it alone.
  static constexpr std::chrono::milliseconds soon{1};
  static void check_is_wanted(const Standing& run) {
    if (run.is_cancelled() || run.error()) throw Stopped();
  }
};

// As a stage that gives nothing.
template <class T>
class BoxSink {
 public:
  explicit BoxSink(StreamBox<T> box) : box_(std::move(box)) {}

  void open_in(const Standing& run) {
    run_ = &run;
    posted_ = 0;
    joint_ = std::make_shared<JointOut>(box_.name());
    items_ = Mailbox<T>(joint_->items(), box_.bound());
  }
  void svc(T item) {
    try {
      post(item);
    } catch (...) {
      end_with(std::current_exception());
      throw;
    }
  }
  void end_in(const Standing& run) {
    if (joint_ == nullptr) return;  // it has failed itself
    if (const auto why = run.error()) return end_with(why);
    try {
      joint_->say_end(posted_);
      while (!joint_->is_taken(joint_step)) check_is_wanted();
    } catch (...) {
      end_with(std::current_exception());
      throw;
    }
    joint_ = nullptr;
  }

 private:
  void post(T& item) {
    try {
      joint_->look();
      while (!items_.post_for(item, joint_step)) {
        check_is_wanted();
        joint_->look();
        joint_->look_at_other();
      }
      ++posted_;
    } catch (const error&) {
      joint_->look();  // it may have said why
      throw;
    }
  }
  void check_is_wanted() const {
    if (run_->is_cancelled()) std::rethrow_exception(run_->error());
  }
  void end_with(const std::exception_ptr& why) noexcept {
    joint_->say_broken(posted_, why);
    joint_ = nullptr;
  }

  StreamBox<T> box_;
  const Standing* run_ = nullptr;
  std::uint64_t posted_ = 0;
  std::shared_ptr<JointOut> joint_;  // of this run
  Mailbox<T> items_;
};

}  // namespace octavo::stream
