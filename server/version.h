// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The version of this build, as CMakeLists.txt states it.

#ifndef STRIDECAST_SERVER_VERSION_H_
#define STRIDECAST_SERVER_VERSION_H_

namespace stridecast {

inline constexpr char kStridecastVersion[] = STRIDECAST_VERSION;

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_VERSION_H_
