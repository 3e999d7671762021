package serve

import (
	"io"
	"math"
	"net/http"
	"strconv"

	"techo/commands/remote"
	"techo/commands/run"
	"techo/tools"
)

// Content types of answers.
const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"

	metricsType = "text/plain; version=0.0.4; charset=utf-8"
)

// statuses maps error codes to HTTP statuses. All others are 500.
var statuses = map[tools.Code]int{
	tools.InvalidInput:  http.StatusBadRequest,
	tools.NotFound:      http.StatusNotFound,
	tools.Unavailable:   http.StatusForbidden,
	tools.Forbidden:     http.StatusForbidden,
	tools.AlreadyExists: http.StatusConflict,
	tools.Conflict:      http.StatusConflict,
	tools.LimitExceeded: http.StatusUnprocessableEntity,
	tools.Busy:          http.StatusServiceUnavailable,
	tools.Upstream:      http.StatusBadGateway,
	tools.RateLimited:   http.StatusTooManyRequests,
	tools.NoSpace:       http.StatusInsufficientStorage,
	tools.Timeout:       http.StatusGatewayTimeout,
	tools.Cancelled:     499, // nginx uses it for clients that disconnected
}

func status(c tools.Code) int {
	if n, ok := statuses[c]; ok {
		return n
	}
	return http.StatusInternalServerError
}

// fail answers with an error.
func (srv *Server) fail(w http.ResponseWriter, e *tools.Error) {
	if e.Code == tools.RateLimited || e.Code == tools.Busy {
		seconds := max(1, int(math.Ceil(e.RetryAfter.Seconds())))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	n := status(e.Code)
	if w.Header().Get("WWW-Authenticate") != "" { // who asks is not known
		n = http.StatusUnauthorized
	}
	write(w, n, run.Document(srv.host.Bound(e)))
}

// answer answers with the document of a result, or with the error of the call.
func (srv *Server) answer(w http.ResponseWriter, result *tools.Result, e *tools.Error) {
	srv.answerAs(w, jsonType, result, e)
}

// answerFor answers in the form that the request asks for.
func answerFor(srv *Server, w http.ResponseWriter, r *http.Request, result *tools.Result, e *tools.Error) {
	contentType := jsonType
	if r.Header.Get(remote.OutputHeader) == "text" {
		contentType = textType
	}
	srv.answerAs(w, contentType, result, e)
}

// answerAs answers with the document or the text of a result, or with the error of the
// call, which is always a document.
func (srv *Server) answerAs(w http.ResponseWriter, contentType string, result *tools.Result, e *tools.Error) {
	if e != nil {
		srv.fail(w, e)
		return
	}
	if result.Outcome != "" {
		w.Header().Set(remote.OutcomeHeader, string(result.Outcome))
	}
	if contentType == textType {
		_, _ = io.WriteString(begin(w, http.StatusOK, textType), result.Text+"\n")
		return
	}
	write(w, http.StatusOK, result.JSON)
}

// write answers with a document.
func write(w http.ResponseWriter, status int, document []byte) {
	_, _ = begin(w, status, jsonType).Write(append(document, '\n'))
}

// begin sends the status and the header that all answers have, and returns the writer of
// the content: browsers and proxies neither keep an answer nor take it for another type.
// Callers ignore the errors of the writer: the client has gone.
func begin(w http.ResponseWriter, status int, contentType string) io.Writer {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(remote.ProtocolHeader, remote.Protocol)
	w.WriteHeader(status)
	return w
}
