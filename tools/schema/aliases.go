package schema

import (
	"strings"
	"unicode"

	"techo/tools/jsontree"
)

// Alias is a row of the names that other tools give to a field.
type Alias struct {
	Tools string // the tools with the field, which may be one of a nested object
	Names string // the other names; name=value means that the field is true; without a field it changes nothing
	Field string
}

// Aliases are the field names of tools that do the same as one of techo's: the file tools
// of Claude Code, Codex, Gemini CLI and OpenCode, Anthropic's text editor and memory tools,
// and the file system server of MCP. Some are the names that another tool of techo gives to
// the same value. Schemas do not list them. Names in camel case and with dashes need no row.
var Aliases = []Alias{
	{"read_file write_file edit_file insert_text remove_file undo_edit", "file_path absolute_path", "path"},
	{"list_files glob grep", "dir_path", "path"},
	{"read_file", "head", "limit"},
	{"write_file", "file_text", "content"},
	{"edit_file", "old_str old_text", "old_string"},
	{"edit_file", "new_str new_text", "new_string"},
	{"edit_file", "expected_replacements", "expected_count"},
	{"edit_file", "allow_multiple", "replace_all"},
	{"insert_text", "file_text insert_text new_str", "text"},
	{"insert_text", "insert_line", "line"},
	{"apply_patch", "input patch_text", "patch"},
	{"move_file", "old_path source path", "from"},
	{"move_file", "new_path destination", "to"},
	{"grep", "glob include_pattern", "include"},
	{"grep", "exclude_pattern", "exclude"},
	{"grep", "head_limit total_max_matches limit", "max_results"},
	{"grep", "output_mode=content -n=true -n=false", ""}, // results always have lines and their numbers
	{"grep", "output_mode=files_with_matches", "files_with_matches"},
	{"grep", "output_mode=count", "count"},
	{"grep", "max_matches_per_file", "max_per_file"},
	{"grep", "names_only", "files_with_matches"},
	{"grep", "-i", "ignore_case"},
	{"grep", "-A", "after"},
	{"grep", "-B", "before"},
	{"grep", "-C", "context"},
	{"add_memo", "text", "content"},
	{"edit_memo remove_memo get_memo move_memo", "name id", "memo_name"},
	{"add_memory edit_memory supersede_memory", "text content fact", "full_text"},
	{"edit_memory get_memory move_memory", "memory_id", "id"},
	{"supersede_memory", "id", "memory_id"},
	{"remove_memory", "id memory_id memory_ids", "ids"},
	{"investigate_memory", "id ids memory_id", "memory_ids"},
	{"get_event update_event move_event delete_event", "id", "event_id"},
	{"get_todo edit_todo move_todo complete_todo remove_todo", "id", "todo_id"},
	{"answer_question wait_for_answer", "id", "question_id"},
	{"call_tool", "tool tool_name", "name"},
	{"call_tool", "arguments args parameters params", "input"},
}

// Field returns the property of the input with a name or an alias, or nil.
func (in Input) Field(name string) *Property {
	return in.Schema.Property(fieldOf(in.Tool, in.Schema, name))
}

// fieldOf returns the name of the property that a name of an object means, in the input of a
// tool. It returns the name itself if that is a property, or no property is meant.
func fieldOf(tool string, s *Schema, name string) string {
	if s.Open || s.Property(name) != nil {
		return name
	}
	plain := snakeCase(name)
	if s.Property(plain) != nil {
		return plain
	}
	for _, a := range Aliases {
		if s.Property(a.Field) != nil && hasWord(a.Tools, tool) && (hasWord(a.Names, name) || hasWord(a.Names, plain)) {
			return a.Field
		}
	}
	return name
}

// hasWord reports whether a word is one of some words, which spaces separate.
func hasWord(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

// switchOf returns the fields that a member of an object means by its value, such as the count of
// output_mode=count. ok is false for other members.
func switchOf(tool string, s *Schema, m jsontree.Member) (fields []jsontree.Member, ok bool) {
	if s.Property(m.Name) != nil {
		return nil, false
	}
	value := m.Value.Text
	if m.Value.Kind != '"' {
		value = string(m.Value.Append(nil))
	}
	for _, a := range Aliases {
		if !hasWord(a.Tools, tool) || !hasWord(a.Names, m.Name+"="+value) {
			continue
		}
		if a.Field != "" {
			fields = []jsontree.Member{{Name: a.Field, Value: &jsontree.Node{Kind: 't'}}}
		}
		return fields, true
	}
	return nil, false
}

// snakeCase returns a name in camel case or with dashes, such as oldString, as techo writes
// it: old_string. Other names stay.
func snakeCase(name string) string {
	if name == "" || unicode.IsUpper(rune(name[0])) {
		return name
	}
	var b strings.Builder
	for i, c := range name {
		switch {
		case c == '-' && i > 0:
			c = '_'
		case unicode.IsUpper(c):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
