// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

type metric struct {
	kind string // counter, gauge or histogram
	// Values that a label may have; nil: any.
	labels map[string][]string
}

// The labels that Prometheus gives to each series, and that of a histogram's
// buckets.
var targetLabels = []string{"job", "instance", "namespace", "pod", "service", "le"}

// Series that Prometheus makes itself.
var madeByPrometheus = map[string]metric{"up": {kind: "gauge"}}

// readMetrics reads the list of names: deploy/prometheus/metrics.txt says how
// it is written.
func readMetrics(path string) (map[string]metric, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	metrics := map[string]metric{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("%s:%d: not a name and a type", path, number)
		}
		name, kind := words[0], words[1]
		if kind != "counter" && kind != "gauge" && kind != "histogram" {
			return nil, fmt.Errorf("%s:%d: the type %q is unknown", path, number, kind)
		}
		if _, twice := metrics[name]; twice {
			return nil, fmt.Errorf("%s:%d: %s stands there twice", path, number, name)
		}
		labels := map[string][]string{}
		for _, word := range words[2:] {
			label, values, listed := strings.Cut(word, "=")
			labels[label] = nil
			if listed {
				labels[label] = strings.Split(values, "|")
			}
		}
		metrics[name] = metric{kind, labels}
	}
	return metrics, lines.Err()
}
