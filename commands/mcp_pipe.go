package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipeTransport is the protocol over two streams, a message a line. Other than
// the library's own, a line that is no message is answered with an error and
// the rest goes on, and when the input ends all calls that were read are
// answered first: `techo mcp < requests` answers every one of them.
type pipeTransport struct {
	in     io.Reader
	out    io.Writer
	finish time.Duration // how long calls may go on after the input has ended
	end    func()        // then ends them, so that they answer that
}

// finishCalls is how long calls of a client may go on after its end.
const finishCalls = 30 * time.Second

// Connect starts reading.
func (t *pipeTransport) Connect(context.Context) (mcp.Connection, error) {
	p := newPipe(t.out)
	p.patience, p.end = t.finish, t.end
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		p.broken = readLines(ctx, t.in, p.lines)
		close(p.lines)
	}()
	return p, nil
}

// mcpPipe is the connection.
type mcpPipe struct {
	lines  chan []byte
	broken error // why lines ended, when that is not its end; read after that
	queue  []jsonrpc.Message

	patience time.Duration // with calls that are open when lines ended
	end      func()

	mu       sync.Mutex // guards the fields below
	out      io.Writer
	open     map[jsonrpc.ID]bool // calls that are not answered
	answered chan struct{}       // a call was, and perhaps the last

	once   sync.Once
	closed chan struct{}
	stop   context.CancelFunc
}

func newPipe(out io.Writer) *mcpPipe {
	return &mcpPipe{
		out: out, lines: make(chan []byte, 64), closed: make(chan struct{}),
		open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1),
	}
}

// SessionID is empty: there is one session.
func (p *mcpPipe) SessionID() string { return "" }

// Close ends reading. What is under way may still be written.
func (p *mcpPipe) Close() error {
	p.once.Do(func() { close(p.closed); p.stop() })
	return nil
}

// Read returns the next message.
func (p *mcpPipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(p.queue) > 0 {
			m := p.queue[0]
			p.queue = p.queue[1:]
			return m, nil
		}
		select {
		case l, ok := <-p.lines:
			if !ok {
				return nil, p.finish(ctx)
			}
			if err := p.take(l); err != nil {
				return nil, err
			}
		case <-p.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take reads a line into the queue. An error is one of writing.
func (p *mcpPipe) take(line []byte) error {
	switch {
	case line == nil:
		return p.refuse(nil, jsonrpc.CodeInvalidRequest, "the message is too long")
	case !json.Valid(line):
		return p.refuse(nil, jsonrpc.CodeParseError, "this line is not JSON")
	}
	messages := []json.RawMessage{line}
	if bytes.TrimSpace(line)[0] == '[' { // a batch, which protocols before 2025-06-18 have
		if err := json.Unmarshal(line, &messages); err != nil || len(messages) == 0 {
			return p.refuse(nil, jsonrpc.CodeInvalidRequest, "an empty batch")
		}
	}
	for _, raw := range messages {
		m, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			if err := p.refuse(raw, jsonrpc.CodeInvalidRequest, "this is no JSON-RPC message: "+err.Error()); err != nil {
				return err
			}
			continue
		}
		p.note(m)
		p.queue = append(p.queue, m)
	}
	return nil
}

// note remembers a call, and forgets one that the client does not want
// answered any more.
func (p *mcpPipe) note(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.IsCall() {
		p.open[r.ID] = true
	} else if r.Method == "notifications/cancelled" {
		var c struct {
			ID any `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &c) == nil {
			if id, err := jsonrpc.MakeID(c.ID); err == nil {
				delete(p.open, id)
			}
		}
	}
}

// refuse answers what is no message, with its id if it has one.
func (p *mcpPipe) refuse(raw []byte, code int64, why string) error {
	var said struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &said) != nil || said.ID == nil {
		said.ID = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": said.ID, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	return p.write(b)
}

func (p *mcpPipe) write(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.out.Write(append(message, '\n'))
	return err
}

// Write writes a message. A call that was cancelled is not answered.
func (p *mcpPipe) Write(ctx context.Context, m jsonrpc.Message) error {
	r, isAnswer := m.(*jsonrpc.Response)
	if isAnswer {
		defer p.close(r.ID)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return p.write(b)
}

// close counts a call as answered.
func (p *mcpPipe) close(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
	select {
	case p.answered <- struct{}{}:
	default:
	}
}

// finish waits at the end of the input until all calls are answered. Those that
// take too long are ended, and answer that.
func (p *mcpPipe) finish(ctx context.Context) error {
	if !p.drain(ctx, p.patience) && ctx.Err() == nil {
		p.end()
		p.drain(ctx, endTime)
	}
	if p.broken != nil {
		return p.broken
	}
	return io.EOF
}

// drain waits until no call is open, and reports whether that was so in time.
func (p *mcpPipe) drain(ctx context.Context, patience time.Duration) bool {
	late := time.After(patience)
	for {
		p.mu.Lock()
		left := len(p.open)
		p.mu.Unlock()
		if left == 0 {
			return true
		}
		select {
		case <-p.answered:
		case <-late:
			return false
		case <-p.closed:
			return true
		case <-ctx.Done():
			return false
		}
	}
}
