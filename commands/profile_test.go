package commands

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/catalogue"
	"techo/internal/mcptest"
)

// coreTokens and fullTokens are the numbers of tokens that the profiles may cost, at 4 bytes each, which
// is a twentieth more than tokenizers count.
const (
	coreTokens = 2000
	fullTokens = 10000
)

// tokens returns the size of the answer to tools/list, at 4 bytes each.
func tokens(w *world, flags ...string) int {
	requests := mcptest.Hello + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	answers := w.feed(requests, append([]string{"mcp"}, flags...)...).out
	return len(mcptest.Answers(w.t, answers)["2"]) / 4
}

// TestListSizes measures the lists of a server.
func TestListSizes(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		for profile, most := range map[string]int{"core": coreTokens, "full": fullTokens} {
			n := tokens(newWorld(t), "--profile", profile, "--lang", lang)
			if t.Logf("%s: %d tokens", lang, n); n < 1000 || lang == "en" && n >= most {
				t.Errorf("%s: the list of %s has %d tokens, want less than %d", lang, profile, n, most)
			}
		}
	}
}

// TestDocumentedSizes compares the figures in docs/agents.md with what a client gets.
func TestDocumentedSizes(t *testing.T) {
	page := string(must(os.ReadFile(filepath.Join("..", "docs", "agents.md"))))
	row := regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|.*\\| ([0-9,]+) \\| ([0-9,]+) \\|$")
	rows := row.FindAllStringSubmatch(page, -1)
	if len(rows) != len(catalogue.Full.Enum()) {
		t.Fatalf("docs/agents.md has %d profiles, want %d", len(rows), len(catalogue.Full.Enum()))
	}
	w := newWorld(t)
	for _, r := range rows {
		for i, flags := range [][]string{{"--profile", r[1]}, {"--profile", r[1], "--result-schemas"}} {
			said, err := strconv.Atoi(strings.ReplaceAll(r[2+i], ",", ""))
			n := tokens(w, flags...)
			if off := n - said; err != nil || off*20 > n || -off*20 > n { // 5 %
				t.Errorf("docs/agents.md has %s tokens for %q, but there are %d", r[2+i], flags, n)
			}
		}
	}
}

// TestProfiles checks which tools a profile lists, on all interfaces.
func TestProfiles(t *testing.T) {
	w := newWorld(t)
	for profile, want := range map[string]struct{ with, without []string }{
		"core":     {[]string{"add_memo", "search_memory", "find_tools"}, []string{"update_event", "glob"}},
		"memory":   {[]string{"list_memo_tags", "supersede_memory", "find_tools"}, []string{"create_event", "grep"}},
		"files":    {[]string{"grep", "apply_patch", "find_tools"}, []string{"add_memo", "list_events"}},
		"calendar": {[]string{"update_event", "list_calendars", "find_tools"}, []string{"add_memo", "grep"}},
		"full":     {[]string{"add_memo", "update_event", "grep", "call_tool"}, nil},
	} {
		list, err := w.client(t, nil, "--profile", profile).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		for _, name := range want.with {
			if !slices.Contains(names, name) {
				t.Errorf("%s does not list %s", profile, name)
			}
		}
		for _, name := range want.without {
			if slices.Contains(names, name) {
				t.Errorf("%s lists %s", profile, name)
			}
		}
	}
	web := w.serve(t, "serve", "--profile", "core")
	web.Want(200, `"find_tools"`, "GET", "/tools", "")
	web.Want(200, `"update_event"`, "GET", "/tools?profile=full", "")
	web.Want(404, "", "POST", "/tools/get_event", `{"event_id":"evt_nothere"}`) // callable, though not listed
	if got := w.run("tools", "--profile", "core", "--only", "memo", "--read-only", "--format", "names").out; strings.
		Contains(got, "add_memo") || strings.Contains(got, "search_memory") || !strings.Contains(got, "find_tools") {
		t.Errorf("core, memos that are read: %s", got)
	}
	w.run("tools", "--profile", "cor").fails("invalid_input", "/profile")
}

// TestProfileHints checks that a hint about a tool which the profile does not list says
// how to list it.
func TestProfileHints(t *testing.T) {
	w := newWorld(t)
	const hint = `{"question_id":"q7"}`
	for profile, want := range map[string]string{
		"full":   `"hint":"See list_questions"`,
		"core":   `"hint":"See list_questions (find_tools lists list_questions)"`,
		"memory": `"hint":"See list_questions (find_tools lists list_questions)"`,
	} {
		if text, _ := mcptest.Call(t, w.client(t, nil, "--profile", profile), "wait_for_answer", hint); !strings.
			Contains(text, want) {
			t.Errorf("%s: %s, want %s", profile, text, want)
		}
	}
	c := w.client(t, nil)
	text, _ := mcptest.Call(t, c, "get_memo", `{"memo_name":"nothere"}`)
	if !strings.Contains(text, `"hint":"See list_memo"`) {
		t.Errorf("a listed tool: %s", text)
	}
	text, _ = mcptest.Call(t, w.client(t, nil, "--profile", "core", "--lang", "ja"), "wait_for_answer", hint)
	if !strings.Contains(text, "（find_tools で list_questions が一覧に加わります）") {
		t.Errorf("Japanese: %s", text)
	}
	for input, want := range map[string]string{
		`{"pattern":"("}`: `use fixed_strings (find_tools shows all fields of grep)"`,
		`{}`:              `"hint":"See the schema of grep"`,
	} {
		if text, _ = mcptest.Call(t, c, "grep", input); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", input, text, want)
		}
	}
	if text, _ = mcptest.Call(t, c, "edit_memory", `{}`); !strings.Contains(text, "(find_tools lists edit_memory)") {
		t.Errorf("a schema that is not listed: %s", text)
	}
	mcptest.Call(t, c, "find_tools", `{"query":"edit_memory"}`)
	if text, _ = mcptest.Call(t, c, "edit_memory", `{}`); strings.Contains(text, "find_tools") {
		t.Errorf("after it was found: %s", text)
	}
	web := w.serve(t, "serve", "--profile", "core")
	web.Want(404, `See list_events`, "POST", "/tools/get_event", `{"event_id":"evt_nothere"}`)
}

func namesIn(list any) (names []string) {
	for _, tool := range list.([]any) {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	return names
}

// TestCoreFields checks that the core profile lists fields that exist and all required
// ones.
func TestCoreFields(t *testing.T) {
	listed := 0
	for _, tool := range families() {
		fields := catalogue.Core.Fields(tool)
		if fields == nil {
			continue
		}
		listed++
		for _, name := range fields {
			if tool.Input().Property(name) == nil {
				t.Errorf("%s has no field %s", tool.Name, name)
			}
		}
		for _, p := range tool.Input().Properties {
			if p.Required && !slices.Contains(fields, p.Name) && len(p.RequiredUnless) == 0 {
				t.Errorf("%s needs %s", tool.Name, p.Name)
			}
		}
	}
	if listed < 10 {
		t.Errorf("core lists %d tools", listed)
	}
}

// TestFindTools checks which tools are found first by the requests in two lists: one that
// the words of the catalogue were chosen with, and one that they were not.
func TestFindTools(t *testing.T) {
	w := newWorld(t)
	for file, least := range map[string]float64{"find_tools.txt": 0.95, "find_tools_held.txt": 0.9} {
		list := string(must(os.ReadFile(filepath.Join("testdata", file))))
		right, all := 0, 0
		for line := range strings.Lines(list) {
			want, query, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok {
				continue
			}
			found := w.run("tools", "find", query).ok()["tools"].([]any)
			if all++; len(found) > 0 && namesIn(found)[0] == want {
				right++
			} else {
				t.Logf("%q finds %q, want %s", query, namesIn(found), want)
			}
		}
		if t.Logf("%s: %d of %d", file, right, all); all < 40 || float64(right) < least*float64(all) {
			t.Errorf("%s: %d of %d are right", file, right, all)
		}
	}
	none := w.run("tools", "find", "zzzz qqqq").ok()
	if none["count"] != 0.0 || !strings.Contains(none["message"].(string), "add_memo") {
		t.Errorf("nothing is found: %v", none)
	}
}

// TestFindToolsListed checks that tools which were found are listed with all fields,
// and that the client is notified.
func TestFindToolsListed(t *testing.T) {
	changed := make(chan bool, 8)
	options := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		changed <- true
	}}
	c := newWorld(t).client(t, options, "--profile", "core", "--only", "memo,cal")
	if mcptest.Offers(t, c, "update_event") {
		t.Fatal("it is listed before it is found")
	}
	text, isError := mcptest.Call(t, c, "find_tools", `{"query":"update_event edit_file answer_question"}`)
	if isError || strings.Contains(text, `"edit_file"`) || strings.Contains(text, `"answer_question"`) {
		t.Errorf("it finds tools that are not offered: %s", text)
	}
	text, isError = mcptest.Call(t, c, "find_tools", `{"query":"update_event, create_event"}`)
	if isError || !strings.Contains(text, `"input_schema"`) {
		t.Errorf("find_tools: %s", text)
	}
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Fatal("no notification")
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for _, tool := range list.Tools {
		fields[tool.Name] = string(must(json.Marshal(tool.InputSchema)))
	}
	if !strings.Contains(fields["update_event"], "scope") || !strings.Contains(fields["create_event"], "recurrence") {
		t.Errorf("the listed schemas: %v", fields)
	}
	if text, _ = mcptest.Call(t, c, "update_event", `{"event_id":"evt_nothere","title":"x"}`); !strings.Contains(text,
		`"not_found"`) {
		t.Errorf("a tool that was found: %s", text)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestDescriptionsNameOffered checks that descriptions name only tools that are listed
// beside them, and no commands.
func TestDescriptionsNameOffered(t *testing.T) {
	w := newWorld(t)
	var all []string
	for _, tool := range families() {
		all = append(all, tool.Name)
	}
	name, command := regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`), regexp.MustCompile(`techo [a-z]|--[a-z]`)
	for _, flags := range [][]string{{}, {"--profile", "core"}, {"--profile", "memory"},
		{"--only", "list_memo,add_memory"}, {"--read-only"}, {"--audience", "person"}, {"--only", "fs"},
		{"--profile", "calendar"}} {
		for _, lang := range []string{"en", "ja"} {
			list := w.run(append([]string{"tools", "--lang", lang}, flags...)...).ok()["tools"].([]any)
			listed := namesIn(list)
			for _, tool := range list {
				text := tool.(map[string]any)["description"].(string)
				for _, mentioned := range name.FindAllString(text, -1) {
					if slices.Contains(all, mentioned) && !slices.Contains(listed, mentioned) {
						t.Errorf("%q: the description of %v names %s", flags, tool.(map[string]any)["name"], mentioned)
					}
				}
				if found := command.FindString(text); found != "" {
					t.Errorf("%q: the description of %v has %q", flags, tool.(map[string]any)["name"], found)
				}
			}
		}
	}
}
