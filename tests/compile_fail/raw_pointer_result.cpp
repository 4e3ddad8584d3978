// SPDX-License-Identifier: Apache-2.0
// A result that points into the other process.
// expect: a raw pointer cannot be the result of a remote method: return the value, a remote_ptr or an octavo::Page
#include "octavo/process.hpp"

class Source {
 public:
#ifndef CONTROL
  const double* data() { return &data_; }
#else
  double data() { return data_; }
#endif

 private:
  double data_ = 0;
};
OCTAVO_REMOTE(Source, data)

double call(const octavo::remote_ptr<Source>& p) {
#ifndef CONTROL
  return *p->data();
#else
  return p->data();
#endif
}
