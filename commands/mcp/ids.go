package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

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
var integerID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?\d+(\.0+)?$`) })

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
	case !integerID().Match(raw):
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
