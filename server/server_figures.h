// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the metrics say of a server at the moment: what is in use beside its
// limit, what was refused, what the process takes, what it is.

#ifndef STRIDECAST_SERVER_SERVER_FIGURES_H_
#define STRIDECAST_SERVER_SERVER_FIGURES_H_

#include <vector>

#include "prometheus/metric_family.h"

namespace stridecast {

class Server;

std::vector<prometheus::MetricFamily> ReadServerFigures(const Server& server);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_SERVER_FIGURES_H_
