// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

// validation reads the files of deploy/ as the programs do that they are for:
// with Envoy's own messages, the Prometheus operator's own types, compose's own
// loader and Prometheus' own parser of queries.
//
//	validation envoy FILE
//	validation compose FILE
//	validation service-monitor FILE
//	validation queries METRICS DASHBOARD RULES DOCUMENT...
//
// Exit codes: 0 valid, 1 not, 2 bad command line. Run by deploy/validate.sh.
package main

import (
	"fmt"
	"os"
)

func run(arguments []string) error {
	command, files := arguments[0], arguments[1:]
	switch {
	case command == "envoy" && len(files) == 1:
		return checkEnvoy(files[0])
	case command == "compose" && len(files) == 1:
		return checkCompose(files[0])
	case command == "service-monitor" && len(files) == 1:
		return checkServiceMonitors(files[0])
	case command == "queries" && len(files) >= 3:
		return checkQueries(files[0], files[1], files[2], files[3:])
	}
	fmt.Fprintln(os.Stderr, "validation: bad command line, see main.go")
	os.Exit(2)
	return nil
}

func main() {
	if len(os.Args) < 2 {
		os.Args = append(os.Args, "")
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
