package tools

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"techo/locales"
	"techo/tools/schema"
)

// Naming says how a caller names tools. Hints and descriptions are written for a shell:
// "techo memo list", "--max-chars". A caller over MCP or HTTP has no commands and no
// flags; for it they become the names of tools and fields: "list_memo", "max_chars".
type Naming struct {
	Commands func() []string        // all commands of the shell, also those without a tool
	Setting  func(name string) bool // whether a flag is a setting of the server, not a field
	Listed   func(*Tool) bool       // whether the list that the caller got has a tool; find_tools adds others
	Fields   func(*Tool) []string   // the fields of a tool in that list; nil is all, which find_tools shows
}

// Hint returns a text as a hint for the caller: with the names that the caller uses.
// What only the person can do in a shell is marked as such. Arguments stay unchanged.
func (env *Env) Hint(text Text, args ...any) string {
	if env.Naming == nil {
		return env.Localize(text, args...)
	}
	r := &renamer{env: env}
	renamed, personal := r.rename(locales.Translate(string(env.Lang), string(text)))
	if len(r.unlisted) > 0 {
		renamed += unlisted(env, r.unlisted...)
	}
	if r.shortened != nil {
		renamed += strings.Replace(env.Localize(" (find_tools shows all fields of %s)"), "%s", r.shortened.Name, 1)
	}
	if personal {
		renamed = strings.Replace(env.Localize("For the person who runs techo: %s"), "%s", renamed, 1)
	}
	return Text(renamed).In(env.Lang, args...)
}

// unlisted says how the caller gets tools that its list does not have.
func unlisted(env *Env, names ...string) string {
	return strings.Replace(env.Localize(" (find_tools lists %s)"), "%s", strings.Join(names, ", "), 1)
}

// Describe returns a text as a description for the caller: with the names that the
// caller uses, and without sentences about tools that listed excludes, commands of
// the shell and settings.
func Describe(env *Env, text Text, listed func(*Tool) bool) string {
	whole := env.Localize(text)
	if env.Naming == nil || !namesShell(whole) {
		return whole
	}
	r := &renamer{env: env}
	var b strings.Builder
	for sentence := range sentences(whole) {
		if !namesShell(sentence) {
			b.WriteString(sentence)
		} else if renamed, ok := r.concerns(sentence, listed); ok {
			b.WriteString(renamed)
		}
	}
	return strings.TrimSpace(b.String())
}

// namesShell reports whether a text may name a command or a flag.
func namesShell(text string) bool {
	return strings.Contains(text, "techo ") || strings.Contains(text, "--") || strings.Contains(text, "-o ")
}

// renamer renames commands and flags in texts for a caller.
type renamer struct {
	env       *Env
	unlisted  []string // collects the names of tools that the caller's list does not have
	shortened *Tool    // without a field in the list that the text names
}

// sentences splits a text behind the end of each sentence: behind a full stop and the
// white space after it, 。 or the end of a line.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i < len(text); i++ {
			end := i + 1
			switch {
			case text[i] == '\n':
			case strings.HasPrefix(text[i:], "。"):
				end = i + len("。")
			case text[i] == '.':
				for end < len(text) && strings.IndexByte(" \t\n\f\r", text[end]) >= 0 {
					end++
				}
				if end == i+1 {
					continue
				}
			default:
				continue
			}
			if !yield(text[from:end]) {
				return
			}
			from, i = end, end-1
		}
		yield(text[from:])
	}
}

// concerns reports whether a sentence is about listed tools and their fields only. It
// returns the sentence with their names.
func (r *renamer) concerns(sentence string, listed func(*Tool) bool) (renamed string, ok bool) {
	if strings.Contains(sentence, "techo ") {
		for _, m := range commandNames().FindAllString(sentence, -1) {
			command, _ := r.command(strings.Fields(m)[1:])
			if t := r.tool(command); command != "" && (t == nil || !listed(t)) {
				return "", false
			}
		}
	}
	renamed, personal := r.rename(sentence)
	return renamed, !personal && !strings.Contains(" "+sentence, " -o ")
}

// Patterns of a command with what follows it, and of a flag with its value.
var (
	commandNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`techo(?: [a-z][a-z-]*)+`) })
	commandTail  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?: (%(?:\[\d\])?s)| [A-Z]{2,}\b)`)
	})
	flagNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`--([a-z][a-z-]*)(?:[ =]([A-Z][A-Z|:-]*\b(?:=\S+)?|[a-z]+\b))?`)
	})
	bothNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w+)( ?[(（])--([a-z-]+)[)）]`) })
)

// rename replaces commands and flags by tools and fields. personal reports that a
// command or a flag is left, which only the person can use.
func (r *renamer) rename(text string) (renamed string, personal bool) {
	text, about, personal := r.renameCommands(text)
	if !strings.Contains(text, "--") {
		return text, personal
	}
	text = bothNames().ReplaceAllStringFunc(text, func(both string) string { // "parents (--parents)"
		m := bothNames().FindStringSubmatch(both)
		if strings.ReplaceAll(m[3], "-", "_") == m[1] {
			return m[1]
		}
		return both
	})
	text = flagNames().ReplaceAllStringFunc(text, func(flag string) string {
		m := flagNames().FindStringSubmatch(flag)
		field := r.field(about, m[1])
		if field == nil {
			personal = true
			return flag
		}
		value := strings.TrimPrefix(flag, "--"+m[1])
		switch {
		case m[2] == "" || strings.ToUpper(m[2]) == m[2] && !strings.Contains(m[2], "="): // a placeholder
			return field.Name
		case slices.Contains(field.Enum, m[2]):
			return field.Name + ` "` + m[2] + `"`
		}
		return field.Name + value
	})
	return text, personal
}

// renameCommands replaces commands by tools. about is the last of these tools.
func (r *renamer) renameCommands(text string) (renamed string, about *Tool, personal bool) {
	var b strings.Builder
	for strings.Contains(text, "techo ") {
		at := commandNames().FindStringIndex(text)
		if at == nil {
			break
		}
		words := strings.Fields(text[at[0]:at[1]])[1:]
		command, n := r.command(words)
		end := at[0] + len("techo "+strings.Join(words[:n], " "))
		b.WriteString(text[:at[0]])
		rest := text[min(end, len(text)):]
		t := r.tool(command)
		switch {
		case command == "":
			b.WriteString(text[at[0]:at[1]])
			text = text[at[1]:]
			continue
		case command == "tools":
			b.WriteString(r.env.Localize("the list of tools"))
			rest = strings.TrimPrefix(rest, " --format names")
		case t == nil || t.When != nil && t.When(r.env) != nil:
			personal = true
			b.WriteString("`" + command + "`")
		default:
			about = t
			rest = r.writeTool(&b, t, rest)
			if listed := r.env.Naming.Listed; !listed(t) && !slices.Contains(r.unlisted, t.Name) {
				r.unlisted = append(r.unlisted, t.Name)
			}
		}
		text = rest
	}
	return b.String() + text, about, personal
}

// writeTool writes the name of a tool, with the input that the words after its command
// stand for, and returns the text after them.
func (r *renamer) writeTool(b *strings.Builder, t *Tool, rest string) string {
	if after, ok := strings.CutPrefix(rest, " --help"); ok {
		b.WriteString(r.env.Localize("the schema of %s", t.Name))
		return after
	}
	b.WriteString(t.Name)
	m := commandTail().FindStringSubmatch(rest)
	if m == nil || len(t.Words) == 0 {
		return rest
	}
	if m[1] != "" {
		field, _ := t.Word(0)
		b.WriteString(` {"` + field + `":"` + m[1] + `"}`)
	}
	return rest[len(m[0]):]
}

// field returns the field of the tool about, of the tool that is called, or of another
// one, which a flag sets; nil for a setting.
func (r *renamer) field(about *Tool, flag string) *schema.Property {
	name := strings.ReplaceAll(flag, "-", "_")
	of := func(t *Tool) *schema.Property {
		if t == nil {
			return nil
		}
		p := t.Input().Property(name)
		if p == nil {
			p = t.Input().Property(name + "s") // one value of a list
		}
		if p != nil && r.env.Naming.Listed(t) {
			if shown := r.env.Naming.Fields(t); shown != nil && !slices.Contains(shown, p.Name) {
				r.shortened = t
			}
		}
		return p
	}
	for _, t := range []*Tool{about, r.env.called} {
		if p := of(t); p != nil {
			return p
		}
	}
	if r.env.Naming.Setting(flag) {
		return nil
	}
	for _, t := range r.env.Tools {
		if p := of(t); p != nil {
			return p
		}
	}
	return nil
}

// command returns the longest command that words begin with, and its number of words;
// "" for none. Two words of a known family are a command too.
func (r *renamer) command(words []string) (command string, length int) {
	commands := r.env.Naming.Commands()
	for length := min(len(words), 3); length > 0; length-- {
		command := strings.Join(words[:length], " ")
		if r.tool(command) != nil || slices.Contains(commands, command) {
			return command, length
		}
	}
	inFamily := func(command string) bool { return strings.HasPrefix(command, words[0]+" ") }
	if len(words) > 1 && slices.ContainsFunc(commands, inFamily) {
		return strings.Join(words[:2], " "), 2
	}
	return "", 0
}

// tool returns the tool with a command or an alias of it, or nil.
func (r *renamer) tool(command string) *Tool {
	i := slices.IndexFunc(r.env.Tools, func(t *Tool) bool {
		return t.Name != "" && (t.Name == command || t.Command == command || slices.Contains(t.Aliases, command))
	})
	if i < 0 {
		return nil
	}
	return r.env.Tools[i]
}

// CommandHint returns the hint to run a command with an argument.
func CommandHint(env *Env, command, argument string) string {
	return env.Hint(Text("techo "+command+" %s"), argument)
}
