# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# stridecast-server and the tool, built, tested, and put into an image of their
# own: the two programs and the libraries that they load; no shell, no packages.
#   docker build -t stridecast:0.1.0 .
# deploy/README.md says how to run it, tests/container/run.sh tests it. For any
# builder since engine 20.10, so without mounts or a "syntax" line.

# Any Debian 12, by digest where builds have to be repeatable.
ARG BASE=debian:bookworm-slim

FROM $BASE AS build
WORKDIR /src
COPY deploy/install-deps.sh deploy/
RUN deploy/install-deps.sh ca-certificates
COPY . .
# A regular expression of ctest; empty: tests are neither built nor run. Those
# that want what is not here (grpcurl, Go, NumPy, network namespaces) skip
# themselves and say so.
ARG TESTS=.
RUN cmake --preset release -D STRIDECAST_BUILD_TESTS="${TESTS:+ON}" && \
    cmake --build --preset release
RUN [ -z "$TESTS" ] || \
    ctest --preset release --no-tests=error --tests-regex "$TESTS"
# The times of all files: equal sources and packages make an equal layer.
ARG SOURCE_DATE_EPOCH=0
RUN deploy/image-root.sh build/release /image

FROM scratch
# That of CMakeLists.txt.
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="stridecast" \
      org.opencontainers.image.description="A tensor-compute service over gRPC" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
# By number: Kubernetes' runAsNonRoot cannot look up a name.
USER 10001:10001
EXPOSE 50051 9464
# Drains; a second one ends it at once.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/stridecast-server"]
# Who publishes the port decides who may come: `docker run -p 127.0.0.1:50051:50051`.
CMD ["--listen=0.0.0.0:50051", "--allow-plaintext", "--metrics-listen=0.0.0.0:9464"]
# Liveness, as an orchestrator restarts what is unhealthy. No --server:
# STRIDECAST_SERVER says where, if not at 127.0.0.1:50051 in plaintext.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/usr/local/bin/stridecast", "health", "--service=liveness"]
