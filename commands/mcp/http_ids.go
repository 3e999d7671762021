package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"techo/tools"
)

// exactIDs gives the ids of JSON-RPC requests over HTTP the same treatment as
// those over stdin: an id that is neither a string nor an integer is refused,
// and every answer carries the bytes that the client sent.
func exactIDs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			writeRPCError(w, jsonrpc.CodeInvalidRequest, err.Error())
			return
		}
		body, ids, err := translateIDs(body)
		if err != nil {
			writeRPCError(w, jsonrpc.CodeInvalidRequest, err.Error())
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if len(ids) > 0 {
			w = &idWriter{w, ids}
		}
		next.ServeHTTP(w, r)
	})
}

// writeRPCError refuses a request whose id cannot be read, and so answers
// under the id null (JSON-RPC 2.0, section 5).
func writeRPCError(w http.ResponseWriter, code int64, message string) {
	b, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message},
	})
	if err != nil {
		panic(err) // strings and a number
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(append(b, '\n')) // an error means that the client has gone
}

// translatedID is the head of an answer as the library writes it, and as the
// client expects it.
type translatedID struct{ library, client []byte }

// translateIDs replaces the ids that the library would change by strings that
// it keeps. It returns the ids that answers need translated back. A body that
// is not JSON is left to the library.
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

// translateID is translateIDs for one message.
func translateID(message []byte) ([]byte, []translatedID, error) {
	var kept map[string]shortJSON
	if json.Unmarshal(message, &kept) != nil {
		return message, nil, nil
	}
	raw, given := kept["id"]
	if _, isRequest := kept["method"]; !given || !isRequest {
		return message, nil, nil // a notification, or an answer to the server
	}
	id, err := WireID(json.RawMessage(raw))
	if err != nil {
		return message, nil, err
	}
	library, err := tools.Marshal(id.Raw())
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
		ids = append(ids, translatedID{answerHead(library, member), answerHead(raw, member)})
	}
	return message, ids, nil
}

// answerHead is how the library begins an answer.
func answerHead(id []byte, member string) []byte {
	return append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), member...)
}

// idWriter translates the ids of answers back. The library writes each event,
// and each document, with one Write.
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

// Flush sends the events that were written so far.
func (w *idWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (w *idWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
