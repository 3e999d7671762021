package catalogue

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/meaning"
	"techo/internal/stem"
	"techo/store/search"
	"techo/tools"
)

type findIn struct {
	Query string `json:"query" format:"nonblank" maxLength:"2000" doc:"What to do, in a few words, or names of tools"`
	Limit int    `json:"limit" default:"5" minimum:"1" maximum:"50" doc:"How many to return" list:"-"`
}

type foundTool struct {
	Name        string          `json:"name"`
	Command     string          `json:"command"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type findOut struct {
	Tools   []foundTool `json:"tools"`
	Count   int         `json:"count"`
	Message string      `json:"message"`
}

// Text returns a table of the tools.
func (o findOut) Text(*tools.Env) string {
	text := o.Message
	for _, t := range o.Tools {
		text += "\n- " + t.Name + " (techo " + t.Command + "): " + t.Description
	}
	return text
}

// Find finds tools that a catalogue does not list.
var Find = &tools.Tool{
	Name:    FindTools,
	For:     tools.Agents,
	Command: "tools find",
	About:   "Find further tools by what they do",
	More: "Lists have the main tools and fields; this finds all. Call a tool that is not listed " +
		"through call_tool.",
	Effect: tools.Reads,
	Words:  []string{"query…"},
	Examples: []tools.Example{
		{Does: "Find the tools for a task", Line: `tools find cancel an appointment`},
		{Does: "The same in Japanese, as a list", Line: `tools find 予定を消す --lang ja -o text`},
	},
	Run: tools.Func[findIn, findOut](findTools),
}

func findTools(_ context.Context, env *tools.Env, in findIn) (out findOut, err error) {
	var available []*tools.Tool
	for _, t := range env.Tools {
		listable := !Leads(t) && (t.For == tools.Agents || env.Naming != nil)
		if listable && (t.When == nil || t.When(env) == nil) {
			available = append(available, t)
		}
	}
	found := best(available, in.Query)
	out.Tools = []foundTool{}
	w := NewWriter(env, Listing{}, available)
	for _, t := range found[:min(in.Limit, len(found))] {
		out.Tools = append(out.Tools, foundTool{t.Name, t.Command, w.Description(t), w.Input(t)})
	}
	out.Count = len(out.Tools)
	if out.Message = env.Localize("Tools found: %d", out.Count); out.Count == 0 {
		var names []string
		for _, t := range available {
			names = append(names, t.Name)
		}
		out.Message = env.Localize("No tool was found. There are: %s", strings.Join(names, ", "))
	}
	return out, nil
}

func best(all []*tools.Tool, query string) (found []*tools.Tool) {
	if named := byName(all, query); len(named) > 0 {
		return named
	}
	scores := map[*tools.Tool]float64{}
	byMeaning(all, query, scores)
	byTerms(all, query, scores)
	if found = scored(all, scores); len(found) == 0 {
		byMeaning(all, likest(query), scores)
		found = scored(all, scores)
	}
	slices.SortStableFunc(found, func(a, b *tools.Tool) int { return cmp.Compare(scores[b], scores[a]) })
	for i, t := range found { // leave out what matches by chance
		if scores[t] < scores[found[0]]/4 {
			return found[:i]
		}
	}
	return found
}

func scored(all []*tools.Tool, scores map[*tools.Tool]float64) []*tools.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t *tools.Tool) bool { return scores[t] <= 0 })
}

// likest returns the word for what tools do that is most like a query in meaning, "" if none is.
func likest(query string) (word string) {
	const alike = 0.5 // likeness of words that mean the same, at least
	asked, most := meaning.Vector(query), float32(alike)
	for _, l := range readWords() {
		for _, w := range l.words {
			vec := meaning.Vector(strings.Trim(w, "^_"))
			if likeness := meaning.Likeness(&asked, &vec); likeness >= most && l.kind != ofTool {
				word, most = w, likeness
			}
		}
	}
	return word
}

// byName returns the tools if a query has only names of tools, in its order.
func byName(all []*tools.Tool, query string) (named []*tools.Tool) {
	for _, name := range strings.FieldsFunc(query, func(r rune) bool { return r == ' ' || r == ',' || r == '、' }) {
		i := slices.IndexFunc(all, func(t *tools.Tool) bool { return t.Name == name })
		if i < 0 {
			return nil
		}
		if !slices.Contains(named, all[i]) {
			named = append(named, all[i])
		}
	}
	return named
}

// rarity weighs what n of all tools have in common.
func rarity(all []*tools.Tool, n int) float64 { return math.Log(1 + float64(len(all))/float64(n)) }

const (
	ambiguous = 0.5 // share of a phrase with several meanings
	ownShare  = 4   // a word of one tool weighs as if so many tools had it
)

// weightOf weighs what tools are about more than what they do.
func weightOf(k kind) float64 {
	return map[kind]float64{ofSubject: 1.5, ofAction: 1, ofVague: 0.3, ofTool: 1}[k]
}

// byMeaning adds the scores of tools whose meanings and own words a query has.
func byMeaning(all []*tools.Tool, query string, scores map[*tools.Tool]float64) {
	kinds, phrases := map[string]kind{}, map[string][]string{}
	add := func(phrase, meaning string) {
		phrase = normal(phrase)
		phrases[phrase] = append(phrases[phrase], meaning)
	}
	of, sharing := map[string][]string{}, map[string]int{}
	for _, l := range readWords() {
		if l.kind == ofTool {
			if !slices.ContainsFunc(all, func(t *tools.Tool) bool { return t.Name == l.name }) {
				continue
			}
			sharing[l.name] = ownShare
		}
		for _, word := range l.words {
			if _, isMeaning := kinds[word]; isMeaning && l.kind == ofTool {
				of[l.name] = append(of[l.name], word)
				sharing[word]++
			} else {
				add(word, l.name)
			}
		}
		kinds[l.name] = l.kind
	}
	weights, excess := map[string]float64{}, map[string]float64{}
	for meaning, n := range sharing {
		weights[meaning] = weightOf(kinds[meaning]) * rarity(all, n)
		excess[meaning] = weightOf(kinds[meaning]) / 5
	}
	if said := phrasesIn(query, phrases); len(said) > 0 {
		for _, t := range all {
			scores[t] += fit(said, of[t.Name], t.Name, weights, excess)
		}
	}
}

// fit returns how well a tool with some meanings and a name fits what is said: each phrase
// counts for the one of its meanings that says most about the tool. Each meaning of the tool
// that is not said takes off its excess: of tools that match equally, the simplest is meant.
func fit(said [][]string, has []string, name string, weights, excess map[string]float64) (score float64) {
	credit := map[string]float64{}
	for _, phrase := range said {
		best := ""
		for _, meaning := range phrase {
			if (meaning == name || slices.Contains(has, meaning)) && (best == "" || weights[meaning] > weights[best]) {
				best = meaning
			}
		}
		certainty := 1.0
		if len(phrase) > 1 {
			certainty = ambiguous
		}
		if best != "" {
			credit[best] = min(1, credit[best]+certainty)
		}
	}
	score = weights[name] * credit[name]
	for _, meaning := range has {
		score += weights[meaning] * credit[meaning]
		if credit[meaning] == 0 {
			score -= excess[meaning]
		}
	}
	return score
}

// phrasesIn returns the meanings of each phrase in a query. A longer phrase hides the shorter
// ones in it.
func phrasesIn(query string, phrases map[string][]string) (said [][]string) {
	longest := slices.SortedFunc(maps.Keys(phrases), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	rest := "^" + normal(query)
	for _, phrase := range longest {
		if strings.Contains(rest, phrase) {
			said = append(said, phrases[phrase])
			if phrase[0] != '^' {
				rest = strings.ReplaceAll(rest, phrase, " / ")
			}
		}
	}
	return said
}

// normal returns a text with the stems of its words between blanks, so that a phrase is a
// part of a text that has it. Japanese, which has no blanks, stays.
func normal(text string) string {
	var b, word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			b.WriteString(" " + stem.Of(word.String()) + " ")
			word.Reset()
		}
	}
	for _, r := range strings.ReplaceAll(text, "to-do", "todo") {
		switch {
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			word.WriteRune(unicode.ToLower(r))
		case r < utf8.RuneSelf && r != '^' || unicode.IsSpace(r):
			flush()
		default:
			flush()
			b.WriteRune(r)
		}
	}
	flush()
	return strings.ReplaceAll(b.String(), "  ", " ")
}

// Weights of the terms of a tool, by where they are. Meanings weigh more.
const (
	inName  = 0.12
	inAbout = 0.06
	inField = 0.03
)

func byTerms(all []*tools.Tool, query string, scores map[*tools.Tool]float64) {
	weights := make([]map[string]float64, len(all))
	in := map[string]int{} // the number of tools with a term
	for i, t := range all {
		weights[i] = terms(t)
		for term := range weights[i] {
			in[term]++
		}
	}
	for _, term := range search.Terms(query) {
		for i, t := range all {
			if w := weights[i][term]; w > 0 {
				scores[t] += w * rarity(all, in[term])
			}
		}
	}
}

// terms returns the terms of a tool in all languages, with their weights.
func terms(t *tools.Tool) map[string]float64 {
	weights := map[string]float64{}
	add := func(weight float64, texts ...string) {
		for _, text := range texts {
			for _, term := range search.Terms(strings.ReplaceAll(text, "_", " ")) {
				weights[term] = max(weights[term], weight)
			}
		}
	}
	add(inName, t.Name, t.Command)
	add(inAbout, t.Spellings()...)
	for _, lang := range []tools.Lang{tools.English, tools.Japanese} {
		add(inAbout, t.About.In(lang))
	}
	add(inField, t.Input().Names()...)
	return weights
}

//go:embed words.txt
var words string

type kind string

// The kinds.
const (
	ofSubject kind = "subject"
	ofAction  kind = "action"
	ofVague   kind = "vague"
	ofTool    kind = "tool"
)

type wordLine struct {
	kind  kind
	name  string
	words []string
}

// readWords parses the words of find_tools. Tools come after the meanings.
func readWords() (all []wordLine) {
	for line := range strings.Lines(strings.ReplaceAll(words, "\n ", " ")) {
		head, rest, ok := strings.Cut(line, ":")
		of, name, _ := strings.Cut(head, " ")
		if ok && of != "#" {
			all = append(all, wordLine{kind(of), name, strings.Fields(rest)})
		}
	}
	return all
}

// Knows reports whether there are words for a tool.
func Knows(name string) bool {
	for _, l := range readWords() {
		if l.kind == ofTool && l.name == name {
			return true
		}
	}
	return false
}
