// SPDX-License-Identifier: Apache-2.0
// The scratch file of a job whose target is an array of processes: it lies on the machine of a device of the target, beside which its own device is made,
// and has no name. So nothing is left of it, whoever ends or is killed.
//
//   const ScratchPlace room(wish);                       // each is a remote object: made beside that device
//   auto scratch = start(place).make<ScratchFile>(wish, options);
//
// Threading: as PageDevice. Failure: io_error for a directory that cannot be used, refused where there is too little room; both name it.
#pragma once

#include <string>
#include <vector>

#include "octavo/base/fd.hpp"
#include "octavo/data/page_device.hpp"

namespace octavo::fft {

struct ScratchWish {
  std::string directory = {};           // that the user gave; empty: none
  std::vector<std::string> files = {};  // of devices on that machine: beside one of them, if there is no such directory
  Shape shape = {}, chunk = {};
  dtype type = dtype::complex128;
  std::int64_t bytes = 0;
};

// Where the file will lie: the directory given; else, of those of the devices' files, the one whose disk has the most room; where the devices have no
// files that for temporary files (TMPDIR). Its constructor checks that the file can be made there.
class ScratchPlace {
 public:
  explicit ScratchPlace(const ScratchWish& wish);
  [[nodiscard]] std::string directory() { return directory_; }

 private:
  std::string directory_;
};
OCTAVO_REMOTE(ScratchPlace, directory)

class ScratchFile : public PageDevice {
 public:
  ScratchFile(const ScratchWish& wish, const DeviceOptions& options);
  DeviceFacts facts() override;
  future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) override;
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override;
  future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) override;
  void prefetch(std::int64_t page, const Box& part, dtype as) override { pages_.prefetch(page, part, as); }
  future<void> flush() override;
  DeviceCounters counters() override { return pages_.counters(); }
  Timeline timeline() override { return pages_.timeline(); }

 private:
  template <class T>
  future<T> named(future<T> moving) const;

  std::string directory_;
  Fd file_;         // which keeps it
  PageFile pages_;  // which opens it by this descriptor
};
OCTAVO_REMOTE(ScratchFile, (PageDevice), facts)

}  // namespace octavo::fft
