// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/error.hpp"

#include <cerrno>
#include <cstring>

namespace octavo {

std::string_view to_string(error_kind kind) noexcept {
  switch (kind) {
    case error_kind::usage: return "usage";
    case error_kind::remote: return "remote";
    case error_kind::gone: return "gone";
    case error_kind::timed_out: return "timed_out";
    case error_kind::refused: return "refused";
    case error_kind::io: return "io";
    case error_kind::not_supported: return "not_supported";
  }
  return "unknown";
}

error::error(error_kind kind, std::string message, std::string cure) : kind_(kind), message_(std::move(message)), cure_(std::move(cure)) { compose(); }

void error::add_context(std::string_view context) {
  message_ = std::string(context) + ": " + message_;
  compose();
}

void error::compose() { text_ = cure_.empty() ? message_ : message_ + ". " + cure_; }

namespace {

std::string cure_of(int errno_value) {
  switch (errno_value) {
    case ENOENT: return "Check the path";
    case EACCES:
    case EPERM: return "Check the permissions of the path and its directories";
    case ENOSPC: return "Free space on that disk, or put the output (or --scratch) on another";
    case EDQUOT: return "Your quota on that disk is used up: free space, or put the output elsewhere";
    case EMFILE:
    case ENFILE: return "Raise the limit of open files (ulimit -n)";
    case EFBIG: return "Raise the limit of the sizes of files, which bounds shared memory too (ulimit -f unlimited), or ask for less memory";
    case EAGAIN: return "Raise the limits of processes and of memory (ulimit -u, ulimit -v, pids.max of the control group), or end what you do not need";
    case ENOMEM: return "Raise the limit of memory (ulimit -v, or the control group's), free some, or ask for less";
    case EROFS: return "That file system is mounted read-only: choose another place";
    case EIO: return "The disk reports an error: see `dmesg`";
    default: return {};
  }
}

}  // namespace

void throw_error(error_kind kind, const std::string& message, const std::string& cure) {
  switch (kind) {
    case error_kind::usage: throw usage_error(message, cure);
    case error_kind::gone: throw gone_error(message, cure);
    case error_kind::timed_out: throw timed_out(message, cure);
    case error_kind::refused: throw refused(message, cure);
    case error_kind::io: throw io_error(message, cure);
    case error_kind::not_supported: throw not_supported(message, cure);
    case error_kind::remote: break;
  }
  throw error(kind, message, cure);
}

io_error io_error_from(int errno_value, std::string_view doing) {
  const char* name = strerrorname_np(errno_value);
  return io_error(std::string(doing) + ": " + strerrordesc_np(errno_value) + " (" + (name ? name : "?") + ")", cure_of(errno_value));
}

}  // namespace octavo
