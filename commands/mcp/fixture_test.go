package mcp

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/commands/server"
	"techo/internal/mcptest"
	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/files"
	"techo/tools/memo"
)

func families() []*tools.Tool { return slices.Concat(memo.Tools(), files.Tools(), ask.Tools()) }

func hostOf(t *testing.T, r *run.Run, further ...*tools.Tool) *server.Host {
	t.Helper()
	r.Offered = append(slices.DeleteFunc(r.Offered, func(t *tools.Tool) bool {
		return slices.ContainsFunc(further, func(f *tools.Tool) bool { return f.Name == t.Name })
	}), further...)
	h, e := server.New(r, catalogue.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	return h
}

func newHost(t *testing.T, further ...*tools.Tool) *server.Host {
	t.Helper()
	return hostOf(t, runtest.New(t, run.Given{}, families()), further...)
}

// connect connects a client to a host in memory, in a version of the protocol; "" is
// the newest.
func connect(t *testing.T, h *server.Host, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	go newServer(h, nil, true).Run(t.Context(), far)
	return mcptest.Connect(t, mcptest.NewClient(options), near, version)
}

// converse serves requests over two streams and returns the answers by id.
func converse(t *testing.T, h *server.Host, requests string) map[string]string {
	t.Helper()
	p := startPipe(t, h)
	p.send(t, requests)
	return p.end(t)
}

// pipeSession is a server over two streams.
type pipeSession struct {
	requests *io.PipeWriter
	out      testenv.Buffer
	done     chan error
}

// startPipe serves a host over two streams.
func startPipe(t *testing.T, h *server.Host) *pipeSession {
	t.Helper()
	in, requests := io.Pipe()
	p := &pipeSession{requests: requests, done: make(chan error, 1)}
	go func() {
		p.done <- newServer(h, nil, true).Run(t.Context(),
			&pipeTransport{in: in, out: &p.out, grace: time.Minute, end: func() {}})
	}()
	return p
}

func (p *pipeSession) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.requests, text); err != nil {
		t.Fatal(err)
	}
}

// end ends the input and returns all answers by id.
func (p *pipeSession) end(t *testing.T) map[string]string {
	t.Helper()
	p.requests.Close()
	if err := <-p.done; err != nil && err != io.EOF {
		t.Error(err)
	}
	return mcptest.Answers(t, p.out.String())
}

// waiting returns the tool "wait", which runs a function.
func waiting(do func(context.Context)) *tools.Tool {
	return tools.Define(tools.Tool{For: tools.Agents, Name: "wait", Command: "wait"},
		func(ctx context.Context, _ *tools.Env, _ struct{}) (out struct {
			Message string `json:"message"`
		}, err error) {
			do(ctx)
			return out, ctx.Err()
		})
}

// canElicitHello is the beginning of a conversation with a client that can show forms.
func canElicitHello() string {
	return strings.Replace(mcptest.Hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
}
