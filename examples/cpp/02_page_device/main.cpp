// SPDX-License-Identifier: Apache-2.0
// Sections 2.1, 2.2 and 3.1 of the paper: a PageDevice in a process on machine1 keeps pages in one large file of its disk.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <octavo/process.hpp>
#include <system_error>

namespace ov = octavo;
using std::size_t, std::string;

using Page = std::vector<unsigned char>;  // 2.1: n bytes of unstructured data

class PageDevice {  // 2.2
 public:
  PageDevice(string file, size_t pages, size_t bytes) : filename(std::move(file)), NumberOfPages(pages), PageSize(bytes) {
    check(file_descriptor = ::open(filename.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    check(::ftruncate(file_descriptor, static_cast<off_t>(NumberOfPages * PageSize)));
  }
  ~PageDevice() { ::close(file_descriptor); }
  void write(const Page& p, size_t PageIndex) { check(::pwrite(file_descriptor, p.data(), std::min(PageSize, p.size()), offset(PageIndex))); }
  void read(Page& p, size_t PageIndex) { p.resize(PageSize), check(::pread(file_descriptor, p.data(), PageSize, offset(PageIndex))); }

 protected:
  string filename;
  size_t NumberOfPages, PageSize;

 private:
  off_t offset(size_t PageIndex) const {
    if (PageIndex >= NumberOfPages) throw std::out_of_range(filename + " has no page " + std::to_string(PageIndex));
    return static_cast<off_t>(PageIndex * PageSize);
  }
  void check(ssize_t result) const { result < 0 ? throw std::system_error(errno, std::generic_category(), filename) : 0; }
  int file_descriptor = -1;
};
OCTAVO_REMOTE(PageDevice, write, read)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine1"})});  // a machine played by this one
  ov::Machine remote_machine = runtime.machine("machine1");
  const size_t number_of_pages = 1024, page_size = 32 * 1024;
  ov::remote_ptr<PageDevice> storage = remote_machine.make<PageDevice>("pagefile", number_of_pages, page_size);  // new(remote_machine)

  Page page(page_size, 42);
  size_t PageAddress = 17;
  storage->write(page, PageAddress);  // returns when it is written
  Page copy;
  storage->read(copy, PageAddress);  // a reference is copied in, and back
  std::cout << "page 17: " << copy.size() << " bytes of " << int(copy.front()) << ", equal: " << (copy == page) << "\n";
  ov::start(storage)->write(page, 18).get();  // 3.2: start returns a future at once
  try {
    storage->write(page, 1024);
  } catch (const std::out_of_range& error) {
    std::cout << error.what() << ", says " << ov::origin(error)->process.class_name << " on " << ov::origin(error)->process.machine << "\n";
  }
  ov::destroy(storage);  // runs the destructor, and the process ends
}
