// SPDX-License-Identifier: Apache-2.0
// Section 2.1 of the paper: pages, and pages that are blocks of an array.
#pragma once

#include <complex>
#include <octavo/octavo.hpp>

namespace ov = octavo;
using std::size_t, std::string;
using complex = std::complex<double>;

// n bytes, in memory that all processes of a machine share: a Page that is passed to one of them is not copied.
using ov::Page;

class ArrayPage : public Page {
 public:
  ArrayPage(int nn1, int nn2, int nn3, Page page) : Page(std::move(page)), n1(nn1), n2(nn2), n3(nn3) {}
  ArrayPage(int nn1, int nn2, int nn3) : ArrayPage(nn1, nn2, nn3, Page(bytes(nn1, nn2, nn3))) {}  // allocates data
  void transpose13() {
    ArrayPage to(n3, n2, n1);
    for (int i1 = 0; i1 < n1; i1++)
      for (int i2 = 0; i2 < n2; i2++)
        for (int i3 = 0; i3 < n3; i3++) to.values()[(i3 * n2 + i2) * n1 + i1] = (*this)(i1, i2, i3);
    *this = std::move(to);
  }
  void transpose23() {
    ArrayPage to(n1, n3, n2);
    for (int i1 = 0; i1 < n1; i1++)
      for (int i2 = 0; i2 < n2; i2++)
        for (int i3 = 0; i3 < n3; i3++) to.values()[(i1 * n3 + i3) * n2 + i2] = (*this)(i1, i2, i3);
    *this = std::move(to);
  }
  static size_t bytes(int n1, int n2, int n3) { return 2 * sizeof(double) * n1 * n2 * n3; }
  complex operator()(int i1, int i2, int i3) const { return reinterpret_cast<const complex*>(data())[(i1 * n2 + i2) * n3 + i3]; }
  complex* values() { return reinterpret_cast<complex*>(mutable_data()); }

 private:
  int n1, n2, n3;
};
