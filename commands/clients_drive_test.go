package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"testing"

	"techo/internal/testenv"
)

// talk is a client in one session: JSON, a line each, on its stdin and stdout.
type talk struct {
	t      *testing.T
	in     io.Writer
	out    *bufio.Scanner
	stderr *testenv.Buffer
	id     int
}

func newTalk(ctx context.Context, t *testing.T, c *exec.Cmd) *talk {
	t.Helper()
	k := &talk{t: t, stderr: &testenv.Buffer{}}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	k.in, k.out, c.Stderr = in, bufio.NewScanner(out), k.stderr
	k.out.Buffer(nil, 1<<24)
	context.AfterFunc(ctx, func() { out.Close() })
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return k
}

type message = map[string]any

func (k *talk) send(m message) {
	line, _ := json.Marshal(m)
	if _, err := k.in.Write(append(line, '\n')); err != nil {
		k.t.Fatalf("%v\n%s", err, k.stderr)
	}
}

func (k *talk) until(wanted func(message) bool) message {
	k.t.Helper()
	for k.out.Scan() {
		var m message
		if json.Unmarshal(k.out.Bytes(), &m) == nil && wanted(m) {
			return m
		}
	}
	k.t.Fatalf("the client ended: %v\n%s", k.out.Err(), k.stderr)
	return nil
}

// call calls a method of JSON-RPC and returns its result.
func (k *talk) call(method string, params message) message {
	k.t.Helper()
	k.id++
	k.send(message{"jsonrpc": "2.0", "id": k.id, "method": method, "params": params})
	m := k.until(func(m message) bool { return m["id"] == float64(k.id) && m["method"] == nil })
	result, _ := m["result"].(message)
	if result == nil {
		k.t.Fatalf("%s: %v\n%s", method, m, k.stderr)
	}
	return result
}

// begin opens the session, and returns what says something in it.
func (k *talk) begin(client, dir string) (say func(text string)) {
	k.t.Helper()
	texts := func(text string) []message { return []message{{"type": "text", "text": text}} }
	switch client {
	case "claude":
		return func(text string) {
			k.t.Helper()
			k.send(message{"type": "user", "message": message{"role": "user", "content": text}})
			k.until(func(m message) bool { return m["type"] == "result" })
		}
	case "codex":
		k.call("initialize", message{"clientInfo": message{"name": "test", "version": "1"}})
		k.send(message{"jsonrpc": "2.0", "method": "initialized"})
		k.trust(dir)
		thread := k.call("thread/start", message{"cwd": dir})["thread"].(message)["id"]
		return func(text string) {
			k.t.Helper()
			if text == "/compact" {
				k.call("thread/compact/start", message{"threadId": thread})
			} else {
				k.call("turn/start", message{"threadId": thread, "input": texts(text)})
			}
			k.until(func(m message) bool { return m["method"] == "turn/completed" })
		}
	}
	k.call("initialize", message{"protocolVersion": 1, "clientCapabilities": message{}})
	session := k.call("session/new", message{"cwd": dir, "mcpServers": []any{}})["sessionId"]
	return func(text string) {
		k.t.Helper()
		k.call("session/prompt", message{"sessionId": session, "prompt": texts(text)})
	}
}

// trust trusts the hooks of Codex, as a person does after reviewing them.
func (k *talk) trust(dir string) {
	k.t.Helper()
	trusted := message{}
	for _, list := range k.call("hooks/list", message{"cwds": []string{dir}})["data"].([]any) {
		for _, hook := range list.(message)["hooks"].([]any) {
			trusted[hook.(message)["key"].(string)] = message{"trusted_hash": hook.(message)["currentHash"]}
		}
	}
	k.call("config/batchWrite", message{"edits": []message{{"keyPath": "hooks.state", "mergeStrategy": "upsert",
		"value": trusted}}, "reloadUserConfig": true})
}
