// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

// checkCompose loads a file as compose v2 does, with all profiles and no
// variable set.
func checkCompose(path string) error {
	details := types.ConfigDetails{
		WorkingDir:  filepath.Dir(path),
		ConfigFiles: []types.ConfigFile{{Filename: path}},
		Environment: types.Mapping{},
	}
	project, err := loader.LoadWithContext(context.Background(), details,
		func(options *loader.Options) {
			options.SetProjectName("validation", true)
			options.Profiles = []string{"*"}
		})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return project.CheckContainerNameUnicity()
}

// checkServiceMonitors reads those of a file of several documents into the
// operator's type; a field that the type lacks is an error.
func checkServiceMonitors(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found := 0
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var kind struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		}
		if err := yaml.Unmarshal(document, &kind); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if kind.Kind != "ServiceMonitor" {
			continue
		}
		found++
		if kind.APIVersion != monitoring.SchemeGroupVersion.String() {
			return fmt.Errorf("%s: ServiceMonitor: apiVersion %q, want %q", path,
				kind.APIVersion, monitoring.SchemeGroupVersion)
		}
		var monitor monitoring.ServiceMonitor
		if err := yaml.UnmarshalStrict(document, &monitor); err != nil {
			return fmt.Errorf("%s: ServiceMonitor: %w", path, err)
		}
		if len(monitor.Spec.Endpoints) == 0 {
			return fmt.Errorf("%s: ServiceMonitor: no endpoints", path)
		}
	}
	if found == 0 {
		return errors.New(path + ": no ServiceMonitor")
	}
	return nil
}
