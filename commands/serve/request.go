package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"techo/commands/server"
	"techo/tools"
	"time"
)

// Limits of requests. Those of memory add up to what newHost lets a server use.
const (
	MaxBodies   = 64 << 20  // bytes of all bodies that are held at once
	freeBody    = 64 << 10  // bytes of a body that needs no share of that
	ParseRoom   = 128 << 20 // bytes for the parsed inputs of calls
	parseFactor = 4         // bytes that a byte of a body takes when it is parsed
	maxHeader   = 64 << 10  // bytes

	MaxRequests = 512 // whose bodies were read; more are told to come back

	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	slowTime   = 10 * time.Second // that any body, and any piece of an answer, may take
	slowRate   = 256 << 10        // bytes a second that it has to keep after that
	turnTime   = 10 * time.Second // that a large request waits for its turn
)

// Intake is what a server lets in at once.
type Intake struct {
	Slots  chan struct{}
	Bodies *tools.Room
	Parsed *tools.Room
}

func newIntake() Intake {
	return Intake{make(chan struct{}, MaxRequests), tools.NewRoom(MaxBodies), tools.NewRoom(ParseRoom)}
}

// errNoRoom is the error of a body for which there is no memory now.
var errNoRoom = errors.New("no room for the body")

// admit reads the whole body of a request and then gives it a slot. The caller
// calls leave when the request has been answered.
func (in *Intake) admit(env *tools.Env, w http.ResponseWriter, r *http.Request) (leave func(), e *tools.Error) {
	body, free, err := in.read(w, r)
	if e := bodyError(env, r, err); e != nil {
		if e.Code != tools.InvalidInput {
			discard(w, r)
		}
		hangUp(w, r)
		return nil, e
	}
	select {
	case in.Slots <- struct{}{}:
	default:
		free()
		return nil, server.RetryLater(env, "Too many requests at once: at most %d", MaxRequests)
	}
	leaveSlot := func() { <-in.Slots; free() }
	if body == nil {
		return leaveSlot, nil
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) <= freeBody {
		return leaveSlot, nil
	}
	ctx, stop := context.WithTimeout(r.Context(), turnTime)
	defer stop()
	done, err := in.Parsed.Wait(ctx, parseFactor*int64(len(body)))
	if err != nil {
		leaveSlot()
		return nil, server.RetryLater(env, "Too many large requests at once: %d bytes found no room", len(body))
	}
	return func() { done(); leaveSlot() }, nil
}

// read reads the body of a request within the limits. free gives its memory
// back. A body is nil when there is none.
func (in *Intake) read(w http.ResponseWriter, r *http.Request) (body []byte, free func(), err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, func() {}, nil
	}
	if r.ContentLength > server.MaxBody {
		return nil, nil, &http.MaxBytesError{Limit: server.MaxBody}
	}
	held := int64(0)
	free = func() { in.Bodies.Return(held) }
	grow := func(size int64) bool { // to so many bytes in all
		more := size - freeBody - held
		if more <= 0 {
			return true
		}
		if !in.Bodies.Take(more) {
			return false
		}
		held += more
		return true
	}
	from := &steadyReader{r: r.Body, control: http.NewResponseController(w), began: time.Now()}
	defer from.end()
	size := r.ContentLength
	if size < 0 {
		size = freeBody
	}
	for {
		if !grow(size) {
			free()
			return nil, nil, errNoRoom
		}
		body = append(make([]byte, 0, size), body...)
		n, err := io.ReadFull(from, body[len(body):size])
		body = body[:len(body)+n]
		switch {
		case err == io.EOF, err == io.ErrUnexpectedEOF && r.ContentLength < 0:
			return body, free, nil
		case err != nil:
			free()
			return nil, nil, err
		case int64(len(body)) == r.ContentLength:
			return body, free, nil
		case size > server.MaxBody:
			free()
			return nil, nil, &http.MaxBytesError{Limit: server.MaxBody}
		}
		size = min(2*size, server.MaxBody+1)
	}
}

// steadyReader reads a body that has to keep coming.
type steadyReader struct {
	r       io.Reader
	control *http.ResponseController
	began   time.Time
	got     int64
}

// Read sets the time by which a body has to have come so far.
func (s *steadyReader) Read(b []byte) (int, error) {
	// not every connection has one
	_ = s.control.SetReadDeadline(s.began.Add(slowTime + time.Duration(s.got)*time.Second/slowRate))
	n, err := s.r.Read(b)
	s.got += int64(n)
	return n, err
}

func (s *steadyReader) end() { _ = s.control.SetReadDeadline(time.Time{}) }

// discard reads what is left of a body, so that the client comes to read the
// answer.
func discard(w http.ResponseWriter, r *http.Request) {
	from := &steadyReader{r: r.Body, control: http.NewResponseController(w), began: time.Now()}
	_, _ = io.CopyN(io.Discard, from, server.MaxBody)
}

// hangUp closes a connection after the answer when a part of the body was not
// read: the server does not wait for the rest.
func hangUp(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
}

// bodyError is the answer to a body that could not be read.
func bodyError(env *tools.Env, r *http.Request, err error) *tools.Error {
	large := new(http.MaxBytesError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return env.Fail(tools.LimitExceeded, "A request has at most %d bytes", large.Limit)
	case errors.Is(err, errNoRoom):
		return server.RetryLater(env, "Too many large requests at once: all bodies together have at most %d bytes",
			MaxBodies)
	}
	return env.Fail(tools.InvalidInput, "The request ended early, or came at less than %d bytes a second: %v", slowRate,
		err)
}

// steadyWriter writes an answer that the client has to keep reading: each piece
// has a time of its own, so that streams of events may last.
type steadyWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *steadyWriter) Write(b []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(slowTime + time.Duration(len(b))*time.Second/slowRate))
	return w.ResponseWriter.Write(b)
}

// Flush lets a stream of events through; the connection may not be able to.
func (w *steadyWriter) Flush() {
	_ = w.control.SetWriteDeadline(time.Now().Add(slowTime))
	_ = w.control.Flush()
}

// Unwrap is what http.ResponseController asks.
func (w *steadyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// steady bounds the time that clients may take to read an answer.
func steady(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &steadyWriter{w, http.NewResponseController(w)}
		_ = s.control.SetWriteDeadline(time.Time{}) // left by the last request of the connection
		next.ServeHTTP(s, r)
	})
}
