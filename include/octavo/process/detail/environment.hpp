// SPDX-License-Identifier: Apache-2.0
// What the processes of objects inherit of the program's environment.
#pragma once

namespace octavo::detail {

// What is made from now on has the environment of now. By a thread that knows that no other changes it meanwhile: where a fork server is asked for (Python),
// the caller does so under the interpreter's lock; else whoever makes an object, by itself. In the process of an object it does nothing.
void note_environment();

}  // namespace octavo::detail
