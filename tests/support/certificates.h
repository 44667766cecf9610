// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Certificates of two authorities: "server" and "client" by "ca", and
// "stranger" by "other", whom nobody trusts (make_certificates.sh). Made once,
// by openssl(1), in a folder that ends with the process.

#ifndef STRIDECAST_TESTS_SUPPORT_CERTIFICATES_H_
#define STRIDECAST_TESTS_SUPPORT_CERTIFICATES_H_

#include <string>

namespace stridecast::testing {

class Certificates {
 public:
  static const Certificates& Get();
  ~Certificates();

  // False where there is no openssl.
  bool are_made() const { return are_made_; }

  std::string PemPath(const std::string& name) const;
  std::string KeyPath(const std::string& name) const;
  std::string Pem(const std::string& name) const;
  std::string Key(const std::string& name) const;

 private:
  Certificates();

  std::string folder_;
  bool are_made_ = false;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_CERTIFICATES_H_
