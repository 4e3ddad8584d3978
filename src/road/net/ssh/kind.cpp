// SPDX-License-Identifier: Apache-2.0
#include "road/net/ssh/kind.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "octavo/base/error.hpp"
#include "road/net/ssh/pipe_link.hpp"

namespace octavo::road::ssh {

namespace {

constexpr const char* standard_ones = "0,1";

class Listener final : public LinkListener {
 public:
  Listener() : brought_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!brought_) throw io_error_from(errno, "waiting for a command's agent");
  }
  [[nodiscard]] std::string address() const override { return std::string(kind.scheme) + "://" + standard_ones; }
  [[nodiscard]] int descriptor() const override { return brought_.get(); }
  std::vector<std::unique_ptr<Link>> take() override {
    std::uint64_t count = 0;
    [[maybe_unused]] auto n = ::read(brought_.get(), &count, sizeof count);
    return std::exchange(links_, {});
  }
  void bring(Fd from, Fd to) override {
    links_.push_back(open_pipe_link(std::move(from), std::move(to)));
    const std::uint64_t one = 1;
    [[maybe_unused]] auto n = ::write(brought_.get(), &one, sizeof one);
  }

 private:
  Fd brought_;
  std::vector<std::unique_ptr<Link>> links_;
};

std::pair<int, int> two_numbers(const std::string& where) {
  int from = -1, to = -1;
  const char* const end = where.data() + where.size();
  const auto first = std::from_chars(where.data(), end, from);
  const bool comma = first.ec == std::errc() && first.ptr != end && *first.ptr == ',';
  const auto second = comma ? std::from_chars(first.ptr + 1, end, to) : std::from_chars_result{end, std::errc::invalid_argument};
  if (second.ec != std::errc() || second.ptr != end || from < 0 || to < 0) throw usage_error("'" + where + "' are no two descriptors", "Write ssh://0,1");
  return {from, to};
}

bool carries_bytes(int descriptor) {
  struct stat facts {};
  return ::fstat(descriptor, &facts) == 0 && (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode));
}

// What has this number, which something else has from now on.
Fd take_over(int number, int replacement) {
  Fd taken(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!taken || replacement < 0 || ::dup2(replacement, number) < 0) throw io_error_from(errno, "taking over descriptor " + std::to_string(number));
  return taken;
}

}  // namespace

std::unique_ptr<LinkListener> listen_at(const std::string& /*where*/, const ClusterKey& /*key*/, const LinkTerms& /*terms*/) {
  return std::make_unique<Listener>();
}

std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& /*key*/, Deadline /*deadline*/, const LinkTerms& /*terms*/) {
  const auto [from, to] = two_numbers(where);
  if (!carries_bytes(from))
    throw refused("descriptor " + std::to_string(from) + " leads to no program, or the connection over it has ended",
                  "A command that ends takes its agent's link with it: the program starts another");
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Fd in = take_over(from, nothing.get());
  return open_pipe_link(std::move(in), take_over(to, STDERR_FILENO));
}

}  // namespace octavo::road::ssh
