// SPDX-License-Identifier: Apache-2.0
// A mailbox in which one stream ends and another one begins: two programs that were started apart are one stream.
//
//   octavo::pipeline(files, octavo::farm<Blur>(3), octavo::StreamBox<Image>("ov://home/images")).run();       // in one program
//   octavo::pipeline(octavo::StreamBox<Image>("ov://home/images"), [&](Image x) { save(x); }).run();          // in the other
//
// ST-11  What the first stream gives to the box the second one has, each item once and in order, and it ends where the first one does. run() of the first
//        returns when the second has taken all. Whichever begins first waits; several streams that end in one box are taken one after the other, a run each. A
//        stream that its reader had not begun to take when it died is the next reader's.
// ST-12  An error of either is told to the other: gone_error, with its text; so is cancel(), or a loop that is left: cancelled. The death of either program is
//        process_died. The first hears of it at its next item; where it waits, and in the second, it is at once. A stream that was cancelled before another one
//        took it is passed over. All that holds from before the source of the first, or the svc_init of a stage, is asked for anything, if the second's process
//        reads there by then; it is told also where it takes that stream later. What a killed program had offered to nobody is gone with it: who reads there
//        afterwards waits for the next.
// The name is one of mailboxes (message/mailbox.hpp), and so is the rule that one process reads it; `bound` is of what lies between the two. In Python it is
// octavo.StreamBox; the types are those that a mailbox has in both languages.
// Threading: a value. Failure: as of Mailbox; what was said above.
#pragma once

#include <string>
#include <utility>

#include "octavo/message/mailbox.hpp"

namespace octavo {

template <class T>
class StreamBox {
 public:
  explicit StreamBox(std::string name, MailboxBound bound = {}) : name_(std::move(name)), bound_(bound) {}
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const MailboxBound& bound() const noexcept { return bound_; }

 private:
  std::string name_;
  MailboxBound bound_;
};

namespace stream {

template <class T>
struct BoxItem;
template <class T>
struct BoxItem<StreamBox<T>> {
  using type = T;
};
template <class T>
concept is_stream_box = requires {
  typename BoxItem<T>::type;
};

}  // namespace stream
}  // namespace octavo
