package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"techo/tools"
)

// toolsIn is the input of the command tools.
type toolsIn struct {
	Names  []string `json:"names,omitempty" en:"Only these tools" ja:"表示するツール"`
	Format string   `json:"format" default:"mcp" enum:"mcp,openai,openai-chat,anthropic,gemini,names" en:"Whose form: mcp, a vendor's API, or names alone" ja:"形式: mcp、各社の API、または名前のみ"`
	All    bool     `json:"all,omitempty" en:"Also the tools that are off here, and why" ja:"ここで使えないツールと理由も表示する"`
}

// catalogueOut is a catalogue in one of the formats.
type catalogueOut struct {
	format   string
	document json.RawMessage
	listed   []listing
}

// MarshalJSON writes the catalogue.
func (o catalogueOut) MarshalJSON() ([]byte, error) { return o.document, nil }

// Text writes a table of the tools. A vendor's form has no other.
func (o catalogueOut) Text(env *tools.Env) string {
	if o.format != "mcp" && o.format != "names" {
		return string(o.document)
	}
	var rows [][]string
	for _, l := range o.listed {
		about := env.Say(l.About)
		if l.off != nil {
			about += " (" + l.off.Message + ")"
		}
		rows = append(rows, []string{l.Name, program + " " + l.Command, about})
	}
	return columns(rows)
}

// listing is a tool in the catalogue; off says why it is not to be had.
type listing struct {
	*tools.Tool
	off *tools.Error
}

// toolsCommand prints the definitions of the tools, for a model to be given.
func toolsCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "tools",
		About:   tools.Say{EN: "Print the tools for an agent", JA: "エージェント向けにツールの定義を出力する"},
		More: tools.Say{
			EN: "Cheap in tokens: give a model the names, then the definition of the tool that it wants to call.",
			JA: "トークンを節約するには、まず names を渡し、使うツールの定義だけを渡す。",
		},
		Words: []string{"names…"},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "The names, and what they do", JA: "名前と概要"}, Line: "tools --format names"},
			{Does: tools.Say{EN: "One tool, for OpenAI's Responses API", JA: "OpenAI Responses API 用の定義"}, Line: "tools add_memo --format openai"},
		},
	}, func(_ context.Context, env *tools.Env, in toolsIn) (out catalogueOut, err error) {
		for _, name := range in.Names {
			if _, e := s.tool(name); e != nil {
				return out, e
			}
		}
		for _, t := range s.offered {
			l := listing{Tool: t}
			if t.When != nil {
				l.off = t.When(env)
			}
			if (l.off == nil || in.All) && (len(in.Names) == 0 || slices.Contains(in.Names, t.Name)) {
				out.listed = append(out.listed, l)
			}
		}
		out.format = in.Format
		out.document = catalogue(env, in.Format, out.listed)
		return out, nil
	})}
}

// catalogue writes listings in a format.
func catalogue(env *tools.Env, format string, listed []listing) []byte {
	w := catalogueWriter{env}
	write := map[string]func(listing) object{
		"mcp": w.mcp, "openai": w.openai, "openai-chat": w.openaiChat,
		"anthropic": w.anthropic, "gemini": w.gemini, "names": w.names,
	}[format]
	items := []object{}
	for _, l := range listed {
		items = append(items, write(l))
	}
	var document any = items
	switch format {
	case "mcp", "names":
		document = object{{"tools", items}}
	case "gemini":
		document = []object{{{"functionDeclarations", items}}}
	}
	return appendJSON(make([]byte, 0, 1<<17), document)
}

// catalogueWriter writes one tool in each format.
type catalogueWriter struct{ env *tools.Env }

// description is what a model reads of a tool.
func (w catalogueWriter) description(l listing) string {
	text := w.env.Say(l.About)
	if more := w.env.Say(l.More); more != "" {
		text += w.env.Say(tools.Say{EN: ". ", JA: "。"}) + more
	}
	return text
}

// offText adds to a description why a tool is off, where nothing else can say it.
func (w catalogueWriter) offText(l listing) string {
	if l.off == nil {
		return w.description(l)
	}
	return w.description(l) + " (" + l.off.Message + ")"
}

func (w catalogueWriter) names(l listing) object {
	o := object{{"name", l.Name}, {"command", l.Command}, {"about", w.env.Say(l.About)}}
	return append(o, offFields(l)...)
}

// offFields say why a tool is off, and how to switch it on.
func offFields(l listing) object {
	if l.off == nil {
		return nil
	}
	return object{{"off", object{{"message", l.off.Message}, {"hint", l.off.Hint}}}}
}

// hints are what MCP calls annotations: what a client may show, or ask about,
// before it lets a model call a tool.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

func annotations(t *tools.Tool) hints {
	changes := t.Effect == tools.Changes || t.Effect == tools.Removes
	return hints{t.Effect == tools.Reads, changes, changes || t.Effect == tools.Reads, t.World}
}

func (w catalogueWriter) mcp(l listing) object {
	hints := annotations(l.Tool)
	o := object{
		{"name", l.Name},
		{"title", w.env.Say(l.About)},
		{"description", w.description(l)},
		{"inputSchema", w.schema(l.Input(), plainSchema)},
		{"outputSchema", w.schema(l.Output(), plainSchema)},
		{"annotations", object{
			{"readOnlyHint", hints.readOnly},
			{"destructiveHint", hints.destructive},
			{"idempotentHint", hints.idempotent},
			{"openWorldHint", hints.openWorld},
		}},
	}
	if l.off != nil {
		o = append(o, entry{"_meta", object{{"techo/off", offFields(l)[0].value}}})
	}
	return o
}

func (w catalogueWriter) anthropic(l listing) object {
	return object{{"name", l.Name}, {"description", w.offText(l)}, {"input_schema", w.schema(l.Input(), plainSchema)}}
}

func (w catalogueWriter) openai(l listing) object {
	return append(object{{"type", "function"}}, w.function(l)...)
}

func (w catalogueWriter) openaiChat(l listing) object {
	return object{{"type", "function"}, {"function", w.function(l)}}
}

// function is OpenAI's function. It is strict, which makes the model keep to
// the schema, unless an object in it is open.
func (w catalogueWriter) function(l listing) object {
	strict := !hasOpen(l.Input())
	d := plainSchema
	if strict {
		d = strictSchema
	}
	return object{{"name", l.Name}, {"description", w.offText(l)}, {"parameters", w.schema(l.Input(), d)}, {"strict", strict}}
}

func (w catalogueWriter) gemini(l listing) object {
	o := object{{"name", l.Name}, {"description", w.offText(l)}}
	if len(l.Input().Properties) > 0 { // an object without any is refused
		o = append(o, entry{"parameters", w.schema(l.Input(), geminiSchema)})
	}
	return o
}

// object is a JSON object that keeps the order of its entries: a model fills
// in arguments in the order in which it reads them.
type object []entry

type entry struct {
	name  string
	value any
}

// appendJSON writes what catalogues are made of. It writes as it goes, where
// package json would read again at every level what it wrote below.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case object:
		b = append(b, '{')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(tools.AppendValue(b, tools.String, e.name), ':')
			b = appendJSON(b, e.value)
		}
		return append(b, '}')
	case []object:
		return appendItems(b, v)
	case []string:
		return appendItems(b, v)
	case []any:
		return appendItems(b, v)
	case string:
		return tools.AppendValue(b, tools.String, v)
	case tools.Kind:
		return tools.AppendValue(b, tools.String, string(v))
	case json.RawMessage:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case nil:
		return append(b, "null"...)
	}
	panic(fmt.Sprintf("catalogue: %T", value))
}

func appendItems[T any](b []byte, items []T) []byte {
	b = append(b, '[')
	for i, v := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}

func hasOpen(s *tools.Schema) bool {
	if s == nil {
		return false
	}
	return s.Kind == tools.Object && s.Open || s.Kind == tools.Any || hasOpen(s.Items) ||
		slices.ContainsFunc(s.Properties, func(p tools.Property) bool { return hasOpen(p.Schema) })
}

// columns writes rows as columns; all cells but the last are ASCII.
func columns(rows [][]string) string {
	var widths []int
	for _, r := range rows {
		for i, cell := range r[:len(r)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	var lines []string
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			b.WriteString(cell)
			if i < len(widths) {
				b.WriteString(strings.Repeat(" ", widths[i]-len(cell)+2))
			}
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}
