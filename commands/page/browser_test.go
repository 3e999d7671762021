package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/testenv"
)

// asName is the variable that makes this test program run techo in a window of its own, of the
// person or of the agent: the page answers no question of a place that may be the asker's.
const asName = "TEST_TECHO_AS"

func TestMain(m *testing.M) {
	if name := os.Getenv(asName); name != "" {
		world := system.OS()
		world.Account = func() (string, error) { return os.Getenv("HOME"), nil }
		os.Exit(commands.Main(world))
	}
	testenv.Main(tests{m}, func() int { return commands.Main(system.OS()) })
}

// tests ends the browser after the tests.
type tests struct{ *testing.M }

func (t tests) Run() int {
	defer func() {
		for _, end := range endings {
			end()
		}
	}()
	return t.M.Run()
}

// endings end what the tests share.
var endings []func()

// process is the browser of all tests: to start one takes seconds.
var process = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(dir), chromedp.WindowSize(1180, 860),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1"),
		chromedp.Flag("accept-lang", "en"), chromedp.Flag("lang", "en"))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	unknown := func(string, ...any) {} // events that are newer than the library
	ctx, end := chromedp.NewContext(allocated, chromedp.WithErrorf(unknown))
	endings = append(endings, end, stop, func() { _ = os.RemoveAll(dir) })
	return ctx, chromedp.Run(ctx)
})

// techoAs returns a command of techo in the window of the person or of the agent.
func (p *person) techoAs(name string, args ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), self, args...)
	cmd.Env = append(p.env(), asName+"="+name)
	return cmd
}

// person is a store with a page that serves it, and the command line beside it.
type person struct {
	t    *testing.T
	home string
	base string // http://HOST:PORT
	link string
}

// newPerson starts techo page. Its clock stands still on a Friday in Tokyo.
func newPerson(t *testing.T) *person {
	t.Helper()
	testenv.All(t, "needs a browser")
	p := &person{t: t, home: t.TempDir()}
	server := p.techoAs("person", "page", "--no-open")
	stdout := &testenv.Buffer{}
	server.Stdout, server.Stderr = stdout, os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() }) // the context of the test kills it
	testenv.Eventually(t, func() bool { return strings.HasSuffix(stdout.String(), "\n") })
	var out struct{ Link string }
	if err := json.Unmarshal([]byte(stdout.String()), &out); err != nil {
		t.Fatal(err, stdout)
	}
	p.link = out.Link
	p.base, _, _ = strings.Cut(out.Link, "/page/")
	return p
}

func (p *person) env() []string {
	return []string{"HOME=" + p.home, "USER=tanaka", "PATH=" + os.Getenv("PATH"), "TZ=Asia/Tokyo", "LANG=C.UTF-8",
		"TECHO_STORE=" + filepath.Join(p.home, "store"), "TECHO_NOW=2026-11-20T10:30:00+09:00"}
}

// techo runs a command with stdin and returns its output.
func (p *person) techo(stdin string, args ...string) string {
	p.t.Helper()
	c := exec.Command(testenv.Program(p.t), args...)
	c.Env, c.Dir, c.Stdin = p.env(), p.home, strings.NewReader(stdin)
	out, err := c.Output()
	if code := c.ProcessState.ExitCode(); err != nil && code != 6 { // 6: a question is pending
		p.t.Fatalf("techo %.200q: %v\n%s", args, err, out)
	}
	return string(out)
}

// ids returns the values of a field of a listing.
func (p *person) ids(field string, args ...string) (all []string) {
	p.t.Helper()
	out := p.techo("", append(args, "--fields", field)...)
	_, name, _ := strings.Cut(field, ".")
	for _, piece := range strings.Split(out, `"`+name+`":"`)[1:] {
		id, _, _ := strings.Cut(piece, `"`)
		all = append(all, id)
	}
	return all
}

// browser is a tab of Chromium on the page. It records everything that must not happen.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string
}

// chromium returns a browser with cookies of its own, which its tabs share.
func chromium(t *testing.T) context.Context {
	t.Helper()
	testenv.Tool(t, "chromium")
	shared, err := process()
	if err != nil {
		testenv.Missing(t, "chromium starts: "+err.Error())
	}
	browser := cdp.WithExecutor(shared, chromedp.FromContext(shared).Browser)
	id, err := target.CreateBrowserContext().Do(browser)
	if err == nil { // a tab needs a window
		_, err = target.CreateTarget("about:blank").WithBrowserContextID(id).WithNewWindow(true).Do(browser)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.DisposeBrowserContext(id).Do(browser) })
	ctx, stop := chromedp.NewContext(shared, chromedp.WithExistingBrowserContext(id))
	t.Cleanup(stop)
	return ctx
}

func newTab(t *testing.T, of context.Context) *browser {
	t.Helper()
	b := &browser{t: t}
	ctx, stop := chromedp.NewContext(of)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(stop)
	b.ctx = ctx
	chromedp.ListenTarget(ctx, b.listen)
	return b
}

// open opens the page by its one-time link, in a browser of its own.
func (p *person) open() *browser {
	p.t.Helper()
	b := newTab(p.t, chromium(p.t))
	b.run(chromedp.Navigate(p.link))
	b.shows("h1", "Today")
	return b
}

// listen records messages of the console, exceptions and dialogs.
func (b *browser) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			b.fault("console: %s", e.Args[0].Value)
		}
	case *runtime.EventExceptionThrown:
		b.fault("exception: %s", e.ExceptionDetails.Error())
	case *page.EventJavascriptDialogOpening:
		b.fault("dialog: %s", e.Message)
		go func() { _ = chromedp.Run(b.ctx, page.HandleJavaScriptDialog(false)) }()
	}
}

func (b *browser) fault(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// clean fails the test if the tab had faults.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.t.Error(f)
	}
	b.faults = nil
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// js evaluates an expression in the tab.
func js[T any](b *browser, expression string) (value T) {
	b.t.Helper()
	wait := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	if err := chromedp.Run(b.ctx, chromedp.Evaluate(expression, &value, wait)); err != nil {
		b.t.Fatalf("%v: %.300s", err, expression)
	}
	return value
}

// quote returns a text, or texts, as a literal of JavaScript.
func quote(s any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // texts do not fail
	return strings.TrimSpace(b.String())
}

func (b *browser) visit(view, title string) {
	b.t.Helper()
	js[any](b, "location.hash = "+quote("#/"+view)+"; null")
	b.shows("h1", title)
}

// shows waits until an element with a text is in the page.
func (b *browser) shows(selector, text string) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))",
		quote(selector), quote(text)))
}

func (b *browser) hides(selector, text string) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("![...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))",
		quote(selector), quote(text)))
}

// timeout is how long a test waits for the browser, which may share the machine.
const timeout = time.Minute

// eventually waits until an expression is true.
func (b *browser) eventually(expression string) {
	b.t.Helper()
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if js[bool](b, expression) {
			return
		}
	}
	b.t.Fatalf("still not true: %s\nthe page shows:\n%.1500s", expression,
		js[string](b, "document.querySelector('#app, main').innerText"))
}

// field is a function of the tab that returns the field with a label.
const field = `(label) => {
	const top = document.querySelector("dialog[open]") ?? document;
	for (const field of top.querySelectorAll("label")) {
		const name = field.querySelector(".label, span")?.innerText.trim();
		if (name === label && field.checkVisibility()) return field.querySelector("input, textarea, select");
	}
	return null;
}`

// control is a function of the tab that returns the visible control with a name: what is
// called exactly so, a field, or what begins so.
const control = `(label) => {
	const top = document.querySelector("dialog[open]") ?? document;
	const named = (e) => (e.getAttribute("aria-label") ?? e.innerText ?? "").trim();
	const kinds = "button, a, summary, [role=button], input[aria-label]";
	const controls = [...top.querySelectorAll(kinds)].filter((e) => e.checkVisibility());
	const exact = controls.find((e) => named(e) === label);
	if (exact) return exact;
	return (` + field + `)(label) ?? controls.find((e) => named(e).startsWith(label)) ?? null;
}`

// click clicks the control with a label as soon as it takes clicks: a busy button takes none.
func (b *browser) click(label string) {
	b.t.Helper()
	const ready = `?.matches(":not(:disabled, [aria-disabled=true])") ?? false`
	b.eventually(fmt.Sprintf("(%s)(%s)", control, quote(label)) + ready)
	js[any](b, fmt.Sprintf("(%s)(%s).click(); null", control, quote(label)))
}

// closes waits until no dialog is open.
func (b *browser) closes() {
	b.t.Helper()
	b.eventually(`!document.querySelector("dialog[open]")`)
}

func (b *browser) focus(label string) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("Boolean((%s)(%s))", field, quote(label)))
	js[any](b, fmt.Sprintf("(%s)(%s).focus(); null", field, quote(label)))
}

// fill replaces the text of the field with a label by typing.
func (b *browser) fill(label, text string) {
	b.t.Helper()
	b.focus(label)
	js[any](b, "document.activeElement.select(); null")
	b.run(insert(text))
}
