package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"techo/commands/readahead"
	"techo/commands/server"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// PipeTransport is the protocol over two streams, a message a line. Other than
// the library's own, a line that is no message is answered with an error and
// the rest goes on, and when the input ends all calls that were read are
// answered first: `techo mcp < requests` answers every one of them.
type PipeTransport struct {
	In     io.Reader
	Out    io.Writer
	Finish time.Duration // how long calls may go on after the input has ended
	End    func()        // then ends them, so that they answer that

	// stop ends everything: some time after it a client that does not read is
	// left. nil is never.
	stop context.Context
}

// linesAhead is how many lines are read ahead at most, and lineWait how long
// one waits for the memory of calls before it. A call may wait for a later line
// of the client, so that does not last.
const (
	linesAhead = 64
	lineWait   = 10 * time.Second
)

// finishCalls is how long calls of a client may go on after its end.
const finishCalls = 30 * time.Second

// Connect starts reading.
func (t *PipeTransport) Connect(context.Context) (mcp.Connection, error) {
	p := NewPipe(t.Out)
	p.patience, p.end = t.Finish, t.End
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		p.broken = p.ahead.Run(ctx, t.In)
		close(p.ahead.Lines)
	}()
	if t.stop != nil {
		context.AfterFunc(t.stop, func() { time.AfterFunc(server.EndTime, p.giveUp) })
	}
	return p, nil
}

// mcpPipe is the connection.
type mcpPipe struct {
	ahead  *readahead.Reader
	broken error // why lines ended, when that is not its end; read after that
	Queue  []jsonrpc.Message

	patience time.Duration // with calls that are open when lines ended
	end      func()

	out    *readahead.Writer
	giveUp func() // leaves a write that is blocked

	mu       sync.Mutex            // guards the fields below
	held     map[jsonrpc.ID]func() // frees the memory of a call
	open     map[jsonrpc.ID]bool   // calls that are to be answered
	calls    callIDs
	answered chan struct{} // a call was, and perhaps the last

	once   sync.Once
	closed chan struct{}
	stop   context.CancelFunc
}

func NewPipe(out io.Writer) *mcpPipe {
	quit := make(chan struct{})
	return &mcpPipe{
		out: readahead.NewWriter(out, quit), giveUp: sync.OnceFunc(func() { close(quit) }),
		ahead: readahead.New(linesAhead, lineWait), held: map[jsonrpc.ID]func(){}, closed: make(chan struct{}),
		open: map[jsonrpc.ID]bool{}, calls: callIDs{}, answered: make(chan struct{}, 1),
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
		if len(p.Queue) > 0 {
			m := p.Queue[0]
			p.Queue = p.Queue[1:]
			return m, nil
		}
		select {
		case l, ok := <-p.ahead.Lines:
			if !ok {
				return nil, p.finish(ctx)
			}
			if err := p.Take(l); err != nil {
				return nil, err
			}
		case <-p.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Take reads a line into the queue. An error is one of writing. The memory of
// the line is free when all its calls have been answered.
func (p *mcpPipe) Take(l readahead.Read) error {
	line, calls := l.Text, &readahead.Shared{Left: 1, Free: l.Free}
	defer calls.Done()
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
		if err == nil {
			err = p.note(m, raw, calls)
		}
		if err != nil {
			if err := p.refuse(raw, jsonrpc.CodeInvalidRequest, "this is no JSON-RPC message: "+
				err.Error()); err != nil {
				return err
			}
			continue
		}
		p.Queue = append(p.Queue, m)
	}
	return nil
}

// errInFlight refuses a call under an id whose answer could be either call's.
var errInFlight = errors.New("a request with this id is not answered yet")

// note remembers a call under its exact id, and forgets one that the client
// does not want answered any more. An error refuses the message.
func (p *mcpPipe) note(m jsonrpc.Message, raw []byte, calls *readahead.Shared) error {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	id, written, isCall, err := requestID(raw)
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
		p.calls[id] = &callID{raw: written, fixed: r.Method == "initialize"}
		p.open[id] = true
		p.held[id] = calls.Share()
	case r.Method == "notifications/cancelled":
		if id, ok := p.calls.cancel(r); ok {
			delete(p.open, id)
		}
	}
	return nil
}

// refuse answers what is no message, with its id if it has one.
func (p *mcpPipe) refuse(raw []byte, code int64, why string) error {
	var said struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &said) != nil || said.ID == nil || len(said.ID) > MaxID {
		said.ID = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": said.ID,
		"error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	return p.write(b)
}

func (p *mcpPipe) write(message []byte) error {
	_, err := p.out.Write(append(message, '\n'))
	return err
}

// Write writes a message. A call that was cancelled is not answered.
func (p *mcpPipe) Write(ctx context.Context, m jsonrpc.Message) error {
	var id json.RawMessage
	r, isAnswer := m.(*jsonrpc.Response)
	if isAnswer {
		defer p.close(r.ID)
		p.mu.Lock()
		raw, wanted := p.calls.answer(r.ID)
		p.mu.Unlock()
		if !wanted {
			return nil
		}
		id = raw
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if isAnswer {
		b = WithID(b, r.ID, id)
	}
	return p.write(b)
}

// close counts a call as answered.
func (p *mcpPipe) close(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
	if free := p.held[id]; free != nil {
		delete(p.held, id)
		free()
	}
	select {
	case p.answered <- struct{}{}:
	default:
	}
}

// finish waits at the end of the input until all calls are answered. Those that
// take too long are ended, and answer that.
func (p *mcpPipe) finish(ctx context.Context) error {
	if !p.drain(ctx, p.patience) && ctx.Err() == nil {
		if p.end(); !p.drain(ctx, server.EndTime) {
			p.giveUp()
		}
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
