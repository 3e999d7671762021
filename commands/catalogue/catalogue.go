// Package catalogue writes the list of tools in the formats of vendors: MCP, OpenAI,
// Anthropic and Gemini.
package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"techo/commands/offer"
	"techo/commands/output"
	"techo/commands/system"
	"techo/tools"
)

// toolsIn is the input of the command tools.
type toolsIn struct {
	Names    []string       `json:"names,omitempty" doc:"Only these tools"`
	Format   string         `json:"format" default:"mcp" enum:"mcp,openai,openai-chat,anthropic,gemini,names" doc:"Whose form: mcp, a vendor's API, or names alone"`
	Audience tools.Audience `json:"audience" default:"agent" enum:"agent,host,person" doc:"Whom to offer tools to: a model (agent), the program that runs it (host), or the person; each also gets the tools of those before it"`
	All      bool           `json:"all,omitempty" doc:"Also the tools that are off here, and why"`
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
		about := env.Localize(l.About)
		if l.off != nil {
			about += " (" + l.off.Message + ")"
		}
		rows = append(rows, []string{l.Name, system.Name + " " + l.Command, about})
	}
	return output.Columns(rows)
}

// listing is a tool in the catalogue; off says why it is not to be had.
type listing struct {
	*tools.Tool
	off *tools.Error
}

// Tool is the command tools for these tools.
func Tool(offered []*tools.Tool) *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "tools",
		About:   "Print the tools for an agent",
		More:    "Cheap in tokens: give a model the names, then the definition of the tool that it wants to call.",
		Words:   []string{"names…"},
		Examples: []tools.Example{
			{Does: "The names, and what they do", Line: "tools --format names"},
			{Does: "One tool, for OpenAI's Responses API", Line: "tools add_memo --format openai"},
		},
	}, func(_ context.Context, env *tools.Env, in toolsIn) (out catalogueOut, err error) {
		for _, name := range in.Names {
			if _, e := offer.Find(env, offered, name); e != nil {
				return out, e
			}
		}
		listed, e := offer.Narrow(env, offered, offer.Choice{Audience: in.Audience})
		if e != nil {
			return out, e
		}
		for _, t := range listed {
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
	})
}

// catalogue writes listings in a format.
func catalogue(env *tools.Env, format string, listed []listing) []byte {
	w := Writer{env}
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

// Writer writes one tool in each format.
type Writer struct{ env *tools.Env }

// NewWriter returns a writer that writes in the language of env.
func NewWriter(env *tools.Env) Writer { return Writer{env} }

// Schema writes a schema as JSON Schema 2020-12.
func (w Writer) Schema(s *tools.Schema) json.RawMessage {
	return appendJSON(nil, w.schema(s, plainSchema))
}

// Description is what a model reads of a tool.
func (w Writer) Description(t *tools.Tool) string {
	text := w.env.Localize(t.About)
	if more := w.env.Localize(t.More); more != "" {
		text += w.env.Localize(". ") + more
	}
	return text
}

// offText adds to a description why a tool is off, where nothing else can say it.
func (w Writer) offText(l listing) string {
	if l.off == nil {
		return w.Description(l.Tool)
	}
	return w.Description(l.Tool) + " (" + l.off.Message + ")"
}

func (w Writer) names(l listing) object {
	o := object{{"name", l.Name}, {"command", l.Command}, {"about", w.env.Localize(l.About)}}
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
type hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

func Annotations(t *tools.Tool) hints {
	changes := t.Effect == tools.Changes || t.Effect == tools.Removes
	return hints{t.Effect == tools.Reads, changes, changes || t.Effect == tools.Reads, t.World}
}

func (w Writer) mcp(l listing) object {
	hints := Annotations(l.Tool)
	o := object{
		{"name", l.Name},
		{"title", w.env.Localize(l.About)},
		{"description", w.Description(l.Tool)},
		{"inputSchema", w.schema(l.Input(), plainSchema)},
		{"outputSchema", w.schema(l.Output(), plainSchema)},
		{"annotations", object{
			{"readOnlyHint", hints.ReadOnly},
			{"destructiveHint", hints.Destructive},
			{"idempotentHint", hints.Idempotent},
			{"openWorldHint", hints.OpenWorld},
		}},
	}
	if l.off != nil {
		o = append(o, entry{"_meta", object{{"techo/off", offFields(l)[0].Value}}})
	}
	return o
}

func (w Writer) anthropic(l listing) object {
	return object{{"name", l.Name}, {"description", w.offText(l)}, {"input_schema", w.schema(l.Input(), plainSchema)}}
}

func (w Writer) openai(l listing) object {
	return append(object{{"type", "function"}}, w.function(l)...)
}

func (w Writer) openaiChat(l listing) object {
	return object{{"type", "function"}, {"function", w.function(l)}}
}

// function is OpenAI's function. It is strict, which makes the model keep to
// the schema, unless an object in it is open.
func (w Writer) function(l listing) object {
	strict := !hasOpen(l.Input())
	d := plainSchema
	if strict {
		d = strictSchema
	}
	return object{{"name", l.Name}, {"description", w.offText(l)}, {"parameters", w.schema(l.Input(), d)},
		{"strict", strict}}
}

func (w Writer) gemini(l listing) object {
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
	Name  string
	Value any
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
			b = append(tools.AppendValue(b, tools.String, e.Name), ':')
			b = appendJSON(b, e.Value)
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
