package commands

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"techo/tools"
)

// installed copies a folder of testdata and installs there what its
// package.json asks for. It returns how to run one of the programs in it.
func installed(t *testing.T, folder string) (dir string, run func(env []string, program string, args ...string) (stdout, stderr string, code int)) {
	t.Helper()
	if testing.Short() {
		t.Skip("clients are not installed in a short test")
	}
	findProgram(t, "npm")
	findProgram(t, "node")
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute)
	defer stop()
	install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline",
		"--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=500")
	install.Dir = dir
	out, err := install.CombinedOutput()
	if unreachable.Match(out) || ctx.Err() != nil {
		isMissing(t, "the package registry is needed: "+string(out))
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
		var stdout, stderr strings.Builder
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatalf("%s %q: %v", program, args, err)
		}
		return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unreachable is what npm says without a network.
var unreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|TIMEDOUT|TIMEOUT|npm error network`)

// TestClients lets other programs than ours speak to the server: the inspector
// in both eras, the official client of TypeScript, the conformance suites.
func TestClients(t *testing.T) {
	t.Parallel()
	bin := buildProgram(t)
	dir, run := installed(t, "../testdata/clients")
	w := newWorld(t)
	w.run("memo", "add", "ramen", "x", "--priority", "1").ok()
	store := w.env["TECHO_STORE"]

	t.Run("inspector", func(t *testing.T) {
		inspect := func(args ...string) (string, string, int) {
			return run(nil, "mcp-inspector", append([]string{"--cli", "-e", "TECHO_STORE=" + store, bin, "mcp"}, args...)...)
		}
		for _, era := range []string{"legacy", "modern"} {
			out, errs, code := inspect("--method", "tools/list", "--strict", "--protocol-era", era)
			if code != 0 || errs != "" || !strings.Contains(out, "list_memo") {
				t.Errorf("tools/list --strict, %s: exit %d\n%s\n%s", era, code, errs, out)
			}
			out, errs, code = inspect("--method", "tools/call", "--tool-name", "get_memo", "--tool-args-json", `{"memo_name":"ramen"}`, "--protocol-era", era)
			if code != 0 || !strings.Contains(out, "ramen") {
				t.Errorf("tools/call, %s: exit %d\n%s\n%s", era, code, errs, out)
			}
		}
		if out, errs, code := inspect("--method", "tools/call", "--tool-name", "get_memo", "--tool-args-json", `{"name":1}`, "-q"); code != 5 {
			t.Errorf("an error of a tool: exit %d, want 5\n%s\n%s", code, out, errs)
		}
		out, errs, code := inspect("--method", "tools/call", "--tool-name", "get_memo", "--tool-args-json", `{"memo_name":"ramen"}`,
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

// TestFrameworks runs the examples, each as far as it goes without a model.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	bin := buildProgram(t)
	dir, run := installed(t, "../examples")
	programs := map[string]string{"plain.py": findProgram(t, "python3")}
	for _, name := range []string{"anthropic.mjs", "openai-agents.mjs", "langchain.mjs", "strands.mjs"} {
		programs[name] = "node"
	}
	for name, with := range programs {
		env := []string{
			"PATH=" + filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
			"TECHO_STORE=" + filepath.Join(t.TempDir(), "store"), "TECHO_LANG=en",
			"ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", "AWS_REGION=",
		}
		out, errs, code := run(env, with, filepath.Join(dir, name))
		if code != 0 || !strings.Contains(out, "ramen") {
			t.Errorf("%s: exit %d\n%s\n%s", name, code, out, errs)
		}
	}
}

// conformanceServer offers, through the one Invoke, the tools that the suites
// look for, as far as techo's are like them.
func conformanceServer(t *testing.T) (url string) {
	t.Helper()
	s := newWorld(t).session()
	t.Cleanup(s.close)
	type said struct {
		Message string `json:"message"`
	}
	s.offered = append(s.offered,
		tools.Define(tools.Tool{Name: "test_simple_text", Command: "test simple", About: tools.Say{EN: "Say something simple", JA: "簡単な文を返す"}}, func(context.Context, *tools.Env, noIn) (said, error) {
			return said{"This is a simple text response for testing."}, nil
		}),
		tools.Define(tools.Tool{Name: "test_error_handling", Command: "test error", About: tools.Say{EN: "Fail", JA: "失敗する"}}, func(context.Context, *tools.Env, noIn) (said, error) {
			return said{}, errors.New("This tool intentionally returns an error for testing")
		}))
	h, e := newHost(s, narrowIn{})
	if e != nil {
		t.Fatal(e)
	}
	server := httptest.NewServer((&httpFace{host: h, mcp: mcpHandler(newMCP(h)), bare: true}).handler())
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}
