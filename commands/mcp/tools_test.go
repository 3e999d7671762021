package mcp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/internal/mcptest"
	"techo/tools"
)

// TestCancel ends a call that the client cancels.
func TestCancel(t *testing.T) {
	started, ended := make(chan bool), make(chan bool)
	tool := waiting(func(ctx context.Context) { close(started); <-ctx.Done(); close(ended) })
	c := connect(t, newHost(t, tool), "", nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
		t.Error("a cancelled call has a result")
	}
	<-ended
	mcptest.Call(t, c, "list_memo", "")
}

// TestProgress checks the notifications for a tool that reports progress, and for one
// that does not.
func TestProgress(t *testing.T) {
	t.Parallel()
	received := make(chan *mcp.ProgressNotificationParams, 10)
	options := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *mcp.ProgressNotificationClientRequest) {
		received <- r.Params
	}}
	for _, counts := range []bool{false, true} {
		slow := tools.Define(tools.Tool{For: tools.Agents, Name: "wait", Command: "wait"},
			func(_ context.Context, env *tools.Env, _ struct{}) (out struct{}, err error) {
				if counts {
					env.Step(30, 70)
				}
				p := <-received
				if p.ProgressToken != "here" || p.Message != "wait" || counts && (p.Progress != 30 || p.Total != 70) ||
					!counts && p.Progress < 1 {
					t.Errorf("received %+v", p)
				}
				return out, nil
			})
		params := &mcp.CallToolParams{Name: "wait"}
		params.SetProgressToken("here")
		if _, err := connect(t, newHost(t, slow), "", options).CallTool(t.Context(), params); err != nil {
			t.Error(err)
		}
	}
}

// TestUnknownTool checks the suggestion for an unknown name in each language.
func TestUnknownTool(t *testing.T) {
	for lang, want := range map[string]string{
		"en": `There is no tool "add_mem". Did you mean 'add_memo'?`,
		"ja": `「add_mem」というツールはありません。もしかして: 「add_memo」`,
	} {
		r := runtest.New(t, run.Given{Settings: map[string]string{"lang": lang}}, families())
		_, err := connect(t, hostOf(t, r), "", nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "add_mem"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", lang, err)
		}
	}
}

// TestImage reads an image, which is image content beside the document.
func TestImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dot.gif")
	picture := "GIF89a\x01\x00\x01\x00\x00\x00\x00;"
	if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"", "2025-03-26"} {
		r, err := connect(t, newHost(t), version, nil).CallTool(t.Context(),
			&mcp.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": path}})
		if err != nil || r.IsError || len(r.Content) != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		got, ok := r.Content[1].(*mcp.ImageContent)
		if !ok || got.MIMEType != "image/gif" || string(got.Data) != picture {
			t.Errorf("version %q: %+v", version, r.Content[1])
		}
	}
}

// TestUnavailable checks that a tool whose condition is not met is not listed, and that
// a call of it returns the reason.
func TestUnavailable(t *testing.T) {
	off := *waiting(func(context.Context) {})
	off.When = func(env *tools.Env) *tools.Error {
		return env.Fail(tools.Unavailable, "off").WithHint("switch it on")
	}
	c := connect(t, newHost(t, &off), "", nil)
	if mcptest.Offers(t, c, "wait") {
		t.Error("it is listed")
	}
	if text, isError := mcptest.Call(t, c, "wait", ""); !isError || !strings.Contains(text, "switch it on") {
		t.Errorf("the call returns %s", text)
	}
}
