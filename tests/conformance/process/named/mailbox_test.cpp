// SPDX-License-Identifier: Apache-2.0
// Mailboxes with a plain name belong to a program: an object that outlives it is told so, and what would serve, and does not wait for somebody who will never
// come.
#include "conformance/process/named/named_scene.hpp"
#include "octavo/message.hpp"

namespace process_tests {

class LastingClerk {
 public:
  std::string retrieve(const std::string& box) {
    try {
      return ov::Mailbox<std::string>(box).retrieve();
    } catch (const ov::not_supported& e) {
      return e.what();
    }
  }
  // It hears of it when it posts again.
  std::string post(const std::string& box) {
    const ov::Mailbox<std::string> to(box);
    try {
      for (;;) to.post("text");
    } catch (const ov::not_supported& e) {
      return e.what();
    }
  }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};
OCTAVO_REMOTE(LastingClerk, retrieve, post)

namespace {

TEST_F(NamedObjects, MailboxesAreNotSupported) {
  auto clerk = ov::named("post/clerk").make<LastingClerk>();
  EXPECT_THAT(clerk->retrieve("in"), HasSubstr("mailbox 'in' was used by an object with a name"));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(clerk->post("out"), HasSubstr("mailbox 'out' was used by an object with a name")) << "each time, also when full";
}

}  // namespace
}  // namespace process_tests
