// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Many pictures, each a call of its own, several out at a time: for servers
// behind one name, which share them, and for pictures that come one by one.
// Their results gather in one batch, in order. Every number is checked against
// plain loops, bit by bit.
//
//   stridecast-fan-out [--server S] [--images N] [--in-flight K]
//                      [--height H] [--width W]

#include <cstdint>
#include <deque>
#include <future>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "stridecast/async_client.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/return_if_error.h"

namespace stridecast {
namespace {

struct Flags {
  std::string server = "127.0.0.1:50051";
  int64_t images = 64;
  size_t in_flight = 8;
  int64_t height = 224;
  int64_t width = 224;
};

// u8 [H,W,C] to f32 [C,H,W] of -1 to 1.
Signature Normalize(const TensorDesc& image) {
  ProgramBuilder b;
  Value x = b.Convert(b.Parameter(image), DType::kF32);
  x = b.Subtract(b.Divide(x, b.Constant(127.5f)), b.Constant(1.0f));
  b.Result(b.Transpose(x, {2, 0, 1}));
  return *b.Build();
}

// One number of an invented batch.
uint8_t PixelAt(int64_t slot) { return static_cast<uint8_t>(slot * 31 / 7); }

// A part of a batch: its image `i`, of that descriptor.
TensorView ImageOf(const OwnedTensor& batch, const TensorDesc& image,
                   int64_t i) {
  return {image, batch.data() + i * image.size_bytes()};
}
MutableTensorView ImageOf(OwnedTensor& batch, const TensorDesc& image,
                          int64_t i) {
  return {image, batch.data() + i * image.size_bytes()};
}

// Calls for all images, at most `in_flight` at a time.
absl::Status FanOut(const AsyncClient& async, const PreparedCompute& program,
                    const OwnedTensor& pictures, const TensorDesc& picture,
                    OwnedTensor& planes, const TensorDesc& plane,
                    const Flags& flags) {
  std::deque<std::future<absl::Status>> pending;
  absl::Status first_error;
  const auto end_oldest = [&] {
    first_error.Update(pending.front().get());
    pending.pop_front();
  };
  for (int64_t i = 0; i < flags.images && first_error.ok(); ++i) {
    if (pending.size() == flags.in_flight) end_oldest();
    pending.push_back(async.ComputeInto(
        program, {ImageOf(pictures, picture, i)}, {ImageOf(planes, plane, i)}));
  }
  // Also after an error: the calls that are out view memory of ours.
  while (!pending.empty()) end_oldest();
  return first_error;
}

int64_t CountDifferences(const OwnedTensor& pictures,
                         const OwnedTensor& planes) {
  const auto extents = pictures.desc().shape().extents();
  int64_t differences = 0;
  for (int64_t n = 0; n < extents[0]; ++n) {
    for (int64_t h = 0; h < extents[1]; ++h) {
      for (int64_t w = 0; w < extents[2]; ++w) {
        for (int64_t c = 0; c < 3; ++c) {
          const float x = pictures.at<uint8_t>({n, h, w, c});
          differences += planes.at<float>({n, c, h, w}) != x / 127.5f - 1.0f;
        }
      }
    }
  }
  return differences;
}

absl::Status Run(const Flags& flags) {
  const int64_t n = flags.images, h = flags.height, w = flags.width;
  STRIDECAST_ASSIGN_OR_RETURN(const auto picture,
                              TensorDesc::Create(DType::kU8, {h, w, 3}));
  STRIDECAST_ASSIGN_OR_RETURN(const auto plane,
                              TensorDesc::Create(DType::kF32, {3, h, w}));
  STRIDECAST_ASSIGN_OR_RETURN(const auto all_pictures,
                              TensorDesc::Create(DType::kU8, {n, h, w, 3}));
  STRIDECAST_ASSIGN_OR_RETURN(const auto all_planes,
                              TensorDesc::Create(DType::kF32, {n, 3, h, w}));
  STRIDECAST_ASSIGN_OR_RETURN(OwnedTensor pictures,
                              OwnedTensor::Allocate(all_pictures));
  STRIDECAST_ASSIGN_OR_RETURN(OwnedTensor planes,
                              OwnedTensor::Allocate(all_planes));
  int64_t slot = 0;
  for (uint8_t& pixel : pictures.slots<uint8_t>()) pixel = PixelAt(slot++);

  // All calls are alike but for their data: encoded once.
  const PreparedCompute program(Normalize(picture), {plane});
  const AsyncClient async(Client::Connect(flags.server));
  const absl::Time start = absl::Now();
  STRIDECAST_RETURN_IF_ERROR(
      FanOut(async, program, pictures, picture, planes, plane, flags));
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);

  const int64_t differences = CountDifferences(pictures, planes);
  if (differences != 0) {
    return absl::InternalError(absl::StrCat(
        differences, " elements differ from the computation in plain loops"));
  }
  const double bytes =
      static_cast<double>(all_pictures.size_bytes() + all_planes.size_bytes());
  std::cout << absl::StrFormat(
      "%d images, %s -> %s each, %d in flight: %.0f images/s, %.2f GB/s in and "
      "out\nequal, bit by bit, to the computation in plain loops\n",
      n, picture.ToString(), plane.ToString(), flags.in_flight,
      static_cast<double>(n) / seconds, bytes / 1e9 / seconds);
  return absl::OkStatus();
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) {
  stridecast::Flags flags;
  CLI::App app("Normalizes pictures on a stridecast server, many at a time");
  app.add_option("--server", flags.server,
                 "host:port; dns:///name:port shares calls among its servers")
      ->envname("STRIDECAST_SERVER")
      ->capture_default_str();
  for (const auto& [name, value, help] :
       {std::tuple("--images", &flags.images, "Pictures, a call each"),
        std::tuple("--height", &flags.height, "Of a picture, in pixels"),
        std::tuple("--width", &flags.width, "Of a picture, in pixels")}) {
    app.add_option(name, *value, help)
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
  }
  app.add_option("--in-flight", flags.in_flight, "Calls out at a time")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string(error.what()) + "\n";
  });
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = stridecast::Run(flags);
  if (status.ok()) return 0;
  std::cerr << "stridecast-fan-out: "
            << status.ToString(absl::StatusToStringMode::kWithNoExtraData)
            << "\n";
  return 1;
}
