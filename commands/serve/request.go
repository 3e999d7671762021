package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"techo/commands/server"
	"techo/internal/membudget"
	"techo/tools"
	"techo/tools/jsontree"
)

// Limits of requests. Together with the limits of package server, the limits on
// memory add up to less than its memoryLimit.
const (
	maxBodies   = 64 << 20  // bytes of all bodies that are held at once
	freeBody    = 64 << 10  // bytes of each body that do not count against maxBodies
	maxParsed   = 128 << 20 // bytes for the parsed inputs of calls
	parseFactor = 4         // bytes of memory for each byte of a body that is parsed
	maxHeader   = 64 << 10  // bytes

	maxRequests = 512 // requests whose bodies were read; further ones get an error

	headerTime = 10 * time.Second // for the header of a request
	idleTime   = 2 * time.Minute  // between the requests of a connection
	slowTime   = 10 * time.Second // for any body, and for any piece of an answer
	slowRate   = 256 << 10        // bytes a second that extend slowTime
	parseWait  = 10 * time.Second // a large request waits no longer for memory
)

// intake bounds the requests that a server handles at once.
type intake struct {
	slots  chan struct{}
	bodies *membudget.Budget
	parsed *membudget.Budget
}

func newIntake() intake {
	return intake{make(chan struct{}, maxRequests), membudget.New(maxBodies), membudget.New(maxParsed)}
}

// errNoRoom is returned for a body for which there is no memory now.
var errNoRoom = errors.New("no room for the body")

// admit reads the whole body of a request and then gives it a slot. The caller
// must call leave when the request has been answered.
func (in *intake) admit(env *tools.Env, w http.ResponseWriter, r *http.Request) (leave func(), e *tools.Error) {
	body, free, err := in.read(w, r)
	if e := bodyError(env, err); e != nil {
		if e.Code != tools.InvalidInput {
			drain(w, r)
		}
		closeAfter(w, r)
		return nil, e
	}
	select {
	case in.slots <- struct{}{}:
	default:
		free()
		return nil, server.RetryLater(env, "Too many requests at once: at most %d", maxRequests)
	}
	leaveSlot := func() { <-in.slots; free() }
	if body == nil {
		return leaveSlot, nil
	}
	body = jsontree.WithoutBOM(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(body) <= freeBody {
		return leaveSlot, nil
	}
	ctx, stop := context.WithTimeout(r.Context(), parseWait)
	defer stop()
	done, err := in.parsed.Wait(ctx, parseFactor*int64(len(body)))
	if err != nil {
		leaveSlot()
		return nil, server.RetryLater(env, "Too many large requests are being processed")
	}
	return func() { done(); leaveSlot() }, nil
}

// read reads the body of a request within the limits. The caller must call free
// to return its memory. A request without a body has a nil body.
func (in *intake) read(w http.ResponseWriter, r *http.Request) (body []byte, free func(), err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, func() {}, nil
	}
	if r.ContentLength > server.MaxBody {
		return nil, nil, &http.MaxBytesError{Limit: server.MaxBody}
	}
	held := int64(0)
	free = func() { in.bodies.Return(held) }
	grow := func(size int64) bool { // reserves memory for size bytes in all
		more := size - freeBody - held
		if more <= 0 {
			return true
		}
		if !in.bodies.Take(more) {
			return false
		}
		held += more
		return true
	}
	from := newBodyReader(w, r)
	defer from.clearDeadline()
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

// bodyReader reads a body with a deadline that each received byte extends, so
// that a slow client cannot hold a connection for long.
type bodyReader struct {
	r       io.Reader
	control *http.ResponseController
	began   time.Time
	got     int64
}

func newBodyReader(w http.ResponseWriter, r *http.Request) *bodyReader {
	return &bodyReader{r: r.Body, control: http.NewResponseController(w), began: time.Now()}
}

// Read sets the deadline and reads. Connections without deadlines are read
// without one.
func (s *bodyReader) Read(b []byte) (int, error) {
	_ = s.control.SetReadDeadline(s.began.Add(slowTime + time.Duration(s.got)*time.Second/slowRate))
	n, err := s.r.Read(b)
	s.got += int64(n)
	return n, err
}

func (s *bodyReader) clearDeadline() { _ = s.control.SetReadDeadline(time.Time{}) }

// drain reads and drops the rest of a body: many clients read the answer only
// after they have sent everything.
func drain(w http.ResponseWriter, r *http.Request) {
	_, _ = io.CopyN(io.Discard, newBodyReader(w, r), server.MaxBody)
}

// closeAfter closes the connection after the answer to a request whose body was
// not read, instead of waiting for the body.
func closeAfter(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
}

func bodyError(env *tools.Env, err error) *tools.Error {
	large := new(http.MaxBytesError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return env.Fail(tools.LimitExceeded, "A request has at most %d bytes", large.Limit)
	case errors.Is(err, errNoRoom):
		return server.RetryLater(env, "Too many large requests at once: all bodies together have at most %d bytes",
			maxBodies)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return env.Fail(tools.InvalidInput, "The body arrived at less than %d bytes a second", slowRate)
	}
	return env.Fail(tools.InvalidInput, "The body ended early")
}

// deadlineWriter sets a write deadline for each piece of an answer, so that a
// client that stops reading is disconnected, while a stream of events may last.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *deadlineWriter) Write(b []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(slowTime + time.Duration(len(b))*time.Second/slowRate))
	return w.ResponseWriter.Write(b)
}

// Flush sends a part of a stream of events. Its error is ignored: not every
// connection can flush.
func (w *deadlineWriter) Flush() {
	_ = w.control.SetWriteDeadline(time.Now().Add(slowTime))
	_ = w.control.Flush()
}

// Unwrap is for http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withWriteDeadlines disconnects clients that do not read their answer.
func withWriteDeadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &deadlineWriter{w, http.NewResponseController(w)}
		_ = s.control.SetWriteDeadline(time.Time{}) // of the previous request on this connection
		next.ServeHTTP(s, r)
	})
}
