// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The smallest complete program: a vector added to every row of a matrix.
//
//   stridecast-hello [host:port]

#include <iostream>
#include <string>
#include <vector>

#include "stridecast/client.h"
#include "stridecast/program.h"

using stridecast::Client;
using stridecast::ProgramBuilder;
using stridecast::Value;

int main(int argc, char** argv) {
  const std::string server = argc > 1 ? argv[1] : "127.0.0.1:50051";
  if (server == "--help") {
    std::cout << "usage: stridecast-hello [host:port]\n";
    return 0;
  }

  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  const std::vector<float> vector = {7, 8, 9};
  const auto x = *stridecast::View(matrix, {2, 3});
  const auto v = *stridecast::View(vector, {3});

  // The vector's only dimension is the matrix's dimension 1: its columns.
  ProgramBuilder b;
  const Value rows = b.Parameter(x.desc);
  const Value addend = b.Parameter(v.desc);
  b.Result(b.Add(rows, addend, {1}));

  const Client client = Client::Connect(server);
  const auto results = client.Compute(*b.Build(), {x, v});
  if (!results.ok()) {
    std::cerr << "stridecast-hello: "
              << results.status().ToString(
                     absl::StatusToStringMode::kWithNoExtraData)
              << "\n";
    return 1;
  }
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 3; ++column) {
      std::cout << results->front().at<float>({row, column}) << " ";
    }
    std::cout << "\n";  // 8 10 12, then 11 13 15
  }
  return 0;
}
