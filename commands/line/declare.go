package line

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools/schema"
)

// declare declares the fields of a command as flags and arguments of its node.
// The library then parses the call and adds each value to in, unchanged.
func declare(node *cli.Command, c *Command, in *run.Input, l *Line) {
	node.SkipFlagParsing = false
	node.Flags, node.Arguments = flagsOf(c, in), argumentsOf(c, in, l.wordsOf(c.Tool))
	for _, f := range l.Flags {
		if f.Other != "" {
			node.Flags = append(node.Flags, &cli.GenericFlag{Name: f.Other, Value: &rawValue{field: f.Other, in: in}})
		}
	}
	// A word of a call never names a command.
	node.Commands = nil
}

// flagsOf returns a flag for each field of a command. A boolean field has a
// second one, with "no-".
func flagsOf(c *Command, in *run.Input) (flags []cli.Flag) {
	fields := c.Tool.Input()
	for _, p := range fields.Properties {
		name := c.FlagName(p)
		flags = append(flags, &cli.GenericFlag{Name: name, Aliases: aliases(name, p), Usage: string(p.About),
			Value: &rawValue{field: p.Name, in: in}})
		if p.Kind == schema.Boolean && fields.Property("no_"+p.Name) == nil {
			flags = append(flags, &cli.GenericFlag{Name: "no-" + name, Hidden: true,
				Value: &rawValue{field: p.Name, not: true, in: in}})
		}
	}
	return flags
}

// aliases returns the other names of a field's flag: the field's own, with
// underscores and with dashes.
func aliases(flag string, p schema.Property) (names []string) {
	for _, name := range []string{p.Name, strings.ReplaceAll(p.Name, "_", "-")} {
		if name != flag && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// rawValue is the value of a flag or a switch. (A boolean flag of the library
// would read --switch= as true.) It adds the text to the input unchanged; the
// pipeline converts and checks it like JSON.
type rawValue struct {
	field string
	not   bool // the flag is --no-field
	in    *run.Input
	text  string
}

// Set adds a value.
func (v *rawValue) Set(text string) error {
	if v.not {
		text = negated(text)
	}
	v.text = text
	v.in.Add(v.field, text)
	return nil
}

// String returns the last value.
func (v *rawValue) String() string { return v.text }

// Get returns the last value.
func (v *rawValue) Get() any { return v.text }

// negated returns the opposite of true or false. Other texts stay as they are:
// the pipeline refuses them.
func negated(text string) string {
	switch text {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return text
}

// argumentsOf returns an argument for each field that may be given as a word.
func argumentsOf(c *Command, in *run.Input, words []string) (arguments []cli.Argument) {
	for _, w := range words {
		field, rest := strings.CutSuffix(w, "…")
		arguments = append(arguments, &argument{
			field: field, rest: rest, usage: strings.ToUpper(w),
			sentence: rest && c.Tool.Input().Property(field).Kind == schema.String, in: in,
		})
	}
	return arguments
}

// argument is a field that is given as a word, or as all words that are left.
type argument struct {
	field    string
	rest     bool // it takes all words that are left
	sentence bool // joins them to one text
	usage    string
	in       *run.Input
	texts    []string
}

// HasName reports whether a name is the field's.
func (a *argument) HasName(name string) bool { return name == a.field }

// Usage returns the name for a line of usage.
func (a *argument) Usage() string { return a.usage }

// Get returns the words.
func (a *argument) Get() any { return a.texts }

// Parse takes the words of the argument and returns the others.
func (a *argument) Parse(words []string) (others []string, err error) {
	switch {
	case len(words) == 0:
		return words, nil
	case !a.rest:
		a.texts, others = words[:1], words[1:]
	case a.sentence:
		a.texts = []string{strings.Join(words, " ")}
	default:
		a.texts = words
	}
	if !a.rest && a.in.Has(a.field) {
		a.in.Report("/"+a.field, "is given twice")
		return others, nil
	}
	for _, text := range a.texts {
		a.in.Add(a.field, text)
	}
	return others, nil
}

// arguments returns the line of a call as the library parses it: flags as
// --name=value, then -- and the words.
//
// The line as it was typed cannot go to the library, for these reasons:
//
//	typed                                         the library              techo
//	-5 or "- item" as a word                      flags after it are words the flags are read
//	" --x", a word that begins with a blank       a flag                   a word, unchanged
//	--switch= with an optional value              true                     refused
//	- before and after --                         the same                 stdin, and a dash
//	an unknown flag, or one without its value     ends the parsing         all faults are reported
//	a word that is the name of a command below    runs that command        a word
//	--generate-shell-completion as the last word  starts the completion    a word
//
// Help and completion do not use the library's hooks: HelpPrinter is shared by all runs of a
// process and returns no exit code, and ShellComplete does not get the words of the line.
func (l *Line) arguments(c *Command, words []string) []string {
	var args []string
	for _, f := range l.Flags {
		name := c.FlagName(*c.Tool.Input().Property(f.Field))
		switch {
		case f.Not:
			name = "no-" + name
		case f.Other != "":
			name = f.Other
		}
		args = append(args, "--"+name+"="+f.Value)
	}
	return slices.Concat(args, []string{"--"}, words)
}
