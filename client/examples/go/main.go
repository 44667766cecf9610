// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

// Normalize sends a picture as it comes from a decoder, u8 [H,W,C], and gets
// what a model wants, (x / 255 - mean) / deviation as f32 [C,H,W], in one call.
// The answer is checked against plain loops, bit by bit.
//
//	normalize [-server host:port] [picture.png | picture.jpg]
package main

//go:generate ./generate.sh

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "stridecast.example/normalize/stridecastpb"
)

const channels = 3

// Of the pictures of ImageNet, per channel.
var (
	mean      = [channels]float32{0.485, 0.456, 0.406}
	deviation = [channels]float32{0.229, 0.224, 0.225}
)

// A picture's samples, interleaved: row-major [height, width, channels].
type picture struct {
	height, width int
	samples       []byte
}

func generated() picture {
	p := picture{height: 1080, width: 1920}
	p.samples = make([]byte, p.height*p.width*channels)
	for i := range p.samples {
		p.samples[i] = byte(i * 2654435761 >> 13)
	}
	return p
}

func load(path string) (picture, error) {
	file, err := os.Open(path)
	if err != nil {
		return picture{}, err
	}
	defer file.Close()
	decoded, _, err := image.Decode(file)
	if err != nil {
		return picture{}, fmt.Errorf("%s: %w", path, err)
	}
	bounds := decoded.Bounds()
	p := picture{height: bounds.Dy(), width: bounds.Dx()}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := decoded.At(x, y).RGBA()
			p.samples = append(p.samples, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return p, nil
}

func bytesOf(numbers ...float32) []byte {
	var data []byte
	for _, number := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(number))
	}
	return data
}

func raw(data []byte) *pb.Payload { return &pb.Payload{Raw: data} }

// A program: value 0 is its operand, and each instruction appends one value.
type program struct{ spec *pb.ComputeSpec }

func (p program) append(instruction *pb.Instruction) uint32 {
	p.spec.Instructions = append(p.spec.Instructions, instruction)
	return uint32(len(p.spec.Operands) + len(p.spec.Instructions) - 1)
}

// Numbers that the program carries: a scalar, or a vector.
func (p program) constant(numbers ...float32) uint32 {
	desc := &pb.TensorDesc{Type: pb.DType_F32}
	if len(numbers) > 1 {
		desc.Dimensions = []int64{int64(len(numbers))}
	}
	return p.append(&pb.Instruction{
		Opcode: pb.Instruction_CONSTANT,
		Attributes: &pb.Instruction_Constant{Constant: &pb.Constant{
			Desc: desc, Payload: raw(bytesOf(numbers...))}}})
}

func normalize(p picture) *pb.ComputeSpec {
	program := program{&pb.ComputeSpec{Operands: []*pb.TensorDesc{{
		Type:       pb.DType_U8,
		Dimensions: []int64{int64(p.height), int64(p.width), channels},
	}}}}
	x := program.append(&pb.Instruction{
		Opcode: pb.Instruction_CONVERT, Operands: []uint32{0},
		Attributes: &pb.Instruction_Convert{
			Convert: &pb.Convert{Type: pb.DType_F32}}})
	// A scalar needs no dimensions.
	x = program.append(&pb.Instruction{
		Opcode:   pb.Instruction_DIVIDE,
		Operands: []uint32{x, program.constant(255)}})
	// Dimension 0 of the vectors is dimension 2 of the picture: the channel.
	x = program.append(&pb.Instruction{
		Opcode:              pb.Instruction_SUBTRACT,
		Operands:            []uint32{x, program.constant(mean[:]...)},
		BroadcastDimensions: []int64{2}})
	x = program.append(&pb.Instruction{
		Opcode:              pb.Instruction_DIVIDE,
		Operands:            []uint32{x, program.constant(deviation[:]...)},
		BroadcastDimensions: []int64{2}})
	// The model's dimension 0 is the channel.
	program.append(&pb.Instruction{
		Opcode: pb.Instruction_TRANSPOSE, Operands: []uint32{x},
		Attributes: &pb.Instruction_Dimensions{
			Dimensions: &pb.Dimensions{Dimensions: []int64{2, 0, 1}}}})
	program.spec.Results = []*pb.ResultSpec{{}} // the last value, row-major
	return program.spec
}

func check(p picture, response *pb.ComputeResponse) error {
	if len(response.Results) != 1 || len(response.Payloads) != 1 {
		return fmt.Errorf("%d results", len(response.Results))
	}
	planes := response.Payloads[0].Raw
	if len(planes) != 4*len(p.samples) {
		return fmt.Errorf("a result of %d bytes", len(planes))
	}
	for i, sample := range p.samples {
		pixel, channel := i/channels, i%channels
		want := float32(float32(float32(sample)/255)-mean[channel]) / deviation[channel]
		at := channel*p.height*p.width + pixel
		got := math.Float32frombits(binary.LittleEndian.Uint32(planes[4*at:]))
		if got != want {
			return fmt.Errorf("pixel %d, channel %d: %v instead of %v", pixel, channel, got, want)
		}
	}
	return nil
}

// The server's text, and the field that it blames.
func explain(err error) string {
	state := status.Convert(err)
	text := fmt.Sprintf("%v: %s", state.Code(), state.Message())
	for _, detail := range state.Details() {
		if bad, ok := detail.(*errdetails.BadRequest); ok {
			for _, violation := range bad.FieldViolations {
				text += " [" + violation.Field + "]"
			}
		}
	}
	return text
}

func run(server string, repeats int, paths []string) error {
	p := generated()
	if len(paths) > 0 {
		var err error
		if p, err = load(paths[0]); err != nil {
			return err
		}
	}
	connection, err := grpc.NewClient(server,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// 4 MiB by default, less than most results.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return err
	}
	defer connection.Close()
	client := pb.NewTensorComputeClient(connection)
	request := &pb.ComputeRequest{
		Spec: normalize(p), Payloads: []*pb.Payload{raw(p.samples)}}

	best := time.Duration(math.MaxInt64)
	for range repeats {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		start := time.Now()
		response, err := client.Compute(ctx, request)
		elapsed := time.Since(start)
		cancel()
		if err != nil {
			return errors.New(explain(err))
		}
		if err := check(p, response); err != nil {
			return err
		}
		best = min(best, elapsed)
	}
	bytes := 5 * len(p.samples) // 1 there and 4 back
	fmt.Printf("u8 [%d,%d,%d] to f32 [%d,%d,%d]: all values right, %.1f ms, %.2f GB/s there and back\n",
		p.height, p.width, channels, channels, p.height, p.width,
		best.Seconds()*1e3, float64(bytes)/best.Seconds()/1e9)
	return nil
}

func main() {
	server := flag.String("server", "127.0.0.1:50051", "host:port")
	repeats := flag.Int("repeats", 9, "calls; the fastest counts")
	flag.Parse()
	if err := run(*server, *repeats, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "normalize:", err)
		os.Exit(1)
	}
}
