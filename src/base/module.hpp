// SPDX-License-Identifier: Apache-2.0
// A part of liboctavo in a library of its own, liboctavo-NAME.so, which lies beside it and is loaded when a process first wants it. What it links with
// costs each process that starts its share (measured: OpenSSL 1.1 ms, FFTW and the codecs 0.9 ms), and of all the processes of objects few want it.
//
//   const TlsModule& module() {
//     static const TlsModule& loaded = module_of<TlsModule>("tls", "Install OpenSSL 3 (Debian: libssl3)");   // its symbol is octavo_tls_module
//     return loaded;
//   }
//
// It stays for good. Failure: io_error with what the loader said.
#pragma once

#include <string>

namespace octavo {

const void* load_module(const std::string& name, const std::string& cure);

template <class Module>
const Module& module_of(const std::string& name, const std::string& cure) {
  return *static_cast<const Module*>(load_module(name, cure));
}

}  // namespace octavo
