package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"sync"
	"techo/tools"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The library reads the ids of requests as floating-point numbers, so that
// 9007199254740993 becomes …992 and 1.5 becomes 1. Here each call keeps its id
// as the client wrote it, and the answer carries the same bytes. A number that
// the library cannot hold goes to it under a text of ours.

// callIDs are the calls that are not answered.
type callIDs map[jsonrpc.ID]*callID

// callID is one of them.
type callID struct {
	raw       json.RawMessage // as the client wrote it
	cancelled bool            // the client wants no answer
	fixed     bool            // it cannot be cancelled
}

// MaxID is how many bytes an id may have.
const MaxID = 1024

// exactFloat is up to which whole number a float64 holds each one.
const exactFloat = 1 << 53

var errID = errors.New("the id must be a text or a whole number")

// wholeID matches whole numbers without an exponent.
var wholeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?\d+(\.0+)?$`) })

// shortJSON is a JSON value that is kept if it is no longer than an id.
type shortJSON []byte

func (s *shortJSON) UnmarshalJSON(b []byte) error {
	*s = shortJSON{}
	if len(b) <= MaxID {
		*s = append(*s, b...)
	}
	return nil
}

// requestID reads the id of a request. given is false when it has none, and so
// is a notification.
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
	id, err = WireID(raw)
	return id, raw, true, err
}

// WireID is the library's id for one as it is written.
func WireID(raw json.RawMessage) (jsonrpc.ID, error) {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return jsonrpc.ID{}, errID
		}
		return jsonrpc.MakeID(text)
	case !wholeID().Match(raw):
		return jsonrpc.ID{}, errID
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n >= exactFloat || n <= -exactFloat {
		return jsonrpc.MakeID("\x00" + string(raw))
	}
	return jsonrpc.MakeID(n)
}

// cancel notes that the client wants no answer to a call, and lets the
// notification name it as the library does. It returns the call, or false for
// one that is not open.
func (c callIDs) cancel(note *jsonrpc.Request) (id jsonrpc.ID, ok bool) {
	var params map[string]json.RawMessage
	if json.Unmarshal(note.Params, &params) != nil {
		return id, false
	}
	id, err := WireID(params["requestId"])
	call := c[id]
	if err != nil || call == nil || call.fixed {
		return id, false
	}
	call.cancelled = true
	if text, translated := id.Raw().(string); translated {
		params["requestId"], _ = json.Marshal(text)
		note.Params, _ = json.Marshal(params) // of values that were JSON
	}
	return id, true
}

// answer takes a call out, and returns the id to answer it with. wanted is
// false when it was cancelled.
func (c callIDs) answer(id jsonrpc.ID) (raw json.RawMessage, wanted bool) {
	call := c[id]
	delete(c, id)
	if call == nil {
		return nil, true
	}
	return call.raw, !call.cancelled
}

// WithID puts an id in the place of the library's.
func WithID(message []byte, id jsonrpc.ID, raw json.RawMessage) []byte {
	own, err := tools.Marshal(id.Raw())
	if err != nil || raw == nil || bytes.Equal(own, raw) {
		return message
	}
	head := append([]byte(`{"jsonrpc":"2.0","id":`), own...)
	rest, ok := bytes.CutPrefix(message, head)
	if !ok {
		return message
	}
	return append(append([]byte(`{"jsonrpc":"2.0","id":`), raw...), rest...)
}
