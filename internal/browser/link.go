package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// link speaks the DevTools protocol over a pair of pipes: JSON messages that end with NUL.
type link struct {
	to      io.WriteCloser
	started atomic.Bool // the browser answered

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	closed  bool
	heard   func(event) // called for each event in order; it must not wait for an answer
}

type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

type event struct {
	Method  string          `json:"method"`
	Session string          `json:"sessionId"`
	Params  json.RawMessage `json:"params"`
}

func newLink(from io.Reader, to io.WriteCloser) *link {
	l := &link{to: to, waiting: map[int]chan answer{}}
	go l.read(from)
	return l
}

// read reads messages until the browser ends or sends one that is too long.
func (l *link) read(from io.Reader) {
	r := bufio.NewReaderSize(from, 1<<16)
	var message []byte
	for {
		part, err := r.ReadSlice(0)
		if message = append(message, part...); len(message) > maxMessage {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			break
		}
		l.take(message[:len(message)-1])
		message = message[:0]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for id, c := range l.waiting {
		close(c)
		delete(l.waiting, id)
	}
}

func (l *link) take(message []byte) {
	l.started.Store(true)
	var a answer
	if json.Unmarshal(message, &a) == nil && a.ID != 0 {
		l.mu.Lock()
		c := l.waiting[a.ID]
		delete(l.waiting, a.ID)
		l.mu.Unlock()
		if c != nil {
			c <- a
		}
		return
	}
	var e event
	l.mu.Lock()
	heard := l.heard
	l.mu.Unlock()
	if json.Unmarshal(message, &e) == nil && e.Method != "" && heard != nil {
		heard(e)
	}
}

func (l *link) listen(heard func(event)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = heard
}

type args map[string]any

// post sends a command and ignores the answer.
func (l *link) post(session, method string, params args) { _, _ = l.send(session, method, params, nil) }

func (l *link) send(session, method string, params args, c chan answer) (id int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrCrashed
	}
	l.last++
	command := map[string]any{"id": l.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	if err != nil {
		return 0, err
	}
	if c != nil {
		l.waiting[l.last] = c
	}
	_, err = l.to.Write(append(text, 0))
	return l.last, err
}

// call sends a command and waits for its result, which it stores in result unless that is nil.
func (l *link) call(ctx context.Context, session, method string, params args, result any) error {
	c := make(chan answer, 1)
	id, err := l.send(session, method, params, c)
	if err != nil {
		return ErrCrashed
	}
	select {
	case a, ok := <-c:
		switch {
		case !ok:
			return ErrCrashed
		case a.Error != nil:
			return &LoadError{method + ": " + a.Error.Message}
		case result == nil:
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-ctx.Done():
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
		return context.Cause(ctx)
	}
}
