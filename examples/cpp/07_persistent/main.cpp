// SPDX-License-Identifier: Apache-2.0
// Section 3.3 of the paper: a persistent PageDevice outlives the program that made it, and is found by its symbolic address.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <octavo/process.hpp>
#include <system_error>

namespace ov = octavo;
using std::size_t, std::string;

class PageDevice {  // as in 02_page_device; to be stored and activated it has a default constructor and serialize
 public:
  PageDevice() = default;
  PageDevice(string file, size_t pages, size_t bytes) : filename(std::move(file)), NumberOfPages(pages), PageSize(bytes) { open(); }
  ~PageDevice() { ::close(file_descriptor); }
  void write(string page, size_t PageIndex) { check(::pwrite(file_descriptor, page.data(), std::min(PageSize, page.size()), offset(PageIndex))); }
  string read(size_t PageIndex) {
    string page(PageSize, '\0');
    check(::pread(file_descriptor, page.data(), PageSize, offset(PageIndex)));
    return page;
  }
  void crash() { std::raise(SIGKILL); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(filename, NumberOfPages, PageSize);
    if (file_descriptor < 0) open();  // activated
  }

 private:
  void open() { check(file_descriptor = ::open(filename.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)); }
  off_t offset(size_t PageIndex) const { return PageIndex < NumberOfPages ? off_t(PageIndex * PageSize) : throw std::out_of_range(filename); }
  void check(ssize_t result) const { result < 0 ? throw std::system_error(errno, std::generic_category(), filename) : 0; }
  string filename;
  size_t NumberOfPages = 0, PageSize = 0;
  int file_descriptor = -1;
};
OCTAVO_REMOTE(PageDevice, write, read, crash)

int main(int argc, char** argv) {
  auto file = std::filesystem::temp_directory_path() / "octavo_example_pagefile";
  {
    ov::Runtime runtime(argc, argv);
    ov::named("data/set/PageDevice/34").make<PageDevice>(file.string(), 1024, 16)->write("sixteen letters.", 17);
  }  // the first program ends here; the device does not
  ov::Runtime runtime(argc, argv);
  ov::remote_ptr<PageDevice> page_device = ov::open<PageDevice>("ov://data/set/PageDevice/34");
  std::cout << "a second program reads: " << page_device->read(17) << "\n";
  try {
    page_device->crash();
  } catch (const ov::process_died&) {}  // the call that was on its way; the next activates the device from its stored state
  std::cout << "its process was killed, and is activated: " << page_device->read(17) << "\n";
  ov::destroy(page_device);  // explicitly: the only way it ends
  std::cout << "names left: " << ov::names("data/set").size() << "\n";
  std::filesystem::remove(file);
}
