package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// reviewing is a face by which a person decides about memories of a space.
type reviewing struct {
	t     *testing.T
	face  string
	space string
	call  func(tool, input string) string
}

// do calls a tool in the space.
func (r *reviewing) do(tool string, input map[string]any) (out map[string]any) {
	r.t.Helper()
	if r.space != "" {
		input["space"] = r.space
	}
	text, err := json.Marshal(input)
	if err != nil {
		r.t.Fatal(err)
	}
	answer := r.call(tool, string(text))
	if err := json.Unmarshal([]byte(answer), &out); err != nil || out["error"] != nil {
		r.t.Fatalf("%s: %s %s: %v, %s", r.face, tool, text, err, answer)
	}
	return out
}

// kinds returns the kinds of what waits apart from unconfirmed memories, and the first suggestion.
func (r *reviewing) kinds() (kinds string, tool string, input map[string]any) {
	r.t.Helper()
	for i, item := range r.do("review_memories", map[string]any{})["items"].([]any) {
		kind := item.(map[string]any)["kind"].(string)
		if kind == "unconfirmed" {
			break // the last kind
		}
		kinds += kind + " "
		if suggestion := item.(map[string]any)["suggestion"].(map[string]any); i == 0 {
			tool, input = suggestion["tool"].(string), suggestion["input"].(map[string]any)
		}
	}
	return strings.TrimSpace(kinds), tool, input
}

// decides decides and checks that nothing waits then, and that it waits again after an undo.
func (r *reviewing) decides(kind, tool string, input map[string]any) {
	r.t.Helper()
	r.do(tool, input)
	if left, _, _ := r.kinds(); left != "" {
		r.t.Errorf("%s in %q: after %s %s waits", r.face, r.space, tool, left)
	}
	r.do("undo_change", map[string]any{})
	if back, _, _ := r.kinds(); back != kind {
		r.t.Errorf("%s in %q: after the undo of %s %q waits", r.face, r.space, tool, back)
	}
}

// TestReviewFaces takes every decision about a contradiction and a repetition, and takes it back, by
// a command, over HTTP and over MCP, in a space of one's own and in a shared one, in both languages.
func TestReviewFaces(t *testing.T) {
	t.Parallel()
	for lang, texts := range map[string][4]string{
		"en": {"The office is in Berlin.", "The office moved to Munich.", "Tanaka's dog is called Max.",
			"The name of Tanaka's dog is Max."},
		"ja": {"佐藤さんは東京に住んでいる。", "佐藤さんは大阪に引っ越した。",
			"会議は毎週水曜日の10時に始まる。", "毎週水曜10時から会議がある。"},
	} {
		once, server, pipe := newWorld(t), newWorld(t), newWorld(t)
		for _, w := range []*world{once, server, pipe} {
			w.env["TECHO_LANG"] = lang
			w.run("space", "create", "team").ok()
		}
		web := server.serve(t, "serve", "--quiet", "--audience", "person")
		speak := pipe.speak(t, "--audience", "person")
		for _, space := range []string{"", "team"} {
			for _, r := range []*reviewing{
				{t, "command", space, func(tool, in string) string { return once.feed(in, "call", tool).out }},
				{t, "HTTP", space, func(tool, in string) string {
					_, out := web.Ask("POST", "/tools/"+tool, in)
					return out
				}},
				{t, "MCP", space, func(tool, in string) string { out, _ := speak(tool, in); return out }},
			} {
				r.all(texts)
			}
		}
	}
}

// all takes the decisions about the first two texts, then about the others.
func (r *reviewing) all(texts [4]string) {
	r.t.Helper()
	add := func(text string, day int) string {
		added := r.do("add_memory", map[string]any{"full_text": text, "created_at": fmt.Sprintf("2024-01-%02d", day)})
		return added["memory"].(map[string]any)["id"].(string)
	}
	older, newer := add(texts[0], 2), add(texts[1], 3)
	kind, tool, input := r.kinds()
	if kind != "contradiction" || tool != "supersede_memory" {
		r.t.Fatalf("%s in %q: %s by %s waits", r.face, r.space, kind, tool)
	}
	r.decides(kind, tool, input)
	r.decides(kind, "confirm_memory", map[string]any{"ids": []string{newer, older}})
	r.decides(kind, "remove_memory", map[string]any{"ids": []string{older}})
	r.decides(kind, "merge_memories", map[string]any{"ids": []string{newer, older}})
	r.do(tool, input)
	first, second := add(texts[2], 4), add(texts[3], 5)
	kind, tool, input = r.kinds()
	if kind != "repetition" || tool != "merge_memories" {
		r.t.Fatalf("%s in %q: %s by %s waits", r.face, r.space, kind, tool)
	}
	r.decides(kind, tool, input)
	r.decides(kind, "confirm_memory", map[string]any{"ids": []string{first, second}})
	r.decides(kind, "remove_memory", map[string]any{"ids": []string{second}})
	if checked := r.do("check_memory", map[string]any{})["changed"]; len(checked.([]any)) != 0 {
		r.t.Errorf("%s in %q: changed %v", r.face, r.space, checked)
	}
	r.do(tool, input)
}
