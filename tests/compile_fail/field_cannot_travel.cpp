// SPDX-License-Identifier: Apache-2.0
// An aggregate in a vector, one of whose fields is a pointer.
// expect: this parameter type cannot travel: give it a serialize(Archive&), or make it an aggregate of types that travel
#include <string>
#include <vector>

#include "octavo/process.hpp"

struct Row {
  int index = 0;
#ifndef CONTROL
  const char* text = nullptr;
#else
  std::string text;
#endif
};
class Table {
 public:
  void add(const std::vector<Row>&) {}
};
OCTAVO_REMOTE(Table, add)

void call(const octavo::remote_ptr<Table>& p) { p->add(std::vector<Row>(1)); }
