package packaging

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const generated = "Generated from techo's catalogue: go test ./packaging -update"

// quoted returns texts as literals, which are the same in Python and JavaScript.
func quoted(texts []string) (all []string) {
	for _, text := range texts {
		literal, _ := json.Marshal(text)
		all = append(all, string(literal))
	}
	return all
}

var identifier = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// pythonName returns a name that Python allows as a parameter.
func pythonName(name string) string {
	if slices.Contains([]string{"from", "for", "in", "is", "not", "class", "global", "import", "with"}, name) {
		return name + "_"
	}
	return name
}

func pythonTyper(t *testing.T, declare func(string, []property, func(property) string)) typer {
	return typer{
		t: t,
		names: map[string]string{"text": "str", "number": "float", "whole": "int", "bool": "bool", "list": "list[%s]",
			"any": "Any"},
		literal: func(values []string) string { return "Literal[" + strings.Join(quoted(values), ", ") + "]" },
		declare: declare,
	}
}

// pythonTypes declares the results of the tools.
func pythonTypes(t *testing.T, tools []tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nfrom typing import Any, Literal, TypedDict\n\nfrom typing_extensions import NotRequired\n",
		generated)
	y := pythonTyper(t, func(name string, properties []property, of func(property) string) {
		var lines []string
		plain := true
		for _, p := range properties {
			kind := of(p)
			if !p.required {
				kind = "NotRequired[" + kind + "]"
			}
			plain = plain && identifier.MatchString(p.name) && pythonName(p.name) == p.name
			lines = append(lines, fmt.Sprintf("%s: %s", p.name, kind))
		}
		if plain {
			fmt.Fprintf(&b, "\nclass %s(TypedDict):\n    %s\n", name, strings.Join(lines, "\n    "))
			return
		}
		for i, line := range lines {
			key, kind, _ := strings.Cut(line, ": ")
			lines[i] = fmt.Sprintf("%q: %s", key, kind)
		}
		fmt.Fprintf(&b, "\n%s = TypedDict(%q, {\n    %s,\n})\n", name, name, strings.Join(lines, ",\n    "))
	})
	for _, tool := range tools {
		y.of(tool.Output, camel(tool.Name)+"Result")
	}
	return b.String()
}

func pythonTools(t *testing.T, tools []tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `"""The tools as methods. %s"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from . import _types as t


# What the tools do: read alone, add (an idempotency key makes it once), wait for the person.
READS = frozenset((%s))
ADDS = frozenset((%s))
WAITS = frozenset((%s))


def _given(**fields: Any) -> dict[str, Any]:
    return {name.rstrip("_"): value for name, value in fields.items() if value is not None}


class Tools:
    """Each method is one tool; a field that is None is not given."""

    def call(self, tool: str, input: Mapping[str, Any] | None = None, /, **fields: Any) -> Any:
        raise NotImplementedError
`, generated, lines("    ", reads(tools)), lines("    ", adds(tools)), lines("    ", waits))
	y := pythonTyper(t, func(string, []property, func(property) string) {})
	for _, tool := range tools {
		head, fields := []string{"self"}, []string{}
		optional := false
		var docs []string
		for _, p := range tool.Input.properties(t) {
			name, kind := pythonName(p.name), y.of(p.of, "dict[str, Any]")
			if !p.required {
				if !optional && !slices.Contains(tool.words, p.name) {
					head, optional = append(head, "*"), true
				}
				kind += " | None = None"
			}
			head = append(head, name+": "+kind)
			fields = append(fields, name+"="+name)
			docs = append(docs, "\n        "+name+": "+strings.TrimSpace(wrapped(p.of.Description, "            ")))
		}
		fmt.Fprintf(&b, "\n    def %s(\n        %s,\n    ) -> t.%sResult:\n        \"\"\"%s\n%s\n        \"\"\"\n"+
			"        return self.call(%q, _given(%s))\n", tool.Name, strings.Join(head, ",\n        "),
			camel(tool.Name), strings.TrimSpace(wrapped(tool.Description, "        ")), strings.Join(docs, ""),
			tool.Name, strings.Join(fields, ", "))
	}
	return strings.ReplaceAll(b.String(), `\`, `\\`)
}

func javaScriptTools(tools []tool) string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return "// " + generated + "\nexport const names = [" + lines("  ", names) + "]\n\n" +
		"// What the tools do: read alone, add (an idempotency key makes it once), wait for the person.\n" +
		"export const reads = [" + lines("  ", reads(tools)) + "]\n" +
		"export const adds = [" + lines("  ", adds(tools)) + "]\n" +
		"export const waits = [" + lines("  ", waits) + "]\n"
}

func lines(margin string, names []string) string {
	return "\n" + margin + strings.Join(quoted(names), ",\n"+margin) + ",\n"
}

// waits are the tools that wait for the person.
var waits = []string{"ask_user", "wait_for_answer"}

func reads(tools []tool) (names []string) {
	for _, t := range tools {
		if t.Annotations.ReadOnlyHint {
			names = append(names, t.Name)
		}
	}
	return names
}

// adds returns the tools that add something, so that calling twice adds twice.
func adds(tools []tool) (names []string) {
	for _, t := range tools {
		if a := t.Annotations; !a.ReadOnlyHint && !a.IdempotentHint && !slices.Contains(waits, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

func typeScriptTools(t *testing.T, tools []tool) string {
	var types, methods strings.Builder
	y := typer{
		t: t,
		names: map[string]string{"text": "string", "number": "number", "whole": "number", "bool": "boolean",
			"list": "Array<%s>", "any": "any"},
		literal: func(values []string) string { return strings.Join(quoted(values), " | ") },
		declare: func(name string, properties []property, of func(property) string) {
			var b strings.Builder
			fmt.Fprintf(&b, "\nexport interface %s {\n", name)
			for _, p := range properties {
				if p.of.Description != "" {
					fmt.Fprintf(&b, "  /** %s */\n", strings.ReplaceAll(p.of.Description, "*/", "* /"))
				}
				mark := "?"
				if p.required {
					mark = ""
				}
				fmt.Fprintf(&b, "  %s%s: %s\n", p.name, mark, of(p))
			}
			types.WriteString(b.String() + "}\n")
		},
	}
	for _, tool := range tools {
		name := camel(tool.Name)
		input := y.of(tool.Input, name+"Input")
		mark := ""
		if len(tool.Input.Required) == 0 {
			mark = "?"
		}
		fmt.Fprintf(&methods, "\n  /** %s */\n  %s(input%s: %s): Promise<%s>\n",
			strings.ReplaceAll(tool.Description, "*/", "* /"), tool.Name, mark, input,
			y.of(tool.Output, name+"Result"))
	}
	return "// " + generated + "\nexport declare const names: string[]\n\nexport interface Tools {" +
		methods.String() + "}\n" + types.String()
}
