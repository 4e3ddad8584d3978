// SPDX-License-Identifier: Apache-2.0
// The arrow in the class's own body, above the line that makes it.
// expect: p->method() needs OCTAVO_REMOTE(Class, method...) after the class and above this line: what is written in the class's own body must be defined below
// it
#include "octavo/process.hpp"

class Node {
 public:
  int value() const { return 1; }
#ifndef CONTROL
  int sum(const octavo::remote_ptr<Node>& next) { return next->value() + value(); }
#else
  int sum(const octavo::remote_ptr<Node>& next);
#endif
};
OCTAVO_REMOTE(Node, value, sum)
#ifdef CONTROL
int Node::sum(const octavo::remote_ptr<Node>& next) { return next->value() + value(); }
#endif
