// SPDX-License-Identifier: Apache-2.0
#include <octavo/message.hpp>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  octavo::Mailbox<octavo::Message> box("box");
  // sample
  return count == 3 && what == "rows" && rows.size() == 1000 ? 0 : 1;
}
