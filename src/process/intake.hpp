// SPDX-License-Identifier: Apache-2.0
// What the reader of an endpoint meets, given to the part that it concerns (PollClient): frames by the frame table, deaths and damage to the calls that wait,
// changes to the features.
// Threading: the thread that reads.
#pragma once

#include "process/cycle/cycle_finder.hpp"
#include "process/features.hpp"
#include "process/frame_table.hpp"
#include "process/inquiry/inquirer.hpp"
#include "process/serve/object_server.hpp"

namespace octavo::detail {

class Intake final : public PollClient {
 public:
  struct Parts {
    const Surroundings& around;
    CallContext& context;
    Poller& poller;
    Executor& executor;
    MadeCalls& calls;
    ServedCalls& served;
    CycleFinder& cycles;
    Inquirer& inquirer;
    ObjectServer& server;
  };
  Intake(const Parts& parts, const FrameTable& frames, Features& features) : parts_(parts), frames_(frames), features_(features) {}

  [[nodiscard]] wire::Message* call_buffer() override { return parts_.served.call_buffer(); }
  [[nodiscard]] bool call_buffer_is_taken() const override { return parts_.served.call_buffer_is_taken(); }
  void leave_call_buffer() override { parts_.served.leave_call_buffer(); }
  bool take_small(const PeerLink& from) override { return parts_.calls.take_small(from); }
  void take(wire::Message& message, const PeerLink& from) override { frames_.take(message, from); }
  [[nodiscard]] bool lands(const wire::FrameHeader& header) override { return frames_.lands(header); }
  void damaged(const PeerLink& closed, const std::exception_ptr& why) override;
  void died(const Obituary& death) override;
  void something_changed(bool some_died) override;
  void go_on() override;
  [[nodiscard]] bool may_go_on() const override;
  road::Deadline look_around(road::Deadline deadline) override { return parts_.context.runs_methods() ? parts_.cycles.look(deadline) : deadline; }

 private:
  const Parts parts_;
  const FrameTable& frames_;
  Features& features_;
};

}  // namespace octavo::detail
