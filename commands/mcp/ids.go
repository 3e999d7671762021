package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"techo/internal/lazyregexp"
	"techo/tools/jsontree"
)

// The library parses the ids of requests as floating-point numbers, so that
// 9007199254740993 becomes …992 and 1.5 becomes 1. Here each answer carries the
// id exactly as the client wrote it. A number that the library would change is
// replaced by a string on the way in.

// openCalls are the calls that are not answered yet.
type openCalls map[jsonrpc.ID]*openCall

type openCall struct {
	rawID     json.RawMessage // as the client wrote it
	cancelled bool            // the client wants no answer
	fixed     bool            // it cannot be cancelled
}

// maxID is the maximum length of an id in bytes.
const maxID = 1024

// exactFloat is the bound up to which a float64 represents every integer.
const exactFloat = 1 << 53

var errID = errors.New("the id must be a string or an integer")

// integerID matches integers without an exponent.
var integerID = lazyregexp.New(`^-?\d+(\.0+)?$`)

// shortJSON is a JSON value that is dropped if it is longer than an id may be.
type shortJSON []byte

func (s *shortJSON) UnmarshalJSON(b []byte) error {
	*s = shortJSON{}
	if len(b) <= maxID {
		*s = append(*s, b...)
	}
	return nil
}

// requestID reads the id of a request. given is false for a notification, which
// has no id.
func requestID(message []byte) (id jsonrpc.ID, raw json.RawMessage, given bool, err error) {
	var fields map[string]shortJSON
	if err := json.Unmarshal(message, &fields); err != nil {
		return id, nil, false, err
	}
	text, given := fields["id"]
	if !given {
		return id, nil, false, nil
	}
	raw = json.RawMessage(text)
	id, err = libraryID(raw)
	return id, raw, true, err
}

// libraryID converts an id from JSON to one that the library keeps unchanged.
func libraryID(raw json.RawMessage) (jsonrpc.ID, error) {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return jsonrpc.ID{}, errID
		}
		return jsonrpc.MakeID(text)
	case !integerID.Get().Match(raw):
		return jsonrpc.ID{}, errID
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n >= exactFloat || n <= -exactFloat {
		return jsonrpc.MakeID("\x00" + string(raw))
	}
	return jsonrpc.MakeID(n)
}

// cancel marks the call that a notification cancels, and replaces its id in the
// notification by the library's. ok is false if no such call is open.
func (c openCalls) cancel(notification *jsonrpc.Request) (id jsonrpc.ID, ok bool) {
	var params map[string]json.RawMessage
	if json.Unmarshal(notification.Params, &params) != nil {
		return id, false
	}
	id, err := libraryID(params["requestId"])
	call := c[id]
	if err != nil || call == nil || call.fixed {
		return id, false
	}
	call.cancelled = true
	if text, isText := id.Raw().(string); isText {
		params["requestId"], _ = json.Marshal(text)
		notification.Params, _ = json.Marshal(params) // it was decoded from JSON
	}
	return id, true
}

// remove removes an answered call and returns its id as the client wrote it. send
// is false if the call was cancelled and the answer must not be sent.
func (c openCalls) remove(id jsonrpc.ID) (rawID json.RawMessage, send bool) {
	call := c[id]
	delete(c, id)
	if call == nil {
		return nil, true
	}
	return call.rawID, !call.cancelled
}

// answerHead returns the first bytes of an answer as the library encodes it.
func answerHead(id []byte) []byte {
	return append([]byte(`{"jsonrpc":"2.0","id":`), id...)
}

// restoreID replaces the library's id in an answer by the client's. Other messages
// are returned unchanged.
func restoreID(message []byte, id jsonrpc.ID, raw json.RawMessage) []byte {
	library, err := jsontree.Marshal(id.Raw())
	if err != nil || raw == nil || bytes.Equal(library, raw) {
		return message
	}
	rest, ok := bytes.CutPrefix(message, answerHead(library))
	if !ok {
		return message
	}
	return append(answerHead(raw), rest...)
}

// rpcError encodes an error that is answered without the library. A nil id becomes
// null (JSON-RPC 2.0, section 5).
func rpcError(id json.RawMessage, code int64, message string) []byte {
	b, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message},
	})
	if err != nil {
		panic(err) // strings, a number and valid JSON
	}
	return append(b, '\n')
}

// exactIDs keeps the ids of requests over HTTP exact, as openCalls does over stdin:
// an id that is neither a string nor an integer is refused, and each answer
// carries the id as the client wrote it.
func exactIDs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			refuse(w, nil, jsonrpc.CodeInvalidRequest, err.Error())
			return
		}
		if len(bytes.TrimSpace(body)) > 0 && !json.Valid(body) {
			refuse(w, nil, jsonrpc.CodeParseError, "the body is not JSON")
			return
		}
		w = &faultWriter{ResponseWriter: w, request: body}
		body, ids, err := translateIDs(body)
		if err != nil {
			refuse(w, nil, jsonrpc.CodeInvalidRequest, err.Error())
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if len(ids) > 0 {
			w = &idWriter{w, ids}
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request with an error of the protocol.
func refuse(w http.ResponseWriter, id json.RawMessage, code int64, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(rpcError(id, code, reason)) // it fails if the client has gone
}

// faultWriter makes an error of the protocol of what the library answers as plain text: that a message is
// none, or that its method is unknown.
type faultWriter struct {
	http.ResponseWriter
	request []byte
	plain   bool // the answer is a plain text
}

// WriteHeader looks whether the answer is a plain text.
func (w *faultWriter) WriteHeader(status int) {
	h := w.Header()
	if w.plain = status == http.StatusBadRequest && strings.HasPrefix(h.Get("Content-Type"), "text/plain"); w.plain {
		h.Set("Content-Type", "application/json")
		h.Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part of an answer. The library writes a plain text at once.
func (w *faultWriter) Write(b []byte) (int, error) {
	if !w.plain {
		return w.ResponseWriter.Write(b)
	}
	var message struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(w.request, &message) // a batch has no id
	code, reason := int64(jsonrpc.CodeInvalidRequest), strings.TrimSpace(string(b))
	if strings.HasSuffix(reason, " unsupported") { // checkRequest of the library
		code = jsonrpc.CodeMethodNotFound
	}
	if _, err := w.ResponseWriter.Write(rpcError(message.ID, code, reason)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Unwrap supports http.ResponseController.
func (w *faultWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// translatedID is the beginning of an answer with the library's id and with the
// client's.
type translatedID struct{ library, client []byte }

// translateIDs replaces the ids that the library would change by strings, and
// returns the replacements to undo in the answers. A body that is not JSON is left
// to the library.
func translateIDs(body []byte) ([]byte, []translatedID, error) {
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '[' {
		return translateID(body)
	}
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil {
		return body, nil, nil
	}
	var all []translatedID
	for i, message := range batch {
		message, ids, err := translateID(message)
		if err != nil {
			return body, nil, err
		}
		batch[i], all = message, append(all, ids...)
	}
	if len(all) == 0 {
		return body, nil, nil
	}
	body, err := json.Marshal(batch)
	return body, all, err
}

func translateID(message []byte) ([]byte, []translatedID, error) {
	var kept map[string]shortJSON
	if json.Unmarshal(message, &kept) != nil {
		return message, nil, nil
	}
	raw, given := kept["id"]
	if _, isRequest := kept["method"]; !given || !isRequest {
		return message, nil, nil // a notification, or an answer to a request of the server
	}
	id, err := libraryID(json.RawMessage(raw))
	if err != nil {
		return message, nil, err
	}
	library, err := jsontree.Marshal(id.Raw())
	if err != nil || bytes.Equal(library, raw) {
		return message, nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil {
		return message, nil, err
	}
	fields["id"] = library
	if message, err = json.Marshal(fields); err != nil {
		return message, nil, err
	}
	var ids []translatedID
	for _, member := range []string{`,"result":`, `,"error":`} {
		ids = append(ids, translatedID{append(answerHead(library), member...), append(answerHead(raw), member...)})
	}
	return message, ids, nil
}

// idWriter restores the clients' ids in answers. The library writes each event and
// each document with one Write.
type idWriter struct {
	http.ResponseWriter
	ids []translatedID
}

func (w *idWriter) Write(b []byte) (int, error) {
	translated := b
	for _, id := range w.ids {
		translated = bytes.Replace(translated, id.library, id.client, 1)
	}
	if _, err := w.ResponseWriter.Write(translated); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Unwrap supports http.ResponseController.
func (w *idWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
