package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"techo/commands/system"
	"techo/export"
	"techo/store"
	memostore "techo/store/memo"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/memo"
)

// MemoRequest is the input of the command import memos.
type MemoRequest struct {
	File   string `json:"file" minLength:"1" doc:"JSON, an exported memo, a folder or zip archive of them; - is stdin"`
	Format string `json:"format" default:"auto" enum:"auto,jsonl,markdown" doc:"Format of the file"`
	Strict bool   `json:"strict,omitempty" doc:"Import nothing if a line is invalid"`
	DryRun bool   `json:"dry_run,omitempty" doc:"Only show what an import would do, with a sample"`
}

// request returns the input that all imports have.
func (in MemoRequest) request() Request { return Request{in.File, in.Format, in.Strict} }

// Memos imports the memos of a file or a folder.
func Memos(ctx context.Context, env *tools.Env, w system.System, in MemoRequest) (Report, error) {
	k := memoKind
	k.dry = in.DryRun
	return k.run(ctx, env, w, in.request())
}

var memoKind = kind[memostore.Memo]{
	parser: func(env *tools.Env) parser[memostore.Memo] {
		return func(raw []byte) (memostore.Memo, int, string) {
			m, problem := memo.Parse(env, raw)
			return m, len(m.Content) + len(m.Detail), problem
		}
	},
	read: func(s *importSource) {
		s.split, s.note = s.memoLines, s.memoNote
		s.texts = []string{"name", "content", "detail"}
	},
	add: func(ctx context.Context, st *store.Store, memos []memostore.Memo) (all []result, err error) {
		imported, err := memostore.Import(ctx, st.Ledger, memos)
		for _, r := range imported {
			all = append(all, result{created: r.Created, err: r.Err})
		}
		return all, err
	},
	refusal: memo.RefusedImport,
	names:   memoNames,
	sample:  func(m memostore.Memo) Sample { return Sample{Caption: m.Name, CreatedAt: m.CreatedAt} },
	count:   func(env *tools.Env, n int) string { return env.Count(n, "%d memo", "%d memos") },
}

// memoNames returns a memo as a whole, its name, and its id.
func memoNames(m memostore.Memo) []name {
	whole := fmt.Sprintf("%q %q %q %d %q", m.Name, m.Content, m.Detail, m.Priority, m.Tags)
	all := []name{{name: whole}, {"name\x00" + m.Name, result{err: &memostore.OtherError{Name: m.Name}}}}
	if m.ID != "" {
		all = append(all, name{"id\x00" + m.ID, result{err: &memostore.TakenIDError{ID: m.ID}}})
	}
	return all
}

// memoLines passes a line to use. A line with a list of memos, such as the output of
// memo list, becomes one line for each.
func (s *importSource) memoLines(l importLine, use func(importLine) error) error {
	var list struct {
		Memos []json.RawMessage `json:"memos"`
	}
	if s.Format == "jsonl" || l.long || !bytes.Contains(l.raw, []byte(`"memos"`)) ||
		json.Unmarshal(l.raw, &list) != nil || list.Memos == nil {
		return use(l)
	}
	for _, raw := range list.Memos {
		if err := use(importLine{Number: l.Number, raw: raw}); err != nil {
			return err
		}
	}
	return nil
}

// memoNote returns the memo of an exported file as a line of JSON Lines.
func (s *importSource) memoNote(n noteText) (lines [][]byte, problem string, err error) {
	m, ok := export.ParseMemo(n.text)
	if !ok {
		return nil, s.Env.Localize("is not a memo as export memos writes it"), nil
	}
	var priority any = m.Priority
	if n, err := strconv.Atoi(m.Priority); err == nil {
		priority = n
	}
	line, err := jsontree.Marshal(struct {
		ID        string   `json:"id"`
		Name      string   `json:"name"`
		Content   string   `json:"content"`
		Priority  any      `json:"priority"`
		Tags      []string `json:"tags,omitempty"`
		Detail    string   `json:"detail"`
		CreatedAt string   `json:"created_at"`
		UpdatedAt string   `json:"updated_at"`
	}{m.ID, m.Name, m.Content, priority, m.Tags, m.Detail, m.Created, m.Updated})
	return [][]byte{line}, "", err
}
