package commands

import (
	"encoding/json"
	"fmt"
	"testing"
)

// moved is an invented export: the document, and how much of it an import takes.
type moved struct {
	document  any
	own, rest int // memories of the person, and with --all-turns of the assistant
	leftOut   int
}

type object = map[string]any

// said returns the i-th statement of an invented person, in one of two languages.
func said(lang string, kind, i int) string {
	if lang == "ja" {
		return fmt.Sprintf("私の%d番目の話は第%d巻の%d頁にあります。", i, kind, i*7)
	}
	return fmt.Sprintf("My story %d is in volume %d on page %d.", i, kind, i*7)
}

// chatGPT returns an export of ChatGPT with n statements of the person. Each conversation has an
// answer that was asked for again, so that one branch is hidden.
func chatGPT(lang string, kind, n int) moved {
	m := moved{}
	var all []object
	for i := 0; i < n; i++ {
		message := func(role, kind, text string) object {
			return object{"author": object{"role": role}, "create_time": 1767600000.25 + float64(i),
				"content": object{"content_type": kind, "parts": []any{text, object{"asset_pointer": "x"}}}}
		}
		own := said(lang, kind, i)
		all = append(all, object{"title": "Story\n物語", "conversation_id": fmt.Sprintf("%08d-x", i),
			"create_time": 1767600000.5, "current_node": "answer", "mapping": object{
				"root":    object{"id": "root", "message": nil, "parent": nil},
				"system":  object{"message": message("system", "text", ""), "parent": "root"},
				"own":     object{"message": message("user", "text", own), "parent": "system"},
				"old":     object{"message": message("assistant", "text", "Not that"), "parent": "own"},
				"thought": object{"message": message("assistant", "thoughts", "hm"), "parent": "own"},
				"answer":  object{"message": message("assistant", "text", "Noted: "+own), "parent": "thought"},
			}})
		m.own, m.rest, m.leftOut = m.own+1, m.rest+1, m.leftOut+4 // a picture, too
	}
	m.document = all
	return m
}

func claude(lang string, kind, n int) moved {
	m := moved{}
	var messages []object
	for i := range n {
		messages = append(messages,
			object{"sender": "human", "text": "", "created_at": "2026-01-05T08:00:00.123456Z",
				"content": []object{{"type": "text", "text": said(lang, kind, i)}, {"type": "tool_use", "name": "x"}}},
			object{"sender": "assistant", "text": "Noted: " + said(lang, kind, i),
				"created_at": "2026-01-05T08:00:01Z"},
			object{"sender": "human", "text": " ", "created_at": "2026-01-05T08:00:02Z"})
		m.own, m.rest, m.leftOut = m.own+1, m.rest+1, m.leftOut+2
	}
	m.document = []object{{"uuid": "0123456789", "name": "物語 about stories", "chat_messages": messages},
		{"uuid": "1", "name": "", "chat_messages": []object{}}}
	return m
}

func mem0(lang string, kind, n int) moved {
	m := moved{own: n}
	var all []object
	for i := range n {
		one := object{"id": fmt.Sprint(i), "memory": said(lang, kind, i), "hash": "x", "user_id": "alex",
			"created_at": "2025-07-20T01:30:36.275141-07:00", "updated_at": nil,
			"metadata": object{"category": "story"}}
		if kind%3 == 2 {
			one = object{"id": fmt.Sprint(i), "payload": object{"data": said(lang, kind, i), "user_id": "alex"}}
		}
		all = append(all, one)
	}
	switch kind % 3 {
	case 0:
		m.document = object{"results": append(all, object{"id": "old", "memory": "gone", "event": "DELETE"}),
			"relations": []object{{"source": "alex", "relationship": "likes", "target": "tea"}}}
		m.own, m.leftOut = m.own+1, 1
	default:
		m.document = all
	}
	return m
}

// TestImportMoving imports what other programs leave behind.
func TestImportMoving(t *testing.T) {
	for name, export := range map[string]func(lang string, kind, n int) moved{"chatgpt": chatGPT, "claude": claude, "mem0": mem0} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for kind, n := range []int{60, 5, 5} {
				for _, lang := range []string{"en", "ja"} {
					checkMoved(t, w, export(lang, kind, n), fmt.Sprintf("%s%d", lang, kind))
				}
			}
			w.run("store", "verify").ok()
		})
	}
}

func checkMoved(t *testing.T, w *world, m moved, user string) {
	t.Helper()
	b, err := json.Marshal(m.document)
	if err != nil {
		t.Fatal(err)
	}
	w.put("whole.json", string(b))
	w.put("part.json", string(b[:len(b)/2])) // an import that ended in the middle
	checkImport(t, w, "whole.json", "part.json", user, m.own, m.leftOut)
	if m.rest == 0 {
		return
	}
	if got := w.run("import", "memories", "whole.json", "--user", user, "--all-turns").ok(); got["imported"] != float64(m.rest) {
		t.Errorf("%s: all turns: %v, want %d", user, got, m.rest)
	}
	found := w.run("memory", "list", "--user", user, "--limit", "1").ok()["memories"].([]any)[0].(map[string]any)
	if s := found["session"].(string); s == "" || found["created_at"].(string)[:4] != "2026" {
		t.Errorf("%s: %v", user, found)
	}
}

// checkImport imports a file or folder with memories: a dry run leaves the store as it is, and after an import of a
// part, or of the whole, another one adds the rest alone.
func checkImport(t *testing.T, w *world, whole, part, user string, memories, leftOut int) {
	t.Helper()
	do := func(from string, flags ...string) map[string]any {
		return w.run(append([]string{"import", "memories", from, "--user", user}, flags...)...).ok()
	}
	total := func() int {
		return int(w.run("memory", "list", "--user", user, "--fields", "total").ok()["total"].(float64))
	}
	count := func(of any) (n int) {
		list, _ := of.([]any)
		for _, l := range list {
			n += int(l.(map[string]any)["count"].(float64))
		}
		return n
	}
	if got := do(whole, "--dry-run"); got["imported"] != float64(memories) || got["skipped"] != 0.0 || got["dry_run"] != true ||
		count(got["left_out"]) != leftOut || len(got["sample"].([]any)) == 0 || total() != 0 {
		t.Errorf("%s: a dry run: %v, want %d", user, got, memories)
	}
	do(part)
	before := total()
	if got := do(whole); got["imported"] != float64(memories-before) || got["skipped"] != 0.0 ||
		count(got["left_out"]) != leftOut || total() != memories {
		t.Errorf("%s: %v after %d, then %d, want %d", user, got, before, total(), memories)
	}
	if got := do(whole); got["imported"] != 0.0 || total() != memories {
		t.Errorf("%s: again: %v", user, got)
	}
}
