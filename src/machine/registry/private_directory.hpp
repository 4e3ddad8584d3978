// SPDX-License-Identifier: Apache-2.0
// A directory that only its owner can change: what lies in it is believed.
//
//   auto path = private_directory("/home/ada/.local/share/octavo");   // made if missing, mode 0700; absolute
//   sync_directory(path);                                             // what was made, renamed or removed in it is durable
//   make_private_file(path + "/names.db");                            // empty, if missing; mode 0600, whoever may read the directory
//   keep_private(path + "/names.db");                                 // mode 0600 from now on, if it is there
//
// Failure: refused where it belongs to another user or others can write to it, with the cure; io_error where it cannot be made or read.
#pragma once

#include <string>

namespace octavo {

std::string private_directory(const std::string& path);
void sync_directory(const std::string& path);
void make_private_file(const std::string& path);
void keep_private(const std::string& path);

}  // namespace octavo
