// SPDX-License-Identifier: Apache-2.0
#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "data/io/queue.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

namespace {

constexpr std::uint64_t wake_tag = ~std::uint64_t{0};
// A short write through the page cache is a memcpy: handing it to the kernel's worker threads costs more than doing it here.
constexpr std::int64_t inline_write = 64 * KiB;

class UringQueue final : public DiskQueue {
 public:
  UringQueue(io_uring ring, Fd event) : ring_(ring), event_(std::move(event)) { listen(); }
  ~UringQueue() override { io_uring_queue_exit(&ring_); }

  void submit(const Transfer& transfer) override {
    auto length = static_cast<unsigned>(transfer.length);
    auto offset = static_cast<std::uint64_t>(transfer.offset);
    if (transfer.writing && !transfer.direct && transfer.length <= inline_write) {
      ssize_t moved = ::pwrite(transfer.file, transfer.memory, length, transfer.offset);
      ready_.push_back({transfer.tag, moved < 0 ? -errno : moved});
      return;
    }
    io_uring_sqe* entry = next_entry();
    // Registered buffers were measured: no faster here with huge pages, and they pin all of the staging memory at once.
    if (transfer.writing) io_uring_prep_write(entry, transfer.file, transfer.memory, length, offset);
    else io_uring_prep_read(entry, transfer.file, transfer.memory, length, offset);
    io_uring_sqe_set_data64(entry, transfer.tag);
  }

  void flush() override { enter(0); }

  void wait(std::vector<Completion>& completed) override {
    enter(ready_.empty() ? 1 : 0);
    completed.insert(completed.end(), ready_.begin(), ready_.end());
    ready_.clear();
    io_uring_cqe* entry = nullptr;
    while (io_uring_peek_cqe(&ring_, &entry) == 0) {
      Completion completion{entry->user_data, entry->res};
      io_uring_cqe_seen(&ring_, entry);
      if (completion.tag == wake_tag) listen();
      else completed.push_back(completion);
    }
  }

  void wake() override {
    std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(event_.get(), &one, sizeof one);  // fails only when the counter is full: it is awake then
  }

 private:
  void listen() {
    std::uint64_t count = 0;
    [[maybe_unused]] auto drained = ::read(event_.get(), &count, sizeof count);
    io_uring_sqe* entry = next_entry();
    io_uring_prep_poll_add(entry, event_.get(), POLLIN);
    io_uring_sqe_set_data64(entry, wake_tag);
  }

  io_uring_sqe* next_entry() {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    while (entry == nullptr) {
      enter(0);
      entry = io_uring_get_sqe(&ring_);
    }
    return entry;
  }

  void enter(unsigned wait_for) {
    int result = 0;
    do result = io_uring_submit_and_wait(&ring_, wait_for);
    while (result == -EINTR || result == -EAGAIN);
    if (result < 0 && result != -EBUSY) throw io_error_from(-result, "submitting to io_uring");
  }

  io_uring ring_;
  Fd event_;
  std::vector<Completion> ready_;
};

}  // namespace

std::unique_ptr<DiskQueue> make_uring_queue(int entries) {
  Fd event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event) throw io_error_from(errno, "making an eventfd");
  io_uring ring{};
  if (io_uring_queue_init(static_cast<unsigned>(entries), &ring, 0) < 0) return nullptr;
  return std::make_unique<UringQueue>(ring, std::move(event));
}

}  // namespace octavo
