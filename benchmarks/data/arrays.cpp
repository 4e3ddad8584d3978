// SPDX-License-Identifier: Apache-2.0
#include "data/arrays.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <future>
#include <octavo/octavo.hpp>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace bench {

namespace ov = octavo;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t in_flight = 8;  // pages of 4 MiB
const ov::Shape shape{64, 512, 512}, page{2, 512, 512};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

fs::path new_folder(const char* name) {
  auto folder = fs::temp_directory_path() / (std::string("octavo-bench-") + name + "-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  return folder;
}

ov::Array own_array(const std::string& file, std::int64_t cache) {
  const ov::DeviceOptions options{.cache_bytes = cache};
  return {shape, page, ov::dtype::float64, {ov::process.make<ov::PageFile>(file, ov::grid_of(shape, page).count(), page, ov::dtype::float64, options)}};
}

template <class Begin>
double for_each_page(Begin begin) {
  std::deque<decltype(begin(ov::Box()))> open;
  const auto started = Clock::now();
  for (std::int64_t at = 0; at < shape[0]; at += page[0]) {
    if (open.size() == in_flight) open.front().get(), open.pop_front();
    open.push_back(begin(ov::Box{{at, 0, 0}, {at + page[0], shape[1], shape[2]}}));
  }
  for (auto& each : open) each.get();
  return seconds_since(started);
}

}  // namespace

// One that reads and writes a slab.
class BenchSlab {
 public:
  BenchSlab(ov::Array array, std::int64_t at, std::int64_t rows) : array_(std::move(array)), box_(ov::Box::whole(array_.shape())) {
    box_.lo[0] = at * rows, box_.hi[0] = (at + 1) * rows;
  }
  void write() { array_.write(box_, ov::ArrayPage(array_.type(), box_.extents())); }
  void read() { (void)array_.read(box_); }

 private:
  ov::Array array_;
  ov::Box box_;
};
OCTAVO_REMOTE(BenchSlab, write, read)

ArrayScene::ArrayScene() : folder_(new_folder("arrays")) {
  own_ = own_array(folder_ / "own", 0);
  cached_ = own_array(folder_ / "cached", 128 * ov::MiB);
  named_ = ov::named("bench/array").make_array(shape, page, ov::dtype::float64, {{folder_ / "named"}});
  for (const auto* each : {&own_, &cached_, &named_}) write(*each);  // the first write of a file is another matter
}

ArrayScene::~ArrayScene() {
  try {
    ov::destroy_array("bench/array");
    ov::end_lasting_agent();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "data: %s\n", e.what());
  }
  fs::remove_all(folder_);
}

double ArrayScene::write(const ov::Array& array) {
  return for_each_page([&](const ov::Box& box) { return array.start_write(box, ov::ArrayPage(array.type(), box.extents())); });
}

double ArrayScene::read(const ov::Array& array) {
  return for_each_page([&](const ov::Box& box) { return std::move(array.start_read(box, array.type()).front().block); });
}

double ArrayScene::write_behind() {
  const auto& device = cached_.devices().front();
  std::int64_t number = 0;
  const double seconds = for_each_page(
      [&](const ov::Box& box) { return ov::start(device)->write_behind(ov::ArrayPage(cached_.type(), box.extents()), number++, ov::Box::whole(page)); });
  cached_.flush();
  return seconds;
}

namespace {

constexpr std::int64_t many_devices = 96, many_clients = 16;
constexpr std::size_t part_bytes = 128 * 1024;

// Pages one after another, from a memory of one slab, to or from the files of the devices in turn.
template <class Move>
double by_threads(const fs::path& folder, Move move) {
  constexpr auto pages = static_cast<std::int64_t>(WideScene::bytes) / static_cast<std::int64_t>(part_bytes);
  std::vector<ov::Fd> files;
  for (std::int64_t i = 0; i < many_devices; ++i) {
    files.emplace_back(::open((folder / ("bare-" + std::to_string(i))).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!files.back()) throw ov::io_error_from(errno, "opening a file of the limit");
  }
  std::vector<std::vector<std::byte>> slabs(many_clients, std::vector<std::byte>(static_cast<std::size_t>(WideScene::bytes) / many_clients));
  const auto started = Clock::now();
  std::vector<std::future<void>> threads;
  for (std::int64_t client = 0; client < many_clients; ++client)
    threads.push_back(std::async(std::launch::async, [&, client] {
      for (std::int64_t i = 0; i < pages / many_clients; ++i) {
        const std::int64_t number = client * (pages / many_clients) + i;
        std::byte* at = slabs[static_cast<std::size_t>(client)].data() + static_cast<std::size_t>(i) * part_bytes;
        move(files[static_cast<std::size_t>(number % many_devices)].get(), at, part_bytes, number / many_devices * static_cast<std::int64_t>(part_bytes));
      }
    }));
  for (auto& each : threads) each.get();
  return seconds_since(started);
}

void whole(ssize_t moved) {
  if (moved != static_cast<ssize_t>(part_bytes)) throw ov::io_error_from(errno, "moving a page of the limit");
}

}  // namespace

struct WideScene::Parts {
  fs::path folder = new_folder("wide");
  std::vector<ov::remote_ptr<ov::PageDevice>> devices;
  std::vector<ov::remote_ptr<BenchSlab>> clients;

  template <class Begin>
  double all(Begin begin) {
    std::vector<ov::future<void>> open;
    const auto started = Clock::now();
    for (auto& each : clients) open.push_back(begin(each));
    for (auto& each : open) each.get();
    return seconds_since(started);
  }
};

WideScene::WideScene() : parts_(std::make_unique<Parts>()) {
  const ov::Shape wide{many_clients * 16, 256, 512}, part{16, 16, 64};
  const ov::PageMap map(ov::map_kind::circulant, ov::grid_of(wide, part), many_devices);
  std::vector<ov::future<ov::remote_ptr<ov::PageFile>>> making;
  for (std::int64_t i = 0; i < many_devices; ++i)
    making.push_back(ov::start(ov::process)
                         .make<ov::PageFile>((parts_->folder / std::to_string(i)).string(), map.pages_per_device(), part, ov::dtype::float64,
                                             ov::DeviceOptions{.staging_bytes = 128 * ov::KiB}));
  for (auto& each : making) parts_->devices.emplace_back(each.get());
  const ov::Array array(wide, part, ov::dtype::float64, parts_->devices, map);
  for (std::int64_t i = 0; i < many_clients; ++i) parts_->clients.push_back(ov::process.make<BenchSlab>(array, i, std::int64_t{16}));
  write();
  write_files();
}

WideScene::~WideScene() {
  for (auto& each : parts_->clients) ov::destroy(each);
  for (auto& each : parts_->devices) ov::destroy(each);
  fs::remove_all(parts_->folder);
}

double WideScene::write() {
  return parts_->all([](auto& client) { return ov::start(client)->write(); });
}
double WideScene::read() {
  return parts_->all([](auto& client) { return ov::start(client)->read(); });
}

double WideScene::write_files() {
  return by_threads(parts_->folder, [](int file, std::byte* at, std::size_t length, std::int64_t offset) { whole(::pwrite(file, at, length, offset)); });
}
double WideScene::read_files() {
  return by_threads(parts_->folder, [](int file, std::byte* at, std::size_t length, std::int64_t offset) { whole(::pread(file, at, length, offset)); });
}

}  // namespace bench
