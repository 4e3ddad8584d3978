// SPDX-License-Identifier: Apache-2.0
// Ctrl-C reaches all processes of a terminal's group. It is the program that decides what becomes of it: its servers and agents do nothing, and what an object
// starts has it as every program does.
#pragma once

namespace octavo::detail {

// From now on SIGINT does nothing here. By a handler: a program that is started from here would begin with an ignored one. Where it is ignored already
// (nohup, a background job) it stays so, here and there.
void leave_interrupts_to_program() noexcept;
// At the end of a job of Slurm, or of its time, SIGTERM reaches all processes that it has begun: those of objects do nothing, as their agents end them in
// order.
void leave_end_of_job_to_agent() noexcept;
// As every program begins with them: in a process that is forked off.
void take_interrupts_again() noexcept;
// That handler is in force, or the signal is ignored.
bool interrupts_are_left() noexcept;

}  // namespace octavo::detail
