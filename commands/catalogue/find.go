package catalogue

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"techo/commands/offer"
	"techo/store/search"
	"techo/tools"
)

// findIn is the input of find_tools.
type findIn struct {
	Query string `json:"query" format:"nonblank" maxLength:"2000" doc:"What to do, in a few words, or names of tools"`
	Limit int    `json:"limit" default:"5" minimum:"1" maximum:"50" doc:"How many to return"`
}

// foundTool is a tool in the result of find_tools.
type foundTool struct {
	Name        string          `json:"name"`
	Command     string          `json:"command"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// findOut is the result of find_tools.
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
	Name:    offer.FindTools,
	For:     tools.Agents,
	Command: "tools find",
	About:   "Find further tools by what they do",
	More: "Not all tools are listed: others edit memos, memories, events and files. The tools that are found can " +
		"then be called.",
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
		listable := t.Name != offer.FindTools && (t.For == tools.Agents || env.Naming != nil)
		if listable && (t.When == nil || t.When(env) == nil) {
			available = append(available, t)
		}
	}
	found := best(available, in.Query)
	out.Tools = []foundTool{}
	w := NewWriter(env, offer.Listing{}, available)
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

// Weights of the words of a tool, by where they are.
const (
	inName  = 8.0
	inAbout = 4.0
	inMore  = 2.0
	inField = 1.0

	byMeaning = 0.5 // share of a word that only has a similar meaning
)

// best returns the tools that match a query, the best first.
func best(all []*tools.Tool, query string) (found []*tools.Tool) {
	if named := byName(all, query); len(named) > 0 {
		return named
	}
	weights := make([]map[string]float64, len(all))
	in := map[string]int{} // the number of tools with a term
	for i, t := range all {
		weights[i] = words(t)
		for term := range weights[i] {
			in[term]++
		}
	}
	scores := map[*tools.Tool]float64{}
	for _, term := range expand(query) {
		for i, t := range all {
			if w := weights[i][term.text]; w > 0 {
				scores[t] += w * term.weight * math.Log(1+float64(len(all))/float64(in[term.text]))
			}
		}
	}
	for _, t := range all {
		if scores[t] > 0 {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b *tools.Tool) int {
		switch d := scores[b] - scores[a]; {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	for i, t := range found { // leave out those that match by chance
		if scores[t] < scores[found[0]]/4 {
			return found[:i]
		}
	}
	return found
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

// words returns the terms of a tool in all languages, with their weights.
func words(t *tools.Tool) map[string]float64 {
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
		add(inMore, t.More.In(lang))
		for _, p := range t.Input().Properties {
			add(inField, p.Name, p.About.In(lang))
		}
	}
	return weights
}

// queryTerm is a term to look for.
type queryTerm struct {
	text   string
	weight float64
}

// expand returns the terms of a query, and terms with a similar meaning.
func expand(query string) (terms []queryTerm) {
	seen := map[string]bool{}
	add := func(text string, weight float64) {
		for _, term := range search.Terms(text) {
			if !seen[term] {
				seen[term] = true
				terms = append(terms, queryTerm{term, weight})
			}
		}
	}
	add(query, 1)
	for _, group := range meanings() {
		if slices.ContainsFunc(strings.Fields(group), func(word string) bool {
			return slices.ContainsFunc(search.Terms(word), func(term string) bool { return seen[term] })
		}) {
			add(group, byMeaning)
		}
	}
	return terms
}

// meanings are groups of words for the same thing or action.
func meanings() []string {
	return []string{
		"appointment meeting event schedule calendar 予定 会議 約束",
		"note memo remember メモ 覚える",
		"memory recall remember fact 記憶 思い出す",
		"file folder directory path ファイル フォルダ",
		"delete remove cancel erase 削除 消す 取り消す",
		"change edit update modify reschedule 編集 変更 直す",
		"rename move 移動 名前",
		"url page website http download fetch ページ サイト",
		"confirm approve question user human person ask 質問 確認 聞く",
		"diff patch hunk パッチ",
		"revert undo restore 戻す",
	}
}
