package memory

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/meaning"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory/wording"
	"techo/store/search"
)

// Draft is a memory prepared for adding.
type Draft struct {
	Memory
	Again    bool      // an import brings the text back, if it was removed for good
	EditedAt time.Time // of a note: when its file was changed; zero if that is unknown

	digest []byte
	bag    search.Bag
	vec    meaning.Vec
	order  uint32 // 1 + the order that the memory had before a change, 0 for a new one

	captioned, scoped bool // the caption and the scope were given
}

// Drafter prepares drafts, which takes most of the time of adding and needs no
// store. It must not be used concurrently.
type Drafter struct{ analyzer *search.Analyzer }

// NewDrafter returns a Drafter.
func NewDrafter() *Drafter { return &Drafter{search.NewAnalyzer()} }

// Draft prepares a memory. It derives a missing caption from the text.
func (d *Drafter) Draft(m Memory) Draft {
	m.User, m.Session, m.Topic = norm.NFC.String(m.User), norm.NFC.String(m.Session), norm.NFC.String(m.Topic)
	scoped := m.Scope != ""
	if !scoped {
		m.Scope = PersonScope
	}
	m.Supersedes = withoutText(m.Supersedes, m.FullText)
	repeated := strings.TrimSpace(m.Caption) == ""
	if repeated {
		m.Caption = wording.CaptionOf(m.FullText)
	}
	draft := Draft{Memory: m, digest: TextDigest(m.User, m.FullText),
		captioned: !repeated, scoped: scoped}
	// A caption that repeats a part of the text adds no words to index.
	texts := []string{m.FullText}
	if !repeated {
		texts = meantTexts(m.FullText, m.Caption)
	}
	draft.bag, draft.vec = d.analyzer.Bag(texts...), d.analyzer.Meaning(texts...)
	if len(m.Supersedes) > 0 {
		draft.bag = d.withFormer(draft.bag, m.Supersedes)
	}
	return draft
}

// meantTexts returns the texts of a memory that are indexed.
func meantTexts(full, caption string) []string {
	if wording.Repeats(caption, full) {
		return []string{full}
	}
	return []string{full, caption}
}

// withoutText returns the superseded memories that have another text than their replacement.
func withoutText(all []Former, text string) []Former {
	same := func(f Former) bool { return sameText(f.FullText) == sameText(text) }
	if !slices.ContainsFunc(all, same) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), same)
}

// withFormer adds the words of superseded memories to a bag, so that a question
// about them finds the replacement. They do not count towards its length.
func (d *Drafter) withFormer(bag search.Bag, former []Former) search.Bag {
	var texts []string
	for _, f := range former {
		texts = append(texts, f.FullText, f.Caption)
	}
	terms := slices.Clone(bag.Terms)
	for _, t := range d.analyzer.Bag(texts...).Terms {
		if !bag.Has(t.Term) {
			terms = append(terms, search.Count{Term: t.Term, N: 1})
		}
	}
	bag.Terms = terms
	slices.SortFunc(bag.Terms, func(x, y search.Count) int { return strings.Compare(x.Term, y.Term) })
	return bag
}

// limits reports a draft that is too large to store.
func (d *Draft) limits() error {
	if n := len(d.FullText); n > ledger.MaxText {
		return &ledger.LimitError{What: "bytes", Max: ledger.MaxText, Got: n}
	}
	for what, label := range map[string]string{"session": d.Session, "topic": d.Topic} {
		if n := utf8.RuneCountInString(label); n > ledger.MaxLabel {
			return &ledger.LimitError{What: what, Max: ledger.MaxLabel, Got: n}
		}
	}
	record := RecordOf(&d.Memory, 0, 0)
	size := len(record.Full)
	for _, f := range record.Former {
		size += len(f.Full)
	}
	if size < alwaysFits {
		return nil
	}
	b, err := ledger.Encode(record)
	if err != nil {
		return err
	}
	const numbers = 1 << 10 // bytes of the fields that are set later
	if size = max(len(b), d.bag.Size()) + numbers; size > kv.MaxValue {
		return &ledger.LimitError{What: "stored bytes", Max: kv.MaxValue, Got: size}
	}
	return nil
}

// alwaysFits is a size of texts whose records fit into a value of the engine: JSON
// escapes a byte with at most six, and a character has at most three terms.
const alwaysFits = kv.MaxValue / 16
