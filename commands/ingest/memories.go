package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"techo/commands/system"
	"techo/export"
	"techo/internal/legible"
	"techo/store"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/tools"
	"techo/tools/memory/embed"
	"techo/tools/when"
)

// MemoryRequest is the input of the command import memories.
type MemoryRequest struct {
	Request

	AllUsers bool `json:"all_users,omitempty" doc:"Give each memory to the user that it names"`
	AllTurns bool `json:"all_turns,omitempty" doc:"Of conversations also what the assistant said"`
	Whole    bool `json:"whole,omitempty" doc:"Of Markdown one memory for each note, however it is written"`
	Again    bool `json:"again,omitempty" doc:"Also bring back what was removed since it was imported before"`
	DryRun   bool `json:"dry_run,omitempty" doc:"Only show what an import would do, with a sample"`
}

// Memories imports the memories of a file or a folder.
func Memories(ctx context.Context, env *tools.Env, w system.System, in MemoryRequest) (Report, error) {
	return in.kind().run(ctx, env, w, in.Request)
}

// kind returns the import of memories that is asked for.
func (in MemoryRequest) kind() kind[entry] {
	k := memoryKind(in.AllUsers)
	read := k.read
	k.read = func(s *importSource) {
		read(s)
		s.allTurns, s.whole = in.AllTurns, in.Whole
	}
	k.sample = func(d entry) Sample { return Sample{d.Caption, d.Session, d.CreatedAt} }
	k.names = memoryNames
	k.dry, k.again = in.DryRun, in.Again
	return k
}

// memoryKind returns the import of memories. With allUsers a memory may name its
// user.
func memoryKind(allUsers bool) kind[entry] {
	return kind[entry]{
		parser: func(env *tools.Env) parser[entry] {
			d := memory.NewDrafter()
			return func(raw []byte) (e entry, size int, problem string) {
				m, note, problem := parseMemory(env, raw, allUsers)
				if problem != "" {
					return e, 0, problem
				}
				return entry{d.Draft(m), note}, len(m.FullText), ""
			}
		},
		read: func(s *importSource) {
			s.split, s.note = s.memoryLines, s.memoryNote
			s.texts = []string{"full_text", "caption", "session", "topic", "source", "memory", "data", "content"}
			s.allUsers, s.exports = allUsers, true
		},
		add:  addDrafts,
		same: func(a, b entry) bool { return a.note.path != "" && a.note.path == b.note.path && a.User == b.User },
		bringBack: func(all []entry) {
			for i := range all {
				all[i].Again = true
			}
		},
		after: func(ctx context.Context, env *tools.Env, st *store.Store) {
			embed.AfterImport(ctx, env, st, tools.Owner(env))
		},
		refusal: memoryRefusal,
		count:   func(env *tools.Env, n int) string { return env.Count(n, "%d memory", "%d memories") },
	}
}

// addDrafts adds memories, for each user in the order of the file.
func addDrafts(ctx context.Context, st *store.Store, all []entry) ([]result, error) {
	byUser := map[string][]int{}
	var users []string
	for i := range all {
		user := all[i].User
		if byUser[user] == nil {
			users = append(users, user)
		}
		byUser[user] = append(byUser[user], i)
	}
	results := make([]result, len(all))
	for _, user := range users {
		own := all
		if len(users) > 1 {
			own = make([]entry, 0, len(byUser[user]))
			for _, i := range byUser[user] {
				own = append(own, all[i])
			}
		}
		some, err := addOf(ctx, st, user, own)
		if err != nil {
			return nil, err
		}
		for n, i := range byUser[user] {
			results[i] = some[n]
		}
	}
	return results, nil
}

// addOf adds the memories of one user, and replaces in the same change what notes do not have any more.
func addOf(ctx context.Context, st *store.Store, user string, own []entry) (results []result, err error) {
	notes, err := changedNotes(ctx, st, user, own)
	if err != nil {
		return nil, err
	}
	add := func(ctx context.Context) error {
		results, err = addAll(ctx, st, user, own, notes)
		return err
	}
	if !slices.ContainsFunc(own, func(e entry) bool { return e.note.path != "" }) {
		err = add(ctx)
		return results, err
	}
	err = st.Update(ctx, func(tx *ledger.Tx) error { return add(st.Ledger.WithOpen(ctx, tx)) })
	return results, err
}

// addAll adds entries, and replaces what some notes had before.
func addAll(ctx context.Context, st *store.Store, user string, own []entry, notes []*noteVersion) (
	results []result, err error) {
	drafts, changed := make([]memory.Draft, len(own)), make([]bool, len(own))
	for i := range own {
		drafts[i] = own[i].Draft
		drafts[i].EditedAt = own[i].note.at
	}
	added, err := st.AddMemories(ctx, user, drafts)
	if err != nil {
		return nil, err
	}
	results = make([]result, len(own))
	for _, n := range notes {
		removed, err := n.replace(ctx, st, user, own, added, changed)
		if err != nil {
			return nil, err
		}
		results[0].gone += removed
	}
	for i, a := range added {
		if err := readAnew(ctx, st, user, &own[i], a); err != nil {
			return nil, err
		}
		r := &results[i]
		r.created, r.changed, r.removed, r.err = a.Created, a.Replaced || changed[i], a.Removed, a.Err
	}
	return results, nil
}

// memoryNames returns the text, the id and the topic of a memory, as names for its user.
func memoryNames(e entry) []name {
	all := []name{{name: string(memory.TextDigest(e.User, e.FullText))}}
	if e.ID != "" {
		all = append(all, name{e.User + "\x00id\x00" + e.ID, result{err: &memory.TakenIDError{ID: e.ID}}})
	}
	if e.Topic != "" {
		all = append(all, name{e.User + "\x00topic\x00" + e.Scope + "\x00" + e.Topic, result{changed: true}})
	}
	return all
}

// memoryRefusal explains why the store refused a memory.
func memoryRefusal(env *tools.Env, err error) string {
	var (
		taken *memory.TakenIDError
		topic *memory.TakenTopicError
		limit *ledger.LimitError
	)
	switch {
	case errors.As(err, &taken):
		return env.Localize("the id %s belongs to a memory with another text", taken.ID)
	case errors.As(err, &topic):
		return env.Localize("the topic %s belongs to the memory %s", topic.Topic, topic.ID)
	case errors.As(err, &limit) && limit.What == "bytes":
		return env.Localize("full_text has %d bytes, at most %d", limit.Got, limit.Max)
	case errors.As(err, &limit) && limit.What == "stored bytes":
		return env.Localize("needs %d bytes in the store, at most %d are possible", limit.Got, limit.Max)
	case errors.As(err, &limit):
		return env.Localize("%s has %d characters after normalization, at most %d", limit.What, limit.Got, limit.Max)
	}
	return strings.TrimSpace(err.Error())
}

// parseMemory parses one line. wrong is the reason why the line is invalid, or "".
func parseMemory(env *tools.Env, raw []byte, allUsers bool) (m memory.Memory, note noteID, wrong string) {
	var in export.MemoryLine
	if err := json.Unmarshal(raw, &in); err != nil {
		return m, note, jsonProblem(env, err)
	}
	p := &lineProblems{env: env}
	if legible.Blank(in.FullText) {
		p.add("full_text is required")
	}
	if n := len(in.FullText); n > ledger.MaxText {
		p.add("full_text has %d bytes, at most %d", n, ledger.MaxText)
	}
	user := tools.Owner(env)
	switch in.UserID = ledger.NormalUser(in.UserID); {
	case in.UserID == "", in.UserID == env.User, in.UserID == user, in.UserID == in.Space:
	case !allUsers:
		p.add("belongs to user %q; import it with --user or --all-users", in.UserID)
	case !ledger.UserName(in.UserID):
		p.add("user_id %q is not the name of a user", in.UserID)
	default:
		user = in.UserID
	}
	if in.ID != "" && !memoryID(in.ID) {
		p.add("id %q must be mem_ followed by lowercase letters and digits", in.ID)
	}
	p.label("session", in.Session)
	p.label("topic", in.Topic)
	if in.Scope != "" && in.Scope != memory.PersonScope && in.Scope != memory.ProjectScope {
		p.add("scope must be person or project, not %q", in.Scope)
	}
	if utf8.RuneCountInString(in.Caption) > 1000 {
		p.add("caption has at most 1000 characters")
	}
	m = memory.Memory{ID: in.ID, User: user, Caption: in.Caption, FullText: in.FullText, Session: in.Session,
		Topic: in.Topic, Scope: in.Scope, Relation: in.Relation,
		CreatedAt: p.time("created_at", in.CreatedAt), UpdatedAt: p.time("updated_at", in.UpdatedAt),
		ExpiresAt: p.time("expires_at", in.ExpiresAt), ConfirmedAt: p.time("confirmed_at", in.ConfirmedAt),
		Source: memory.Source{Text: in.Source, Dir: in.SourceDir, Hash: in.SourceHash, Blob: in.SourceBlob}}
	p.label("source", in.Source)
	const long = 4 << 10
	if len(in.Source) > long || len(in.SourceDir+in.SourceHash+in.SourceBlob) > long {
		p.add("source has at most %d bytes", long)
	}
	for _, f := range in.Supersedes {
		if !memoryID(f.ID) || legible.Blank(f.FullText) || f.CreatedAt == "" {
			p.add("supersedes needs id, full_text and created_at")
		}
		m.Supersedes = append(m.Supersedes, memory.Former{ID: f.ID, Caption: f.Caption, FullText: f.FullText,
			CreatedAt: p.time("supersedes.created_at", f.CreatedAt), Session: f.Session, Source: f.Source,
			SupersededBy: f.SupersededBy, SupersededAt: p.time("supersedes.superseded_at", f.SupersededAt)})
		p.label("session", f.Session)
		p.label("source", f.Source)
	}
	note = noteOf(in, m.CreatedAt, p.time("note_changed", in.Changed))
	return m, note, strings.Join(p.all, "; ")
}

// noteOf returns the note that a line is of.
func noteOf(l export.MemoryLine, made, changed time.Time) noteID {
	if !l.Whole || l.Source == "" || l.CreatedAt == "" {
		return noteID{}
	}
	if made.After(changed) {
		changed = made
	}
	return noteID{cmp.Or(l.Note, strings.TrimPrefix(l.Source, "file:")), l.Title, changed}
}

// lineProblems collects the reasons why a line is invalid.
type lineProblems struct {
	env *tools.Env
	all []string
}

func (p *lineProblems) add(s tools.Text, args ...any) {
	p.all = append(p.all, p.env.Localize(s, args...))
}

// label checks a session or a topic. The store checks its length.
func (p *lineProblems) label(name, text string) {
	if legible.Control(text) || text != "" && legible.Blank(text) {
		p.add("%s must not be blank or contain control characters", name)
	}
}

// time parses an optional time, without an offset in the zone of the caller: 2026-01-05.
func (p *lineProblems) time(name, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
		if at, ok := noteTime(text, p.env.Zone); ok {
			text = at.Format(time.RFC3339Nano)
		}
	}
	at, wrong := when.OptionalTime(p.env, name, text)
	if wrong != "" {
		p.all = append(p.all, wrong)
	}
	return at
}

// memoryID reports whether an imported memory may keep its id.
func memoryID(id string) bool {
	rest, ok := strings.CutPrefix(id, "mem_")
	return ok && rest != "" && len(rest) <= 56 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
