package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"techo/export"
	"techo/internal/legible"
	"techo/internal/nearest"
	"techo/store/memory"
	"techo/store/memory/wording"
	"techo/store/search"
	"techo/store/search/speech"
	"techo/tools"
	"techo/tools/when"
)

// Context puts references to memories before a message.
var Context = &tools.Tool{
	Name:    "memory_context",
	For:     tools.Hosts,
	Command: "memory context",
	About:   "Put memory references before a message",
	More: "The prompt is a notice with a line of each relevant memory, and then the message. A message " +
		"that is about something else gets no notice: has_memory_context is false. Lines about the same " +
		"matter stand together, the newest first, each with its day: judge which of them holds. omitted " +
		"counts relevant memories beyond the limits, omitted_outdated what the memories of the lines " +
		"have superseded, and omitted_repeated those that only repeat a line. as_of shows what held at " +
		"a day. The memories of your shared spaces are included, with the name of the space, and in a workspace those " +
		"about the person in their own store, each line then with its store.",
	Notes: []tools.Note{
		{Text: "Offer %s only if has_memory_context is true.", Names: []string{"memory investigate"}},
	},
	Effect:  tools.Reads,
	InStore: true,
	Models:  true,
	Sharing: tools.AllSpaces,
	Words:   []string{"message…"},
	Examples: []tools.Example{
		{Does: "Print the prompt", Line: `memory context "What's my dog's name again?" -o text`},
	},
	Run: tools.Func[ContextIn, ContextOut](memoryContext),
}

// ContextIn is the input of memory_context.
type ContextIn struct {
	Message  string `json:"message" minLength:"1" doc:"What the person said"`
	Limit    int    `json:"limit" default:"5" minimum:"0" maximum:"100" doc:"Maximum number of memories"`
	MaxChars int    `json:"max_chars,omitempty" minimum:"0" doc:"Maximum characters; memories are omitted first"`
	Bytes    int    `json:"notice_bytes" default:"2000" minimum:"0" doc:"Maximum bytes of the notice alone"`
	Scope    string `json:"scope,omitempty" enum:"person,project" doc:"Only memories of this scope"`
	Dates    bool   `json:"dates,omitempty" doc:"Add the day on which each memory was made to its line"`
	AsOf     string `json:"as_of,omitempty" doc:"What held at this day or time, e.g. 2026-01-31, last month"`
	By       string `json:"by" default:"both" enum:"both,words,meaning" doc:"What finds a memory"`
}

// Reference is a memory as it appears in a prompt.
type Reference struct {
	ID        string `json:"id"`
	Caption   string `json:"caption"`
	CreatedAt string `json:"created_at" compact:"day"`
	UpdatedAt string `json:"updated_at" compact:"-"`
	Line      string `json:"line" compact:"=caption"` // in the prompt: the caption or the sentence that matches better, and the day
	Space     string `json:"space,omitempty"`
	Stale     bool   `json:"stale,omitempty"` // its file has changed or is gone, as the line says
	Store     string `json:"store,omitempty"` // in a workspace: workspace, or person for the person's own store
}

// ContextOut is the result of memory_context.
type ContextOut struct {
	References       []Reference `json:"references" compact:"keep"`
	HasMemoryContext bool        `json:"has_memory_context"`
	Omitted          int         `json:"omitted"`
	OmittedOutdated  int         `json:"omitted_outdated"`    // superseded by memories of references
	OmittedRepeated  int         `json:"omitted_repeated"`    // not among omitted: they repeat references
	Corrected        []Corrected `json:"corrected,omitempty"` // of the message, to find the references
	Degraded         string      `json:"degraded,omitempty"`  // the endpoint of the person did not answer
	Prompt           string      `json:"prompt"`
	Message          string      `json:"message"`
}

// Text is the prompt itself.
func (o ContextOut) Text(*tools.Env) string { return o.Prompt }

// lookedFurther is how many hits beyond the limit are examined, to count omitted ones.
const lookedFurther = 20

func memoryContext(ctx context.Context, env *tools.Env, in ContextIn) (out ContextOut, err error) {
	times := when.NewTimes(env)
	asOf := times.Read("as_of", in.AsOf, true)
	if err := times.Err(); err != nil {
		return out, err
	}
	st, sources, err := tools.Searched(ctx, env)
	if err != nil {
		return out, err
	}
	asked := timedOf(env, plain(in.Message))
	filter := memory.Filter{By: by(in.By), Scope: in.Scope, Limit: in.Limit + lookedFurther, AsOf: asOf}
	asked.limit(&filter)
	degraded, err := askModel(ctx, env, st, sources, cmp.Or(asked.rest, asked.asked), &filter)
	if err != nil {
		return out, err
	}
	found, err := searchIn(ctx, env, st, sources, asked.rest, filter)
	if err != nil {
		return out, Explain(env, err)
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(h memory.Hit) bool { return h.Relation.Link() })
	spelt, corrected := asked.subject(), []Corrected(nil)
	for _, r := range found.Respelt {
		corrected = append(corrected, Corrected(r))
		if nearest.Distance(strings.ToLower(r.From), strings.ToLower(r.To), 1) <= 1 {
			spelt = strings.ReplaceAll(spelt, r.From, r.To)
		}
	}
	message, passages := subjectOf(spelt), search.NewExcerpts(asked.asked)
	if asked.rest == "" && !asked.asks() {
		forgetTime(found.Hits)
	}
	relevant := relevantHits(spelt, message, found.Hits, speech.AsksOwn(spelt))
	all, omitted, repeated := offers(message, found.Hits, relevant, in.Limit)
	refs := references(env, in, all, func(m memory.Memory) string { return lineFor(message, passages, m) })
	n := len(refs)
	for i := range refs {
		switch changed, gone := StaleSource(ctx, env, all[i].Source); {
		case changed:
			refs[i].Stale, refs[i].Line = true, refs[i].Line+" [source changed]"
		case gone:
			refs[i].Stale, refs[i].Line = true, refs[i].Line+" [source gone]"
		}
	}
	for n > 0 && !in.fits(refs[:n]) {
		n--
	}
	out = ContextOut{
		References: refs[:n], HasMemoryContext: n > 0, Omitted: omitted + len(refs) - n,
		OmittedRepeated: repeated,
		Corrected:       corrected, Degraded: degraded, Prompt: notice(refs[:n], in.Message),
	}
	out.Message = env.Localize("Memories in the prompt: %d, left out: %d", n, out.Omitted)
	for _, o := range all[:n] {
		out.OmittedOutdated += len(o.Supersedes)
	}
	if n == 0 {
		out.Corrected = nil
	}
	for _, c := range out.Corrected {
		out.Message += "; " + correction(env, c)
	}
	return out, nil
}

// references returns offered memories with their lines. A line has its day if another one is about the same matter.
func references(env *tools.Env, in ContextIn, all []offer, line func(memory.Memory) string) []Reference {
	refs := []Reference{}
	for i, o := range all {
		text := unmarked(export.OneLine(line(o.Memory)))
		beside := i > 0 && o.matter == all[i-1].matter || i+1 < len(all) && o.matter == all[i+1].matter
		if beside || in.Dates || env.Memory.Dates {
			text += " (" + env.Time(said(o.Hit))[:len(time.DateOnly)] + ")"
		}
		refs = append(refs, Reference{o.ID, o.Caption, env.Time(o.CreatedAt), env.Time(o.UpdatedAt), text, o.Space, false,
			storeOf(env, o.Space, o.Personal)})
	}
	return refs
}

// forgetTime takes hits of the time of a message for hits without it.
func forgetTime(hits []memory.Hit) {
	for i := range hits {
		hits[i].InTime = false
	}
}

// fits reports whether references do not exceed the limits.
func (in ContextIn) fits(refs []Reference) bool {
	prompt := notice(refs, in.Message)
	return len(prompt)-len(in.Message) <= in.Bytes &&
		(in.MaxChars == 0 || utf8.RuneCountInString(prompt) <= in.MaxChars)
}

// The score of a hit is the probability that it answers. A message that it is improbable to be answered by one of the
// best three gets no memory, unless one has all words for what it is about: of a hundred notes about the garden none is
// likely alone. What is likely to answer is offered, whatever its words are, also if the message has none that names
// what it is about, as 何の日？. In between the words decide. The limits were chosen on the sets of docs/benchmarks.md.
const (
	improbable = 0.05
	likely     = 0.36
	ofBest     = 0.3 // of the best score, which others must have where no words speak for them
)

// A question about the asker's own matters is a question to the notebook: the nearest memories are offered though
// they may have other words, unless it is improbable that they answer. The reader judges them.
const (
	nearestOwn  = 3
	probableOwn = 0.04
)

// likelihood returns how likely it is that one of the best three hits answers.
func likelihood(hits []memory.Hit) float64 {
	none := 1.0
	for _, h := range hits[:min(3, len(hits))] {
		none *= 1 - h.Score
	}
	return 1 - none
}

// relevantHits returns the hits that are relevant for a message: those with its words that are not about another fact
// than the best, those that are likely to answer it, those that share a rare name with the best if that one is relevant,
// and for a question about the asker's own matters the nearest ones. If no words speak for any, but one of the best is
// likely to answer, those are.
func relevantHits(text string, message subject, hits []memory.Hit, own bool) []memory.Hit {
	var relevant []found
	symbols := !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	best := map[string]bool{} // whether the best hit of a space is relevant
	answered, nearest := likelihood(hits), 0
	decided := false // words or own matters speak for one
	for _, h := range hits {
		scored, fits, same := false, false, relevanceOf(strings.Join(h.Texts(), "\n")).overlap(message)
		switch {
		case h.Beside != "" || h.Shares != "":
			fits = h.Shares != "" && best[h.Space]
		case symbols && h.Matches:
			fits, decided = true, true
		default:
			nearest++
			words := (answered >= improbable || h.InTime || same.complete()) && same.fits(h.InTime, len(relevant) == 0)
			near := own && nearest <= nearestOwn && h.Score >= probableOwn
			scored = near || h.Score >= likely
			fits, decided = words || scored, decided || words || near
		}
		if _, ok := best[h.Space]; !ok {
			best[h.Space] = fits
		}
		if fits {
			relevant = append(relevant, found{h, same, scored})
		}
	}
	if decided || answered < likely {
		return aboutIt(message, relevant)
	}
	return slices.DeleteFunc(slices.Clone(hits), func(h memory.Hit) bool { return h.Score < ofBest*hits[0].Score })
}

const maxLine = 160 // characters

// lineFor returns the line of a memory in a prompt: the caption, or the sentence of
// its text that has more of the message.
func lineFor(message subject, passages *search.Excerpts, m memory.Memory) string {
	line, best := m.Caption, relevanceOf(m.Caption).weightOf(message)
	for _, p := range passages.Passages(m.FullText, 1) {
		for _, sentence := range wording.Sentences(p.Text) {
			if weight := relevanceOf(sentence).weightOf(message); weight > best {
				line, best = sentence, weight
			}
		}
	}
	if runes := []rune(line); len(runes) > maxLine && line != m.Caption {
		line = string(runes[:maxLine-1]) + "…"
	}
	return legible.Escape(line)
}

// notice returns the block of references, followed by the message.
func notice(refs []Reference, message string) string {
	if len(refs) == 0 {
		return message
	}
	lines := []string{"______ Notice ______", "<memory-references>"}
	mixed := slices.ContainsFunc(refs, func(r Reference) bool { return r.Store == personStore })
	for _, r := range refs {
		line := "- [" + r.ID + "] " + r.Line
		if r.Space != "" {
			line += " [space: " + r.Space + "]"
		}
		if r.Store != "" && mixed {
			line += " [store: " + r.Store + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, "</memory-references>", "____________________", message), "\n")
}

// unmarked replaces the angle brackets of a caption that could open or close the
// block around it.
func unmarked(caption string) string {
	const mark = "memory-references"
	for i := 0; i+len(mark) <= len(caption); i++ {
		if strings.EqualFold(caption[i:i+len(mark)], mark) {
			return strings.NewReplacer("<", "‹", ">", "›").Replace(caption)
		}
	}
	return caption
}
