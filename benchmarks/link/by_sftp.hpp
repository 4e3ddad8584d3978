// SPDX-License-Identifier: Apache-2.0
// Messages in files of another host, put there by sftp through a real sshd, each way by a session that is kept; and what OpenSSH's own programs take for one
// message. In seconds.
#pragma once

#include <cstddef>
#include <memory>

#include "kit/engines/surroundings.hpp"
#include "link/far_end.hpp"

namespace bench {

// This program as the other end: it never returns where it was told to be.
void be_sftp_end_if_asked(int argc, char** argv);

class BySftp {
 public:
  BySftp();
  ~BySftp();
  [[nodiscard]] NearEnd link() const;                          // two logins each time
  [[nodiscard]] double put_by_sftp(std::size_t bytes) const;   // `put` and `rename` told to one sftp
  [[nodiscard]] double copy_by_scp(std::size_t bytes) const;   // a login for a message
  [[nodiscard]] double copy_by_a_kept_scp(std::size_t bytes);  // an scp for a message, by a connection that is kept (ControlMaster)

 private:
  class Kept;
  octavo::kit::Sshd sshd_;
  octavo::kit::TemporaryDirectory place_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace bench
