// Package catalogue writes the definitions of tools in the formats of MCP and of the
// APIs of OpenAI, Anthropic and Gemini.
package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"techo/commands/system"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

type toolsIn struct {
	Names  []string `json:"names,omitempty" doc:"Only these tools"`
	Format format   `json:"format" default:"mcp" doc:"mcp, the API of a vendor, or names alone"`
	Choice
	Listing
	All bool `json:"all,omitempty" doc:"Include unavailable tools, with the reason"`
}

type format string

// The formats.
const (
	mcp             format = "mcp"
	openAIResponses format = "openai"
	openAIChat      format = "openai-chat"
	anthropic       format = "anthropic"
	gemini          format = "gemini"
	namesOnly       format = "names"
)

// Enum returns the formats.
func (format) Enum() []string {
	return []string{string(mcp), string(openAIResponses), string(openAIChat), string(anthropic), string(gemini),
		string(namesOnly)}
}

type toolsOut struct {
	format   format
	document json.RawMessage
	listed   []listing
	named    bool // they were asked for by name
}

// MarshalJSON returns the document.
func (o toolsOut) MarshalJSON() ([]byte, error) { return o.document, nil }

// Text returns a table of the tools. The format of a vendor and the schema of a named tool have no
// text form and stay JSON.
func (o toolsOut) Text(env *tools.Env) string {
	if o.named && o.format == mcp || o.format != mcp && o.format != namesOnly {
		return string(o.document)
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, l := range o.listed {
		about := env.Localize(l.About)
		if l.off != nil {
			about += " (" + l.off.Message + ")"
		}
		fmt.Fprintf(w, "%s\t%s %s\t%s\n", l.Name, system.Name, l.Command, about)
	}
	w.Flush()
	return strings.TrimSuffix(table.String(), "\n")
}

type listing struct {
	*tools.Tool
	off *tools.Error // why the tool is unavailable, or nil
}

// Tool returns the command that prints the catalogue of the offered tools. A model
// calls them by their names, so descriptions use naming. compact reports whether results are.
func Tool(offered []*tools.Tool, naming *tools.Naming, compact func() bool) *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "tools",
		About:   "Print the definitions of tools for a model",
		More: "To save tokens, give a model the profile core, which has find_tools to find the others. The audiences " +
			"are agent (a model), host (the program that runs it) and person.",
		Words: []string{"names…"},
		Examples: []tools.Example{
			{Does: "List the names and purposes", Line: "tools --format names"},
			{Does: "Print one tool for OpenAI's Responses API", Line: "tools add_memo --format openai"},
			{Does: "Print the most useful tools, in few tokens", Line: "tools --profile core"},
		},
	}, func(_ context.Context, env *tools.Env, in toolsIn) (out toolsOut, err error) {
		for _, name := range in.Names {
			if ToolNamed(offered, name) == nil {
				return out, NoTool(env, offered, name)
			}
		}
		narrowed, e := Narrow(env, offered, in.Choice)
		if e != nil {
			return out, e
		}
		listed := in.Profile.List(env, narrowed)
		if len(in.Names) > 0 {
			in.Profile = "" // the whole definition of what was asked for
		}
		for _, t := range narrowed {
			l := listing{Tool: t}
			if t.When != nil {
				l.off = t.When(env)
			}
			if len(in.Names) > 0 && !slices.Contains(in.Names, t.Name) {
				continue
			}
			if l.off == nil && (slices.Contains(listed, t) || len(in.Names) > 0) || l.off != nil && in.All {
				out.listed = append(out.listed, l)
			}
		}
		out.format, out.named = in.Format, len(in.Names) > 0
		own := *env
		own.Tools, own.Naming = narrowed, naming
		in.Compact = compact()
		out.document = catalogue(NewWriter(&own, in.Listing, listed), in.Format, out.listed)
		return out, nil
	})
}

func catalogue(w Writer, f format, listed []listing) []byte {
	write := map[format]func(listing) object{
		mcp: w.mcp, openAIResponses: w.openAIResponses, openAIChat: w.openAIChat,
		anthropic: w.anthropic, gemini: w.gemini, namesOnly: w.names,
	}[f]
	items := []object{}
	for _, l := range listed {
		items = append(items, write(l))
	}
	var document any = items
	switch f {
	case mcp, namesOnly:
		document = object{{"tools", items}}
	case gemini:
		document = []object{{{"functionDeclarations", items}}}
	}
	return appendJSON(make([]byte, 0, 1<<17), document)
}

// Writer writes the definition of one tool. With a profile it is brief: a list that a model reads at every
// turn says what a call needs, and who asks for one tool gets the whole definition.
type Writer struct {
	env    *tools.Env
	list   Listing
	listed []*tools.Tool
}

// NewWriter returns a writer that writes in the language of env what a catalogue
// shows. Descriptions mention no other tools than the listed ones.
func NewWriter(env *tools.Env, list Listing, listed []*tools.Tool) Writer {
	return Writer{env, list, listed}
}

// isListed reports whether descriptions may mention a tool.
func (w Writer) isListed(tool *tools.Tool) bool {
	return slices.ContainsFunc(w.listed, func(t *tools.Tool) bool { return t.Name == tool.Name })
}

func (w Writer) brief() bool { return w.list.Profile != "" }

// input returns the schema of a tool's input, with the fields that the profile lists.
func (w Writer) input(t *tools.Tool) *schema.Schema {
	fields := w.list.Profile.Fields(t)
	if fields == nil {
		return t.Input()
	}
	short := *t.Input()
	short.Properties = slices.DeleteFunc(slices.Clone(short.Properties),
		func(p schema.Property) bool { return !slices.Contains(fields, p.Name) })
	return &short
}

// Input writes the schema of a tool's input as JSON Schema 2020-12.
func (w Writer) Input(t *tools.Tool) json.RawMessage {
	return exported{w, w.input(t), plainSchema}.append(nil)
}

// Output writes the schema of a tool's result; nil if it is not wanted.
func (w Writer) Output(t *tools.Tool) json.RawMessage {
	if !w.list.ResultSchemas {
		return nil
	}
	return exported{w, t.Output(), plainSchema}.append(nil)
}

// Title returns the title of a tool for a person; "" if the list is brief.
func (w Writer) Title(t *tools.Tool) string {
	if w.brief() {
		return ""
	}
	return w.env.Localize(t.About)
}

// Description returns the description of a tool for a model.
func (w Writer) Description(t *tools.Tool) string {
	text := w.env.Localize(t.About)
	if more := t.FurtherHelp(w.env, w.brief(), w.isListed); more != "" {
		text += w.env.Localize(". ") + more
	}
	return text
}

// descriptionWithReason adds to a description why a tool is unavailable, for formats
// without a field for it.
func (w Writer) descriptionWithReason(l listing) string {
	if l.off == nil {
		return w.Description(l.Tool)
	}
	return w.Description(l.Tool) + " (" + l.off.Message + ")"
}

func (w Writer) names(l listing) object {
	o := object{{"name", l.Name}, {"command", l.Command}, {"about", w.env.Localize(l.About)}}
	if l.off != nil {
		o = append(o, entry{"off", l.reason()})
	}
	return o
}

// reason returns why an unavailable tool is off, and how to switch it on.
func (l listing) reason() object {
	return object{{"message", l.off.Message}, {"hint", l.off.Hint}}
}

// Hints are the annotations of a tool in MCP. Clients use them to decide whether a model may call the tool
// without confirmation. What is nil is not listed: the default of the protocol holds.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`    // default: false
	Destructive *bool `json:"destructiveHint,omitempty"` // default: true; matters for what is not read-only
	Idempotent  *bool `json:"idempotentHint,omitempty"`  // default: false; likewise
	OpenWorld   *bool `json:"openWorldHint,omitempty"`   // default: true
}

// Hints returns the annotations of a tool. A brief list leaves out the ones that equal the default, or that do
// not matter for a confirmation.
func (w Writer) Hints(t *tools.Tool) (h Hints) {
	reads := t.Effect == tools.Reads
	changes := t.Effect == tools.Changes || t.Effect == tools.Removes
	idempotent := changes || reads
	switch {
	case !w.brief():
		return Hints{&reads, &changes, &idempotent, &t.World}
	case reads:
		h.ReadOnly = &reads
	case changes:
		h.Idempotent = &idempotent
	default:
		h.Destructive = &changes
	}
	return h
}

// object returns the annotations that are listed.
func (h Hints) object() (o object) {
	for _, hint := range []struct {
		name  string
		value *bool
	}{{"readOnlyHint", h.ReadOnly}, {"destructiveHint", h.Destructive}, {"idempotentHint", h.Idempotent},
		{"openWorldHint", h.OpenWorld}} {
		if hint.value != nil {
			o = append(o, entry{hint.name, *hint.value})
		}
	}
	return o
}

func (w Writer) mcp(l listing) object {
	o := object{{"name", l.Name}}
	if title := w.Title(l.Tool); title != "" {
		o = append(o, entry{"title", title})
	}
	o = append(o, object{
		{"description", w.Description(l.Tool)},
		{"inputSchema", exported{w, w.input(l.Tool), plainSchema}},
	}...)
	if w.list.ResultSchemas {
		o = append(o, entry{"outputSchema", exported{w, l.Output(), plainSchema}})
	}
	o = append(o, entry{"annotations", w.Hints(l.Tool).object()})
	if l.off != nil {
		o = append(o, entry{"_meta", object{{"techo/off", l.reason()}}})
	}
	return o
}

func (w Writer) anthropic(l listing) object {
	return object{{"name", l.Name}, {"description", w.descriptionWithReason(l)},
		{"input_schema", exported{w, w.input(l.Tool), plainSchema}}}
}

func (w Writer) openAIResponses(l listing) object {
	return append(object{{"type", "function"}}, w.function(l)...)
}

func (w Writer) openAIChat(l listing) object {
	return object{{"type", "function"}, {"function", w.function(l)}}
}

// function writes OpenAI's definition of a function. It is strict, so that the model
// follows the schema exactly, unless strict mode cannot express the schema.
func (w Writer) function(l listing) object {
	strict := !isOpen(w.input(l.Tool))
	d := plainSchema
	if strict {
		d = strictSchema
	}
	parameters := exported{w, w.input(l.Tool), d}
	return object{{"name", l.Name}, {"description", w.descriptionWithReason(l)}, {"parameters", parameters},
		{"strict", strict}}
}

func (w Writer) gemini(l listing) object {
	o := object{{"name", l.Name}, {"description", w.descriptionWithReason(l)}}
	if len(l.Input().Properties) > 0 { // Gemini refuses an object without properties
		o = append(o, entry{"parameters", exported{w, w.input(l.Tool), geminiSchema}})
	}
	return o
}

// object is a JSON object whose entries keep their order, because a model fills in
// arguments in the order in which it reads them.
type object []entry

type entry struct {
	Name  string
	Value any
}

// appendJSON appends a value as JSON. Package json would parse the output of nested
// marshalers again at each level.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case object:
		b = append(b, '{')
		for _, e := range v {
			b = appendJSON(appendName(b, e.Name), e.Value)
		}
		return append(b, '}')
	case []object:
		return appendList(b, v, func(b []byte, o object) []byte { return appendJSON(b, o) })
	case exported:
		return v.append(b)
	case string:
		return jsontree.AppendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	}
	panic(fmt.Sprintf("catalogue: %T", value))
}

// isOpen reports whether a schema contains an object with arbitrary properties, or a
// value of any type.
func isOpen(s *schema.Schema) bool {
	if s == nil {
		return false
	}
	return s.Kind == schema.Object && s.Open || s.Kind == schema.Any || isOpen(s.Items) ||
		slices.ContainsFunc(s.Properties, func(p schema.Property) bool { return isOpen(p.Schema) })
}
