// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"sigs.k8s.io/yaml"

	bootstrap "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"

	// Messages that an Any of the file may hold. One that is missing here is
	// an error, never skipped.
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/access_loggers/stream/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/clusters/dns/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/grpc_stats/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/resource_monitors/downstream_connections/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/resource_monitors/fixed_heap/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/retry/host/previous_hosts/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
)

// checkEnvoy holds a bootstrap file against Envoy's messages: no unknown field,
// none that is deprecated, every rule stated in the messages kept, within each
// Any too, and every cluster that a route names defined.
func checkEnvoy(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	json, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var config bootstrap.Bootstrap
	if err := protojson.Unmarshal(json, &config); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	seen := names{clusters: map[string]bool{}, used: map[string]bool{}}
	if err := seen.visit(&config); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name := range seen.used {
		if !seen.clusters[name] {
			return fmt.Errorf("%s: a route names the cluster %q, which is none", path, name)
		}
	}
	if len(seen.used) == 0 {
		return fmt.Errorf("%s: no route leads to a cluster", path)
	}
	return nil
}

type names struct {
	clusters, used map[string]bool
}

// visit checks a message and those within it. ValidateAll descends into fields,
// but takes what an Any holds for bytes.
func (n *names) visit(message proto.Message) error {
	if checked, ok := message.(interface{ ValidateAll() error }); ok {
		if err := checked.ValidateAll(); err != nil {
			return err
		}
	}
	switch typed := message.(type) {
	case *anypb.Any:
		held, err := typed.UnmarshalNew()
		if err != nil {
			return err
		}
		return n.visit(held)
	case *cluster.Cluster:
		n.clusters[typed.GetName()] = true
	case *route.RouteAction:
		n.used[typed.GetCluster()] = true
	}
	var errs []error
	message.ProtoReflect().Range(
		func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
			options := field.Options().(*descriptorpb.FieldOptions)
			if options.GetDeprecated() {
				errs = append(errs, fmt.Errorf("%s is deprecated", field.FullName()))
			}
			errs = append(errs, n.visitField(field, value))
			return true
		})
	return errors.Join(errs...)
}

func (n *names) visitField(field protoreflect.FieldDescriptor, value protoreflect.Value) error {
	var errs []error
	switch {
	case field.IsMap():
		if field.MapValue().Message() == nil {
			return nil
		}
		value.Map().Range(func(_ protoreflect.MapKey, item protoreflect.Value) bool {
			errs = append(errs, n.visit(item.Message().Interface()))
			return true
		})
	case field.Message() == nil:
	case field.IsList():
		for i := 0; i < value.List().Len(); i++ {
			errs = append(errs, n.visit(value.List().Get(i).Message().Interface()))
		}
	default:
		errs = append(errs, n.visit(value.Message().Interface()))
	}
	return errors.Join(errs...)
}
