// SPDX-License-Identifier: Apache-2.0
// Sections 2.2 and 4.1 of the paper: a device that computes with its pages, by inheritance or alongside a device that is there.
#pragma once

#include <numeric>

#include "page_device.hpp"

class ArrayPageDevice : public PageDevice {
 public:
  ArrayPageDevice(string file, size_t pages, int nn1, int nn2, int nn3)
      : PageDevice(std::move(file), pages, ArrayPage::bytes(nn1, nn2, nn3)), n1(nn1), n2(nn2), n3(nn3) {}
  // "a constructor that takes a pointer to an existing PageDevice process"
  ArrayPageDevice(ov::remote_ptr<PageDevice> existing, int nn1, int nn2, int nn3) : n1(nn1), n2(nn2), n3(nn3), storage(existing) {}

  void write(const Page& p, size_t PageIndex) override { storage ? storage->write(p, PageIndex) : PageDevice::write(p, PageIndex); }
  Page read(size_t PageIndex) override { return storage ? storage->read(PageIndex) : PageDevice::read(PageIndex); }

  Page read_transpose13(size_t PageIndex) {
    ArrayPage p(n1, n2, n3, read(PageIndex));
    p.transpose13();
    return p;
  }
  Page read_transpose23(size_t PageIndex) {
    ArrayPage p(n1, n2, n3, read(PageIndex));
    p.transpose23();
    return p;
  }
  void write_transpose13(Page page, size_t PageIndex) {
    ArrayPage p(n3, n2, n1, std::move(page));
    p.transpose13();
    write(p, PageIndex);
  }
  void write_transpose23(Page page, size_t PageIndex) {
    ArrayPage p(n1, n3, n2, std::move(page));
    p.transpose23();
    write(p, PageIndex);
  }
  complex sum(size_t PageIndex) {  // a computation close to the data: one number travels
    ArrayPage p(n1, n2, n3, read(PageIndex));
    return std::accumulate(p.values(), p.values() + n1 * n2 * n3, complex());
  }

 private:
  int n1, n2, n3;
  ov::remote_ptr<PageDevice> storage;
};
OCTAVO_REMOTE(ArrayPageDevice, (PageDevice), read_transpose13, read_transpose23, write_transpose13, write_transpose23, sum)
