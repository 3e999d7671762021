package catalogue

import (
	"slices"
	"strings"

	"techo/tools"
)

// Profile is a part of the tools that a catalogue lists. The others can be called too;
// find_tools finds them, and call_tool calls them.
type Profile string

// The profiles.
const (
	Full     Profile = "full"
	Core     Profile = "core"
	Memory   Profile = "memory"
	Files    Profile = "files"
	Calendar Profile = "calendar"
)

// Listing says what a catalogue shows of the tools that can be called. It is a part of the
// input of the commands that print or serve one.
type Listing struct {
	Profile       Profile `json:"profile" default:"full" doc:"List these tools first; find_tools finds the others"`
	ResultSchemas bool    `json:"result_schemas,omitempty" doc:"List the schemas of results too"`

	Compact bool `json:"-"` // results are compact: their schemas require only what is always there
}

// MCPListing is Listing for a server of MCP, whose client shows a model all that is listed.
type MCPListing struct {
	Profile       Profile `json:"profile,omitempty" doc:"List these tools first (default: core; with --only all)"`
	ResultSchemas bool    `json:"result_schemas,omitempty" doc:"List the schemas of results too"`

	Compact bool `json:"-"`
}

// Default returns the profile of a server of MCP that was started without one: "", whole definitions, where
// the person chose the tools.
func (c Choice) Default() Profile {
	if len(c.Only) > 0 {
		return ""
	}
	return Core
}

// Flags returns the flags of a command line that makes the same listing, without the
// profile that is the default there.
func (l Listing) Flags(byDefault Profile) (flags []string) {
	if l.Profile != byDefault {
		flags = append(flags, "--profile", string(l.Profile))
	}
	if l.ResultSchemas {
		flags = append(flags, "--result-schemas")
	}
	return flags
}

// FindTools is the name of the tool that finds tools which a profile does not list.
const FindTools = "find_tools"

// Enum returns the profiles.
func (Profile) Enum() []string {
	return []string{string(Core), string(Full), string(Memory), string(Files), string(Calendar)}
}

// Small reports whether a profile lists a part of the tools, to save tokens.
func (p Profile) Small() bool { return p != Full && p != "" }

func (p Profile) families() []string {
	return map[Profile][]string{
		Memory:   {"memo", "memory"},
		Files:    {"fs", "grep"},
		Calendar: {"cal"},
	}[p]
}

// coreFields returns the tools of the core profile, with the fields that it lists.
func coreFields() map[string][]string {
	return map[string][]string{
		"add_memo":           {"name", "content", "priority", "tags"},
		"edit_memo":          {"memo_name", "content", "priority"},
		"list_memo":          {"limit"},
		"get_memo":           {"memo_name"},
		"add_memory":         {"full_text", "topic"},
		"search_memory":      {"query", "limit"},
		"get_memory":         {"id"},
		"create_event":       {"title", "start", "end", "location", "description"},
		"list_events":        {"date_from", "date_to", "query"},
		"check_availability": {"check_type", "date", "date_from", "date_to", "time_from", "time_to"},
		"current_time":       {},
		"read_file":          {"path", "offset"},
		"edit_file":          {"path", "old_string", "new_string", "replace_all"},
		"grep":               {"pattern", "path", "include", "ignore_case"},
		"ask_user":           {"question", "options", "wait"},
		"wait_for_answer":    {"question_id"},
		"web_fetch":          {"url", "find", "start"},
	}
}

// Fields returns the fields of a tool that a profile lists; nil is all fields.
func (p Profile) Fields(t *tools.Tool) (fields []string) {
	if p == "" {
		return nil
	}
	if p == Core && coreFields()[t.Name] != nil {
		return coreFields()[t.Name]
	}
	all := t.Input().Properties
	for _, f := range all {
		if f.List != "-" {
			fields = append(fields, f.Name)
		}
	}
	if len(fields) == len(all) {
		return nil
	}
	return fields
}

// Lists reports whether a profile lists an available tool, apart from find_tools and call_tool.
func (p Profile) Lists(t *tools.Tool) bool {
	family, _, _ := strings.Cut(t.Command, " ")
	switch {
	case Leads(t):
		return false
	case !p.Small():
		return true
	case p == Core:
		return coreFields()[t.Name] != nil || t.When != nil // the host switched it on
	}
	return slices.Contains(p.families(), family)
}

// List returns the available tools that a profile lists. It adds find_tools and call_tool if there
// are others, or the list has not all fields.
func (p Profile) List(env *tools.Env, offered []*tools.Tool) []*tools.Tool {
	listed, others, lead := p.divide(env, offered)
	if len(others) > 0 || slices.ContainsFunc(listed, func(t *tools.Tool) bool { return p.Fields(t) != nil }) {
		listed = append(listed, lead...)
	}
	return listed
}

// Others returns the available tools that a profile does not list; none if nothing leads to them.
func (p Profile) Others(env *tools.Env, offered []*tools.Tool) []*tools.Tool {
	_, others, lead := p.divide(env, offered)
	if len(lead) == 0 {
		return nil
	}
	return others
}

// divide divides the available tools into the listed ones of a profile, the others, and those that lead
// to the others: find_tools and call_tool.
func (p Profile) divide(env *tools.Env, offered []*tools.Tool) (listed, others, lead []*tools.Tool) {
	for _, t := range offered {
		switch {
		case t.When != nil && t.When(env) != nil:
		case Leads(t):
			lead = append(lead, t)
		case p.Lists(t):
			listed = append(listed, t)
		default:
			others = append(others, t)
		}
	}
	return listed, others, lead
}

// Subjects returns the subject of each family of the offered tools.
func Subjects(env *tools.Env, offered []*tools.Tool) (all []string) {
	about := map[string]tools.Text{
		"memo":   "memos about people and plans",
		"memory": "memories of conversations",
		"cal":    "a calendar",
		"todo":   "to-dos",
		"now":    "the current time",
		"grep":   "search in files",
		"fs":     "reading and editing files",
		"ask":    "questions to the user",
		"web":    "pages of the web",

		"history": "the history of changes",
		"undo":    "the history of changes",
		"space":   "spaces that users share",
	}
	for _, t := range offered {
		family, _, _ := strings.Cut(t.Command, " ")
		if text := env.Localize(about[family]); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
