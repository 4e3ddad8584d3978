// SPDX-License-Identifier: Apache-2.0
// Ctrl-C reaches all processes of a terminal's group. It is the program that decides what becomes of it: its servers and agents do nothing, and what an object
// starts has it as every program does.
#pragma once

namespace octavo::detail {

// From now on SIGINT does nothing here. By a handler: a program that is started from here would begin with an ignored one. Where it is ignored already
// (nohup, a background job) it stays so, here and there.
void leave_interrupts_to_program() noexcept;
// As every program begins with it: in a process that is forked off.
void take_interrupts_again() noexcept;
// That handler is in force, or the signal is ignored.
bool interrupts_are_left() noexcept;

}  // namespace octavo::detail
