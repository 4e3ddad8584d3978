// SPDX-License-Identifier: Apache-2.0
// Sections 4.1 and 4.3 of the paper: a complex array in pages on several servers. It is a small value of remote pointers and a map: each process
// that computes with it has a copy of its own, and no other process stands between it and the servers.
#pragma once

#include <algorithm>

#include "page_map.hpp"

struct Array {
  int n;  // points along each side of a page
  PageMap pagemap;
  std::vector<ov::remote_ptr<ArrayDevice>> page_server;

  void read(const Domain& d, complex* buffer, transpose t = transpose::none) const {
    std::vector<ov::future<Page>> pages;  // all servers read at the same time
    ForEveryPage(d, pagemap, t, [&](address a, int, int, int) { pages.push_back(start_read(a, t)); });
    auto next = pages.begin();
    ForEveryPage(d, pagemap, t, [&](address, int i1, int i2, int i3) {
      const Page page = next++->get();
      auto* values = reinterpret_cast<const complex*>(page.data());
      ForEveryRow(d, n, i1, i2, i3, [&](int in_buffer, int in_page) { std::copy_n(values + in_page, n, buffer + in_buffer); });
    });
  }

  void write(const Domain& d, const complex* buffer, transpose t = transpose::none) const {
    std::vector<ov::future<void>> done;
    ForEveryPage(d, pagemap, t, [&](address a, int i1, int i2, int i3) {
      ArrayPage page(n, n, n);
      complex* values = page.values();
      ForEveryRow(d, n, i1, i2, i3, [&](int in_buffer, int in_page) { std::copy_n(buffer + in_buffer, n, values + in_page); });
      done.push_back(start_write(page, a, t));
    });
    ov::when_all(std::move(done)).get();  // written: another process may read it next
  }

  void ReadIntoServerCache(const Domain& d, transpose t = transpose::none) const {  // returns at once; this caller's next reads come after
    ForEveryPage(d, pagemap, t, [&](address a, int, int, int) { (void)ov::start(page_server[a.server_id])->ReadIntoCache(a.page_index); });
  }

 private:
  ov::future<Page> start_read(address a, transpose t) const {
    auto server = ov::start(page_server[a.server_id]);
    if (t == transpose::t13) return server->read_transpose13(a.page_index);
    if (t == transpose::t23) return server->read_transpose23(a.page_index);
    return server->read(a.page_index);
  }
  ov::future<void> start_write(const Page& page, address a, transpose t) const {
    auto server = ov::start(page_server[a.server_id]);
    if (t == transpose::t13) return server->write_transpose13(page, a.page_index);
    if (t == transpose::t23) return server->write_transpose23(page, a.page_index);
    return server->write(page, a.page_index);
  }
};
