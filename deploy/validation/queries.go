// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// What a dashboard's variables stand for while it is checked.
var dashboardVariables = strings.NewReplacer(
	"$__rate_interval", "5m", "$__range", "1h")

var (
	metricInText     = regexp.MustCompile(`\bstridecast_[a-z0-9_]+\b`)
	variableQuery    = regexp.MustCompile(`^label_values\((.+), *([a-z_]+)\)$`)
	rateOfCounter    = []string{"rate", "irate", "increase", "resets"}
	counterFunctions = append(slices.Clone(rateOfCounter), "changes", "timestamp")
)

// checkQueries holds every query of a dashboard and of alert rules, and every
// name in documents, against the list of metrics: names, labels, values of
// labels, and that counters, and nothing else, are taken the rate of. Each
// metric of the list has to be shown by the dashboard.
func checkQueries(metricsPath, dashboardPath, rulesPath string, documents []string) error {
	metrics, err := readMetrics(metricsPath)
	if err != nil {
		return err
	}
	c := checker{metrics: metrics, shown: map[string]bool{}}
	dashboard, err := dashboardQueries(dashboardPath)
	if err != nil {
		return err
	}
	rules, err := ruleQueries(rulesPath)
	if err != nil {
		return err
	}
	var errs []error
	for _, query := range dashboard {
		errs = append(errs, c.check(dashboardPath, dashboardVariables.Replace(query)))
	}
	for name := range metrics {
		if !c.shown[name] {
			errs = append(errs, fmt.Errorf("%s: shows no %s", dashboardPath, name))
		}
	}
	for _, query := range rules {
		errs = append(errs, c.check(rulesPath, query))
	}
	for _, path := range documents {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range metricInText.FindAllString(string(text), -1) {
			if _, _, known := c.find(name); !known {
				errs = append(errs, fmt.Errorf("%s: %s is no metric of %s", path, name, metricsPath))
			}
		}
	}
	fmt.Printf("%d queries of %d metrics\n", len(dashboard)+len(rules), len(metrics))
	return errors.Join(errs...)
}

// dashboardQueries returns the "expr" of every panel and what variables ask
// for, wherever they stand.
func dashboardQueries(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var dashboard any
	if err := json.Unmarshal(text, &dashboard); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var queries []string
	var walk func(node any)
	walk = func(node any) {
		switch typed := node.(type) {
		case []any:
			for _, item := range typed {
				walk(item)
			}
		case map[string]any:
			for key, item := range typed {
				text, isText := item.(string)
				if isText && key == "expr" {
					queries = append(queries, text)
				} else if match := variableQuery.FindStringSubmatch(text); isText && match != nil {
					queries = append(queries, fmt.Sprintf("group by (%s) (%s)", match[2], match[1]))
				}
				walk(item)
			}
		}
	}
	walk(dashboard)
	if len(queries) == 0 {
		return nil, errors.New(path + ": no query")
	}
	return queries, nil
}

func ruleQueries(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Groups []struct {
			Rules []struct{ Expr string }
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var queries []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			queries = append(queries, rule.Expr)
		}
	}
	return queries, nil
}

type checker struct {
	metrics map[string]metric
	shown   map[string]bool
}

// find returns the metric that a series belongs to, and its name in the list.
func (c *checker) find(series string) (string, metric, bool) {
	if found, known := c.metrics[series]; known {
		// A histogram has no series of its own name.
		return series, found, true
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name, cut := strings.CutSuffix(series, suffix)
		if found := c.metrics[name]; cut && found.kind == "histogram" {
			return name, found, true
		}
	}
	found, known := madeByPrometheus[series]
	return series, found, known
}

func (c *checker) check(path, query string) error {
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", path, query, err)
	}
	var errs []error
	fail := func(format string, values ...any) {
		errs = append(errs, fmt.Errorf("%s: %s: %s", path, query, fmt.Sprintf(format, values...)))
	}
	parser.Inspect(tree, func(node parser.Node, above []parser.Node) error {
		switch typed := node.(type) {
		case *parser.VectorSelector:
			c.checkSelector(typed, above, fail)
		case *parser.AggregateExpr:
			known := c.labelsWithin(typed.Expr)
			for _, label := range typed.Grouping {
				if !slices.Contains(known, label) {
					fail("groups by %q, which no metric in it has", label)
				}
			}
		}
		return nil
	})
	return errors.Join(errs...)
}

func (c *checker) checkSelector(selector *parser.VectorSelector, above []parser.Node, fail func(string, ...any)) {
	name, found, known := c.find(selector.Name)
	if !known {
		fail("%q is not in the list of metrics", selector.Name)
		return
	}
	if found.kind == "histogram" && name == selector.Name {
		fail("%s is a histogram: its series end in _bucket, _sum, _count", name)
		return
	}
	c.shown[name] = true
	for _, matcher := range selector.LabelMatchers {
		if matcher.Name != labels.MetricName {
			checkMatcher(found, matcher, fail)
		}
	}
	function := innermostFunction(above)
	isCounter := found.kind != "gauge"
	if isCounter && !slices.Contains(counterFunctions, function) {
		fail("%s only grows; take its rate", selector.Name)
	}
	if !isCounter && slices.Contains(rateOfCounter, function) {
		fail("%s is a gauge; %s is for counters", selector.Name, function)
	}
}

func checkMatcher(found metric, matcher *labels.Matcher, fail func(string, ...any)) {
	values, known := found.labels[matcher.Name]
	if !known {
		if !slices.Contains(targetLabels, matcher.Name) {
			fail("the metric has no label %q", matcher.Name)
		}
		return
	}
	if values == nil || strings.Contains(matcher.Value, "$") {
		return
	}
	for _, value := range strings.Split(matcher.Value, "|") {
		if !slices.Contains(values, value) {
			fail("the label %s is never %q", matcher.Name, value)
		}
	}
}

func (c *checker) labelsWithin(tree parser.Expr) []string {
	known := slices.Clone(targetLabels)
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			_, found, _ := c.find(selector.Name)
			for label := range found.labels {
				known = append(known, label)
			}
		}
		return nil
	})
	return known
}

func innermostFunction(above []parser.Node) string {
	for _, node := range slices.Backward(above) {
		if call, ok := node.(*parser.Call); ok {
			return call.Func.Name
		}
	}
	return ""
}
