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

// kinds returns the kinds of what waits apart from unconfirmed memories.
func (r *reviewing) kinds() (kinds string) {
	r.t.Helper()
	for _, item := range r.do("review_memories", map[string]any{})["items"].([]any) {
		kind := item.(map[string]any)["kind"].(string)
		if kind == "unconfirmed" {
			break // the last kind
		}
		kinds += kind + " "
	}
	return strings.TrimSpace(kinds)
}

// decides decides and checks that nothing waits then, and that it waits again after an undo.
func (r *reviewing) decides(tool string, input map[string]any) {
	r.t.Helper()
	r.do(tool, input)
	if left := r.kinds(); left != "" {
		r.t.Errorf("%s in %q: after %s %s waits", r.face, r.space, tool, left)
	}
	r.do("undo_change", map[string]any{})
	if back := r.kinds(); back != "near" {
		r.t.Errorf("%s in %q: after the undo of %s %q waits", r.face, r.space, tool, back)
	}
}

// TestReviewFaces adds a memory about the matter of another one, takes every decision about them, and takes it
// back, by a command, over HTTP and over MCP, in a space of one's own and in a shared one, in both languages.
func TestReviewFaces(t *testing.T) {
	t.Parallel()
	for lang, texts := range map[string][3]string{
		"en": {"The office is in Berlin.", "The office moved to Munich.", "The office moved on to Hamburg."},
		"ja": {"佐藤さんは東京に住んでいる。", "佐藤さんは大阪に引っ越した。", "佐藤さんは名古屋に引っ越した。"},
	} {
		once, server, pipe := newWorld(t), newWorld(t), newWorld(t)
		for _, w := range []*world{once, server, pipe} {
			w.env["TECHO_LANG"] = lang
			w.run("space", "create", "team").ok()
		}
		web := server.serve(t, "serve", "--quiet", "--audience", "person")
		speak := pipe.speak(t, "--audience", "person", "--compact=false")
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

// all takes the decisions about the first two texts, and settles the third one with its addition.
func (r *reviewing) all(texts [3]string) {
	r.t.Helper()
	add := func(text string, day int, supersedes ...string) (id string, added map[string]any) {
		added = r.do("add_memory", map[string]any{"full_text": text, "created_at": fmt.Sprintf("2024-01-%02d", day),
			"supersedes": append([]string{}, supersedes...)})
		return added["memory"].(map[string]any)["id"].(string), added
	}
	older, _ := add(texts[0], 2)
	newer, added := add(texts[1], 3)
	if related, _ := json.Marshal(added["related"]); !strings.Contains(string(related), older) || r.kinds() != "near" {
		r.t.Fatalf("%s in %q: related %s, %s waits", r.face, r.space, related, r.kinds())
	}
	r.decides("edit_memory", map[string]any{"id": newer, "supersedes": []string{older}})
	r.decides("confirm_memory", map[string]any{"ids": []string{newer, older}})
	r.decides("remove_memory", map[string]any{"ids": []string{older}})
	r.decides("merge_memories", map[string]any{"ids": []string{newer, older}})
	r.decides("supersede_memory", map[string]any{"memory_ids": []string{older, newer}, "full_text": texts[2]})
	_, added = add(texts[2], 4, older, newer)
	if got, _ := json.Marshal(added["superseded"]); string(got) != fmt.Sprintf("[%q,%q]", older, newer) || r.kinds() != "" {
		r.t.Errorf("%s in %q: superseded %s, %s waits", r.face, r.space, got, r.kinds())
	}
	if checked := r.do("check_memory", map[string]any{})["changed"]; len(checked.([]any)) != 0 {
		r.t.Errorf("%s in %q: changed %v", r.face, r.space, checked)
	}
}
