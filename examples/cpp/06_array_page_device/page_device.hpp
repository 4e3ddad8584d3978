// SPDX-License-Identifier: Apache-2.0
// Section 2.2 of the paper: storage devices. 02_page_device has the first of them alone.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

#include "pages.hpp"

class PageDevice {
 public:
  PageDevice(string file, size_t pages, size_t bytes) : filename(std::move(file)), NumberOfPages(pages), PageSize(bytes) {
    check(file_descriptor = ::open(filename.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    check(::ftruncate(file_descriptor, static_cast<off_t>(NumberOfPages * PageSize)));
  }
  virtual ~PageDevice() { ::close(file_descriptor); }
  PageDevice(const PageDevice&) = delete;
  virtual void write(const Page& p, size_t PageIndex) {
    if (static_cast<size_t>(p.size()) != PageSize) throw std::length_error(filename + " has pages of " + std::to_string(PageSize) + " bytes");
    check(::pwrite(file_descriptor, p.data(), PageSize, offset(PageIndex)));
  }
  virtual Page read(size_t PageIndex) {  // straight into memory that who called can see
    off_t from = offset(PageIndex);
    Page p(static_cast<std::int64_t>(PageSize));
    check(::pread(file_descriptor, p.mutable_data(), PageSize, from));
    return p;
  }

 protected:
  PageDevice() = default;  // for one that keeps its pages elsewhere
  string filename;
  size_t NumberOfPages = 0, PageSize = 0;

 private:
  off_t offset(size_t PageIndex) const {
    if (PageIndex >= NumberOfPages) throw std::out_of_range(filename + " has no page " + std::to_string(PageIndex));
    return static_cast<off_t>(PageIndex * PageSize);
  }
  void check(ssize_t result) const { result < 0 ? throw std::system_error(errno, std::generic_category(), filename) : 0; }
  int file_descriptor = -1;
};
OCTAVO_REMOTE(PageDevice, write, read)
