package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/readahead"
	"techo/commands/server"
)

// pipeTransport carries the protocol over two streams, one message per line. The
// library's own transport ends at the first invalid line and drops unfinished calls
// at the end of the input. This one answers an invalid line with an error, and
// answers all calls before it ends, so that `techo mcp < requests` is complete.
type pipeTransport struct {
	in  io.Reader
	out io.Writer

	grace time.Duration   // how long calls may run after the end of the input
	end   func()          // cancels the calls that still run then
	stop  context.Context // when it is done, blocked writes are abandoned after server.EndTime; may be nil
}

const (
	// linesAhead is the maximum number of lines that are read ahead.
	linesAhead = 64

	// lineWait is how long a line waits for memory that earlier calls hold. It is
	// limited because an earlier call may itself wait for a later line.
	lineWait = 10 * time.Second

	// finishCalls is how long the calls of a client may run after its end.
	finishCalls = 30 * time.Second
)

// Connect starts reading.
func (t *pipeTransport) Connect(context.Context) (mcp.Connection, error) {
	p := newPipe(t.out)
	p.grace, p.end = t.grace, t.end
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		p.readError = p.ahead.Run(ctx, t.in)
		close(p.ahead.Lines)
	}()
	if t.stop != nil {
		context.AfterFunc(t.stop, func() { time.AfterFunc(server.EndTime, p.abandonWrites) })
	}
	return p, nil
}

// pipe is a connection over two streams.
type pipe struct {
	ahead     *readahead.Reader
	readError error // why reading failed, nil at the end of the input; set before ahead.Lines is closed
	queue     []jsonrpc.Message

	grace time.Duration // for open calls, after the end of the input
	end   func()

	out           *readahead.Writer
	abandonWrites func() // unblocks writes to a client that does not read

	mu       sync.Mutex            // guards the fields below
	release  map[jsonrpc.ID]func() // releases the memory of a call
	open     map[jsonrpc.ID]bool   // calls that are to be answered or, if they listen, acknowledged
	calls    openCalls
	answered chan struct{} // signals that a call was answered

	once   sync.Once
	closed chan struct{}
	stop   context.CancelFunc
}

func newPipe(out io.Writer) *pipe {
	quit := make(chan struct{})
	return &pipe{
		out: readahead.NewWriter(out, quit), abandonWrites: sync.OnceFunc(func() { close(quit) }),
		ahead: readahead.New(linesAhead, lineWait), release: map[jsonrpc.ID]func(){}, closed: make(chan struct{}),
		open: map[jsonrpc.ID]bool{}, calls: openCalls{}, answered: make(chan struct{}, 1),
	}
}

// SessionID returns "": a pipe has one session.
func (p *pipe) SessionID() string { return "" }

// Close stops reading. Answers can still be written.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed); p.stop() })
	return nil
}

// Read returns the next message.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(p.queue) > 0 {
			m := p.queue[0]
			p.queue = p.queue[1:]
			return m, nil
		}
		select {
		case l, ok := <-p.ahead.Lines:
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

// take parses a line and adds its messages to the queue. It answers invalid messages
// itself; an error comes from writing such an answer. The memory of the line is
// released when all its calls have been answered.
func (p *pipe) take(l readahead.Read) error {
	line, calls := l.Text, &readahead.Shared{Left: 1, Free: l.Free}
	defer calls.Done()
	switch {
	case line == nil:
		return p.refuse(nil, jsonrpc.CodeInvalidRequest, "the message is too long")
	case !json.Valid(line):
		return p.refuse(nil, jsonrpc.CodeParseError, "this line is not JSON")
	}
	messages := []json.RawMessage{line}
	if bytes.TrimSpace(line)[0] == '[' { // a batch, which protocols before 2025-06-18 allow
		if err := json.Unmarshal(line, &messages); err != nil || len(messages) == 0 {
			return p.refuse(nil, jsonrpc.CodeInvalidRequest, "an empty batch")
		}
	}
	for _, raw := range messages {
		m, err := jsonrpc.DecodeMessage(raw)
		if err == nil {
			err = p.register(m, raw, calls)
		}
		if err != nil {
			err = p.refuse(raw, jsonrpc.CodeInvalidRequest, "not a JSON-RPC message: "+err.Error())
			if err != nil {
				return err
			}
			continue
		}
		p.queue = append(p.queue, m)
	}
	return nil
}

// errInFlight refuses a call with the id of an open call: a client could not
// distinguish the two answers.
var errInFlight = errors.New("a request with this id is not answered yet")

// register records a call under its exact id, or marks a call as cancelled. An error
// refuses the message.
func (p *pipe) register(m jsonrpc.Message, raw []byte, calls *readahead.Shared) error {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	id, rawID, isCall, err := requestID(raw)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case isCall && p.calls[id] != nil:
		return errInFlight
	case isCall:
		r.ID = id
		p.calls[id] = &openCall{rawID: rawID, fixed: r.Method == "initialize"}
		p.open[id] = true
		p.release[id] = calls.Share()
	case r.Method == "notifications/cancelled":
		if id, ok := p.calls.cancel(r); ok {
			delete(p.open, id)
		}
	}
	return nil
}

// refuse answers an invalid message with an error, under its id if it has one.
func (p *pipe) refuse(raw []byte, code int64, reason string) error {
	var message struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &message) != nil || len(message.ID) > maxID {
		message.ID = nil
	}
	_, err := p.out.Write(rpcError(message.ID, code, reason))
	return err
}

// Write writes a message. The answer to a cancelled call is dropped.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	var rawID json.RawMessage
	r, isAnswer := m.(*jsonrpc.Response)
	if isAnswer {
		defer p.close(r.ID)
		p.mu.Lock()
		raw, send := p.calls.remove(r.ID)
		p.mu.Unlock()
		if !send {
			return nil
		}
		rawID = raw
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.Method == subscriptionAcknowledged {
		defer p.acknowledged(call)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if isAnswer {
		b = restoreID(b, r.ID, rawID)
	}
	_, err = p.out.Write(append(b, '\n'))
	return err
}

// acknowledged ends the wait for a call that listens: it lasts until the client ends it.
func (p *pipe) acknowledged(r *jsonrpc.Request) {
	var params struct {
		Meta struct {
			ID json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return
	}
	if id, err := libraryID(params.Meta.ID); err == nil {
		p.mu.Lock()
		delete(p.open, id)
		p.mu.Unlock()
		p.signal()
	}
}

// close marks a call as answered.
func (p *pipe) close(id jsonrpc.ID) {
	defer p.signal()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
	if release := p.release[id]; release != nil {
		delete(p.release, id)
		release()
	}
}

// signal tells drain to look again.
func (p *pipe) signal() {
	select {
	case p.answered <- struct{}{}:
	default:
	}
}

// finish waits at the end of the input until all calls are answered. Calls that
// exceed the grace time are cancelled and answer with an error.
func (p *pipe) finish(ctx context.Context) error {
	if !p.drain(ctx, p.grace) && ctx.Err() == nil {
		if p.end(); !p.drain(ctx, server.EndTime) {
			p.abandonWrites()
		}
	}
	if p.readError != nil {
		return p.readError
	}
	return io.EOF
}

// drain waits until no call is open. It returns false if that takes longer than
// limit.
func (p *pipe) drain(ctx context.Context, limit time.Duration) bool {
	late := time.After(limit)
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
