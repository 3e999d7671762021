package commands

import (
	"fmt"
	"testing"

	"techo/tools"
)

// TestBlank checks that all tools refuse blank names and contents, and control
// characters in names.
func TestBlank(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "text", "--priority", "3").ok()
	memory := w.run("memory", "add", "text").ok()["memory"].(map[string]any)["id"]
	event := w.run("cal", "create", "--title", "Review", "--start",
		"2026-01-08T10:00").ok()["event"].(map[string]any)["event_id"]
	for _, c := range []struct{ tool, path, input string }{
		{"add_memo", "/name", `{"name":%s,"content":"text","priority":3}`},
		{"add_memo", "/content", `{"name":"a","content":%s,"priority":3}`},
		{"add_memo", "/tags/0", `{"name":"a","content":"text","priority":3,"tags":[%s]}`},
		{"edit_memo", "/content", `{"memo_name":"ramen","content":%s}`},
		{"edit_memo", "/new_name", `{"memo_name":"ramen","new_name":%s}`},
		{"edit_memo", "/tags/0", `{"memo_name":"ramen","tags":[%s]}`},
		{"add_memory", "/full_text", `{"full_text":%s}`},
		{"add_memory", "/session", `{"full_text":"text","session":%s}`},
		{"edit_memory", "/full_text", fmt.Sprintf(`{"id":%q,"full_text":%%s}`, memory)},
		{"edit_memory", "/caption", fmt.Sprintf(`{"id":%q,"caption":%%s}`, memory)},
		{"edit_memory", "/session", fmt.Sprintf(`{"id":%q,"session":%%s}`, memory)},
		{"create_event", "/title", `{"title":%s,"start":"2026-01-08T10:00"}`},
		{"create_event", "/calendar", `{"title":"a","start":"2026-01-08T10:00","calendar":%s}`},
		{"update_event", "/title", fmt.Sprintf(`{"event_id":%q,"title":%%s}`, event)},
		{"ask_user", "/question", `{"question":%s}`},
		{"ask_user", "/options/0", `{"question":"Tea?","options":[%s]}`},
		{"ask_user", "/key", `{"question":"Tea?","key":%s}`},
	} {
		for _, blank := range []string{`"   "`, `"\u3000"`, `"\u200b\n"`, `"\u0000"`} {
			w.feed(fmt.Sprintf(c.input, blank), "call", c.tool).fails(tools.InvalidInput, c.path)
		}
	}
	for _, c := range []struct{ tool, path, input string }{
		{"add_memo", "/name", `{"name":%s,"content":"text","priority":3}`},
		{"add_memo", "/tags/0", `{"name":"a","content":"text","priority":3,"tags":[%s]}`},
		{"edit_memo", "/new_name", `{"memo_name":"ramen","new_name":%s}`},
		{"add_memory", "/session", `{"full_text":"text","session":%s}`},
		{"create_event", "/calendar", `{"title":"a","start":"2026-01-08T10:00","calendar":%s}`},
		{"ask_user", "/key", `{"question":"Tea?","key":%s}`},
	} {
		for _, name := range []string{`"a\u0000b"`, `"a\nb"`, `"a\u007f"`} {
			w.feed(fmt.Sprintf(c.input, name), "call", c.tool).fails(tools.InvalidInput, c.path)
		}
	}
	for _, user := range []string{"   ", "\u3000", "a\nb", "\u200b"} {
		w.run("memory", "add", "text", "--user", user).fails(tools.InvalidInput, "/user")
	}
	w.run("cal", "hold", "  ", "--slot", "2026-01-14T10:00/60m").fails(tools.InvalidInput, "/title")
	w.feed(`{"name":"茶 と\u3000水","content":" 緑茶\n","priority":3}`, "call", "add_memo").ok()
	w.feed(fmt.Sprintf(`{"id":%q,"session":""}`, memory), "call", "edit_memory").ok()
}
