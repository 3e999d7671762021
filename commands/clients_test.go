package commands

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"techo/commands/catalogue"
	mcpface "techo/commands/mcp"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/internal/testenv"
	"techo/tools"
)

// installed copies a folder of testdata, installs the packages in its
// package.json, and returns a function that runs one of their programs.
func installed(t *testing.T, folder string) (dir string,
	run func(env []string, program string, args ...string) (stdout, stderr string, code int)) {
	t.Helper()
	testenv.All(t, "installs clients from the network")
	testenv.Tool(t, "npm")
	testenv.Tool(t, "node")
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute)
	defer stop()
	install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock",
		"--prefer-offline",
		"--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=500")
	install.Dir = dir
	out, err := install.CombinedOutput()
	if unreachable.Match(out) || ctx.Err() != nil {
		testenv.Missing(t, "the package registry is needed: "+string(out))
	} else if err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	return dir, func(env []string, program string, args ...string) (string, string, int) {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
		defer stop()
		if own := filepath.Join(bin, program); fileExists(own) {
			program = own
		}
		c := exec.CommandContext(ctx, program, args...)
		c.Dir = dir
		c.Env = append(append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), env...)
		return ran(t, c)
	}
}

// ran runs a command, and returns its output and its exit code.
func ran(t *testing.T, c *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatalf("%q: %v", c.Args, err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unreachable is npm's error without a network.
var unreachable = regexp.MustCompile(
	`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|TIMEDOUT|TIMEOUT|npm error network`)

// inspections are requests of the inspector, and a part of the answers.
var inspections = []struct{ args, want string }{
	{"--method tools/list --strict", "list_memo"},
	{"--method tools/list --app-info --advertise-apps", `"ui://techo/question","csp":{}`},
	{`--method tools/call --tool-name get_memo --tool-args-json {"memo_name":"ramen"}`, "ramen"},
	{"--method resources/list", "techo://memo/ramen"},
	{"--method resources/templates/list", "techo://memory/{id}"},
	{"--method resources/read --uri techo://memo/ramen", `\"name\":\"ramen\"`},
	{"--method resources/read --uri ui://techo/times", `"text/html;profile=mcp-app"`},
	{"--method prompts/list", "review_memories"},
	{"--method prompts/get --prompt-name plan_day --prompt-args date=tomorrow", "tomorrow"},
}

// TestClients has other programs talk to the server: the inspector in both eras,
// the official TypeScript client, and the conformance suites.
func TestClients(t *testing.T) {
	t.Parallel()
	testenv.All(t, "installs clients from the network")
	bin := testenv.Program(t)
	dir, run := installed(t, "../testdata/clients")
	w := newWorld(t)
	w.run("memo", "add", "ramen", "x", "--priority", "1").ok()
	w.run("space", "create", "team", "--user", "u").ok()
	store := w.env["TECHO_STORE"]

	t.Run("inspector", func(t *testing.T) {
		inspect := func(args ...string) (string, string, int) {
			return run(nil, "mcp-inspector",
				append([]string{"--cli", "-e", "TECHO_STORE=" + store, bin, "mcp"}, args...)...)
		}
		for _, era := range []string{"legacy", "modern"} {
			for i, c := range inspections {
				if era == "legacy" && i > 2 {
					break // the rest is the same in both
				}
				out, errs, code := inspect(append(strings.Fields(c.args), "--protocol-era", era)...)
				if code != 0 || errs != "" || !strings.Contains(out, c.want) {
					t.Errorf("%s, %s: exit %d\n%.2000s\n%s", c.args, era, code, out, errs)
				}
			}
		}
		if out, errs, code := inspect("--method", "tools/call", "--tool-name", "get_memo", "--tool-args-json",
			`{"name":1}`, "-q"); code != 5 {
			t.Errorf("an error of a tool: exit %d, want 5\n%s\n%s", code, out, errs)
		}
		out, errs, code := inspect("--method", "tools/call", "--tool-name", "get_memo", "--tool-args-json",
			`{"memo_name":"ramen"}`,
			"--load", "--load-requests", "2000", "--load-concurrency", "8")
		if code != 0 || !regexp.MustCompile(`"ok": ?2000`).MatchString(out) {
			t.Errorf("2,000 calls: exit %d\n%s\n%s", code, out, errs)
		}
	})
	t.Run("typescript", func(t *testing.T) {
		out, errs, code := run([]string{"TECHO_STORE=" + store}, "node", "client.mjs", bin)
		if code != 0 {
			t.Errorf("exit %d\n%s\n%s", code, out, errs)
		}
	})
	t.Run("conformance", func(t *testing.T) {
		url := conformanceServer(t)
		for suite, args := range map[string][]string{
			"conformance":      {},
			"conformance-next": {"--spec-version", "2026-07-28", "--suite", "all"},
		} {
			main := filepath.Join(dir, "node_modules", suite, "dist", "index.js")
			args = append([]string{main, "server", "--url", url, "--expected-failures", suite + ".yml"}, args...)
			if out, errs, code := run(nil, "node", args...); code != 0 {
				_, summary, _ := strings.Cut(out, "=== SUMMARY ===")
				t.Errorf("%s: exit %d\n%s\n%s", suite, code, summary, errs)
			}
		}
	})
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// conformanceServer offers tools that the suites look for, as far as techo's are
// similar.
func conformanceServer(t *testing.T) (url string) {
	t.Helper()
	s := newWorld(t).session()
	t.Cleanup(s.Close)
	type said struct {
		Message string `json:"message"`
	}
	s.Offered = append(s.Offered,
		tools.Define(tools.Tool{For: tools.Agents, Name: "test_simple_text", Command: "test simple",
			About: "Say something simple"}, func(context.Context, *tools.Env, struct{}) (said, error) {
			return said{"This is a simple text response for testing."}, nil
		}),
		tools.Define(tools.Tool{For: tools.Agents, Name: "test_error_handling", Command: "test error", About: "Fail"},
			func(context.Context, *tools.Env, struct{}) (said, error) {
				return said{}, errors.New("This tool intentionally returns an error for testing")
			}))
	h, e := server.New(s, catalogue.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	srv := serve.New(h, serve.Options{MCP: mcpface.Handler(h), MCPOnly: true})
	ctx, stop := context.WithCancel(t.Context())
	stderr, ended := &testenv.Buffer{}, make(chan int, 1)
	go func() {
		ended <- serve.ListenAndServe(ctx, s, serve.ListenIn{Address: "127.0.0.1:0", NoToken: true}, srv,
			slog.New(slog.NewTextHandler(stderr, nil)))
	}()
	t.Cleanup(func() { stop(); <-ended })
	return addressOf(t, ended, &testenv.Buffer{}, stderr) + "/mcp"
}
