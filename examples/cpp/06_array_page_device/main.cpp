// SPDX-License-Identifier: Apache-2.0
// Sections 2.2 and 4.1 of the paper: ArrayPageDevice instead of a PageDevice, by inheritance; and launched alongside one.
#include <iostream>

#include "array_page_device.hpp"

std::uint64_t bytes_sent(PageDevice&) { return ov::road_bytes_sent(); }

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine1"})});
  ov::Machine machine1 = runtime.machine("machine1");
  const int n1 = 32, n2 = 32, n3 = 32;
  size_t NumberOfPages = 16;

  ArrayPage page(n1, n2, n3);
  for (int i = 0; i < n1 * n2 * n3; i++) page.values()[i] = complex(i / n3 / n2 + 0.01 * (i % n3), 0);

  // Instead of a PageDevice: its methods come along, and the virtual ones are those of the object.
  auto device = machine1.make<ArrayPageDevice>("arrayfile", NumberOfPages, n1, n2, n3);
  device->write(page, 3);
  ArrayPage turned(n3, n2, n1, device->read_transpose13(3));
  std::cout << "by inheritance: (1,2,3) is " << page(1, 2, 3).real() << "; transposed on machine1, (3,2,1) is " << turned(3, 2, 1).real() << "\n";

  // Alongside one that is there, with pages in it.
  auto storage = machine1.make<PageDevice>("pagefile", NumberOfPages, page.size());
  storage->write(page, 7);
  auto alongside = ov::beside(storage).make<ArrayPageDevice>(storage, n1, n2, n3);
  auto before = ov::call<&bytes_sent>(storage);
  complex sum = alongside->sum(7);
  auto sent = ov::call<&bytes_sent>(storage) - before;
  std::cout << "alongside: the sum of page 7 is " << sum.real() << "\n";
  std::cout << "the page has " << page.size() << " bytes; storage sent fewer than 1000 for it: " << (sent < 1000) << "\n";

  // Whoever expects a PageDevice takes either.
  for (ov::remote_ptr<PageDevice> any : {ov::remote_ptr<PageDevice>(device), storage, ov::remote_ptr<PageDevice>(alongside)})
    std::cout << "as a PageDevice: " << any->read(any == device ? 3 : 7).size() << " bytes\n";
}
