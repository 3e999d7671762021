package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/internal/mcptest"
	"techo/tools/calendar"
	"techo/tools/memo"
	"techo/tools/memory"
)

// notebook returns a client of a server with memos, memories and a calendar, for one user.
func notebook(t *testing.T, dir, user, lang, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	r := runtest.In(t, dir, run.Given{Settings: map[string]string{"user": user, "lang": lang}},
		slices.Concat(memo.Tools(), memory.Tools(), calendar.Tools()))
	return connect(t, hostOf(t, r), version, options)
}

// listAll returns the URIs of all pages of the list.
func listAll(t *testing.T, c *mcp.ClientSession) (uris []string, pages int) {
	t.Helper()
	cursor := ""
	for {
		page, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Resources {
			if r.Name == "" || strings.Contains(r.Name, "\n") || r.MIMEType != "application/json" {
				t.Errorf("%+v", r)
			}
			uris = append(uris, r.URI)
		}
		pages++
		if cursor = page.NextCursor; cursor == "" {
			return uris, pages
		}
	}
}

// TestResources lists and reads all resources, each once, and none of another user.
func TestResources(t *testing.T) {
	dir := t.TempDir()
	c := notebook(t, dir, "tanaka", "en", "", nil)
	names := []string{"ramen", "a/b c", "100% ?#+", "らーめん"}
	for i := range 98 {
		names = append(names, fmt.Sprint("memo", i))
	}
	for _, name := range names {
		mcptest.Call(t, c, "add_memo", fmt.Sprintf(`{"name":%q,"content":"x","priority":3}`, name))
	}
	for i := range 3 {
		mcptest.Call(t, c, "add_memory", fmt.Sprintf(`{"full_text":"Tanaka has the number %d"}`, i))
		mcptest.Call(t, c, "create_event",
			fmt.Sprintf(`{"title":"Meeting","start":"2026-01-0%dT09:00","end":"2026-01-0%dT10:00"}`, 3+i, 3+i))
	}
	uris, pages := listAll(t, c)
	slices.Sort(uris)
	if n := len(slices.Compact(slices.Clone(uris))); n != len(uris) || n != len(names)+6 || pages != 2 {
		t.Errorf("%d resources on %d pages: %v", len(uris), pages, uris)
	}
	for _, uri := range append(uris, "techo://memo/らーめん", "techo://memo/a/b c") {
		read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(read.Contents) != 1 || read.Contents[0].URI != uri || read.CacheScope == "public" {
			t.Fatalf("%s: %v %+v", uri, err, read)
		}
		k, id, _ := resourceOf(uri)
		if !strings.Contains(read.Contents[0].Text, `"`+k.name+`":{`) || !strings.Contains(read.Contents[0].Text, id) {
			t.Errorf("%s: %s", uri, read.Contents[0].Text)
		}
	}
	other := notebook(t, dir, "sato", "ja", "2025-11-25", nil)
	seen, _ := listAll(t, other)
	for _, uri := range append(slices.Clone(uris), "techo://memo/", "techo://nothing/a", "techo://memory/../x",
		"file:///etc/passwd", "techo://memo/%zz", "techo://memo/none", "techo://memory/\x00\"") {
		_, err := other.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		e := new(jsonrpc.Error)
		if slices.Contains(seen, uri) != (err == nil) ||
			err != nil && (!errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams) {
			t.Errorf("%q for another user: %v", uri, err)
		}
		if strings.HasPrefix(uri, "techo://memory/") && err == nil {
			t.Errorf("another user reads %s", uri)
		}
	}
	for _, cursor := range []string{"x", "9.0", "-1.0", "0.-1", "0"} {
		if _, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor}); err == nil {
			t.Errorf("cursor %q is taken", cursor)
		}
	}
}

// TestTemplates: the templates and prompts are in the language of the server, and of what it offers.
func TestTemplates(t *testing.T) {
	c := notebook(t, t.TempDir(), "tanaka", "ja", "", nil)
	list, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(list.ResourceTemplates) != 3 || list.ResourceTemplates[0].Title != "メモ" ||
		list.ResourceTemplates[0].URITemplate != "techo://memo/{name}" {
		t.Errorf("%v %+v", err, list)
	}
	only := connect(t, newHost(t), "", nil)
	list, err = only.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(list.ResourceTemplates) != 1 {
		t.Errorf("memos alone: %v %+v", err, list)
	}
	if uris, _ := listAll(t, only); len(uris) != 0 {
		t.Errorf("%v", uris)
	}
}

// heard is what a client was told.
type heard struct{ lists, updates chan string }

// listener returns what a client of a user hears that has listed the resources and subscribed to one.
func listener(t *testing.T, dir, user, version, uri string) heard {
	t.Helper()
	h := heard{make(chan string, 1000), make(chan string, 1000)}
	c := notebook(t, dir, user, "en", version, &mcp.ClientOptions{
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { h.lists <- "" },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			h.updates <- r.Params.URI
		},
	})
	uris, _ := listAll(t, c)
	err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
	if version < inputRequestVersion && slices.Contains(uris, uri) != (err == nil) {
		t.Errorf("%s subscribes to %s: %v", user, uri, err)
	}
	return h
}

// TestAnnounced: what one client changes is announced to another one, in both generations of the
// protocol, but not to another user.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writer := notebook(t, dir, "tanaka", "en", "", nil)
			text, _ := mcptest.Call(t, writer, "add_memory", `{"full_text":"Tanaka likes ramen"}`)
			_, rest, _ := strings.Cut(text, `"id":"`)
			id, _, _ := strings.Cut(rest, `"`)
			uri := "techo://memory/" + id
			own, other := listener(t, dir, "tanaka", version, uri), listener(t, dir, "sato", version, uri)
			// A client may begin to listen a little after its request: what it missed is repeated.
			until := func(told chan string, tool, input string) string {
				for i := 0; ; i++ {
					if _, failed := mcptest.Call(t, writer, tool, fmt.Sprintf(input, i)); failed {
						t.Fatalf("%s %s", tool, input)
					}
					select {
					case got := <-told:
						return got
					case <-time.After(lookEvery):
					case <-t.Context().Done():
						t.Fatal("nothing is announced")
					}
				}
			}
			if got := until(own.updates, "edit_memory", `{"id":"`+id+`","caption":"soba %d"}`); got != uri {
				t.Errorf("updated: %s", got)
			}
			until(own.lists, "add_memory", `{"full_text":"Tanaka has %d cats"}`)
			if len(other.lists) > 0 || len(other.updates) > 0 {
				t.Error("another user hears of memories")
			}
			until(other.lists, "add_memo", `{"name":"memo%d","content":"x","priority":3}`) // memos are of all users
		})
	}
}
