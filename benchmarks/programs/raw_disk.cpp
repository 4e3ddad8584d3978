// SPDX-License-Identifier: Apache-2.0
// The disk's limit, which the jobs are measured against: sequential O_DIRECT through io_uring, from private huge pages touched before.
//
//   raw_disk PATH BYTES [BLOCK_KIB DEPTH [both]]     default 4096 KiB, 8; prints {"read_gbs": ..., "write_gbs": ..., ...}
//
// The file PATH.0 of BYTES is made if it is not there, and kept. It is reserved and written once before anything is timed: blocks that were
// only reserved are marked unwritten, and turning them would be charged to the write. The write's time has its fsync in it.
// "both" adds "both_gbs": one file is read while another, PATH.1, is written, half of the depth each; the sum of the two rates.
#include <fcntl.h>
#include <liburing.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "kit/clock.hpp"

namespace {

constexpr std::int64_t huge_page = 2 << 20;

void check(bool good, const std::string& what, int error = errno) {
  if (!good) throw std::system_error(error, std::generic_category(), what);
}

struct Setting {
  std::int64_t bytes = 0, block = 4 << 20;
  int depth = 8;
};

struct File {
  File(const std::string& path, const Setting& setting) : name(path), descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0644)) {
    check(descriptor >= 0, "opening '" + path + "'");
    struct stat facts {};
    check(::fstat(descriptor, &facts) == 0, "asking about '" + path + "'");
    fresh = facts.st_size != setting.bytes;
    if (!fresh) return;
    check(::ftruncate(descriptor, 0) == 0 && ::fallocate(descriptor, 0, 0, setting.bytes) == 0, "reserving '" + path + "'");
  }
  ~File() { ::close(descriptor); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string name;
  int descriptor;
  bool fresh = false;
};

std::byte* huge_buffers(std::int64_t bytes) {
  void* got = ::mmap(nullptr, static_cast<std::size_t>(bytes + huge_page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(got != MAP_FAILED, "mapping the buffers");
  auto address = (reinterpret_cast<std::uintptr_t>(got) + huge_page - 1) / huge_page * huge_page;
  auto* memory = reinterpret_cast<std::byte*>(address);
  ::madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
  std::memset(memory, 0x5a, static_cast<std::size_t>(bytes));
  return memory;
}

// Moves whole files with a part of the buffers each; gives the seconds until the last is done, and for writing synced.
class Mover {
 public:
  explicit Mover(const Setting& setting) : setting_(setting), memory_(huge_buffers(setting.block * setting.depth)) {
    int error = io_uring_queue_init(static_cast<unsigned>(setting.depth), &ring_, 0);
    check(error == 0, "making an io_uring", -error);
  }
  ~Mover() { io_uring_queue_exit(&ring_); }
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  double run(const File* read_from, const File* write_to) {
    auto begin = bench::Clock::now();
    lanes_ = {{read_from, 0}, {write_to, 0}};
    bool both = read_from != nullptr && write_to != nullptr;
    int open = 0;
    for (int buffer = 0; buffer < setting_.depth; ++buffer) open += begin_next(both ? buffer % 2 : (read_from != nullptr ? 0 : 1), buffer);
    while (open > 0) {
      int error = io_uring_submit_and_wait(&ring_, 1);
      check(error >= 0 || error == -EINTR, "waiting for the disk", -error);
      io_uring_cqe* entry = nullptr;
      while (io_uring_peek_cqe(&ring_, &entry) == 0) {
        auto tag = entry->user_data;
        if (entry->res < 0) check(false, "moving a block of '" + lanes_[tag & 1].file->name + "'", -entry->res);
        if (entry->res != setting_.block) throw std::runtime_error("a block was moved in part");
        io_uring_cqe_seen(&ring_, entry);
        open += begin_next(static_cast<int>(tag & 1), static_cast<int>(tag >> 1)) - 1;
      }
    }
    if (write_to != nullptr) check(::fsync(write_to->descriptor) == 0, "syncing '" + write_to->name + "'");
    return bench::seconds_since(begin);
  }

 private:
  struct Lane {
    const File* file = nullptr;
    std::int64_t next = 0;
  };

  int begin_next(int lane, int buffer) {
    auto& [file, next] = lanes_[static_cast<std::size_t>(lane)];
    if (next == setting_.bytes) return 0;
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    auto* memory = memory_ + buffer * setting_.block;
    auto length = static_cast<unsigned>(setting_.block);
    if (lane == 1) io_uring_prep_write(entry, file->descriptor, memory, length, static_cast<std::uint64_t>(next));
    else io_uring_prep_read(entry, file->descriptor, memory, length, static_cast<std::uint64_t>(next));
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(buffer) << 1 | static_cast<std::uint64_t>(lane));
    next += setting_.block;
    return 1;
  }

  Setting setting_;
  std::byte* memory_;
  io_uring ring_{};
  std::vector<Lane> lanes_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3 && argc != 5 && !(argc == 6 && std::string_view(argv[5]) == "both")) {
    std::fprintf(stderr, "usage: raw_disk PATH BYTES [BLOCK_KIB DEPTH [both]]\n");
    return 2;
  }
  Setting setting;
  if (argc > 3) setting.block = std::atoll(argv[3]) << 10;
  if (argc > 3) setting.depth = std::atoi(argv[4]);
  if (setting.block < 4096 || setting.block > 1 << 30 || setting.depth < 1 || setting.depth > 1024)
    throw std::invalid_argument("blocks of 4 KiB to 1 GiB, a depth of 1 to 1024");
  setting.bytes = std::atoll(argv[2]) / setting.block * setting.block;
  if (setting.bytes == 0) throw std::invalid_argument(std::string(argv[2]) + " bytes are less than a block");

  Mover mover(setting);
  double gigabytes = static_cast<double>(setting.bytes) / 1e9;
  File first(std::string(argv[1]) + ".0", setting);
  if (first.fresh) mover.run(nullptr, &first);
  double read = mover.run(&first, nullptr), write = mover.run(nullptr, &first);
  std::printf("{\"read_gbs\": %.4f, \"write_gbs\": %.4f, ", gigabytes / read, gigabytes / write);
  if (argc == 6) {
    File second(std::string(argv[1]) + ".1", setting);
    if (second.fresh) mover.run(nullptr, &second);
    std::printf("\"both_gbs\": %.4f, ", 2 * gigabytes / mover.run(&first, &second));
  }
  std::printf("\"block\": %lld, \"depth\": %d, \"bytes\": %lld}\n", static_cast<long long>(setting.block), setting.depth,
              static_cast<long long>(setting.bytes));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "raw_disk: %s\n", error.what());
  return 1;
}
