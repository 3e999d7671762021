package tables

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// scrolling scrolls the list of memories from end to end, a step in each frame, and has the
// time of each frame in milliseconds.
const scrolling = `(async () => {
	const list = document.querySelector(".windowed");
	const frames = [];
	const frame = () => new Promise(requestAnimationFrame);
	for (let before = await frame(); list.scrollTop + list.clientHeight < list.scrollHeight - 1;) {
		list.scrollTop += %d;
		const now = await frame();
		frames.push(now - before);
		before = now;
	}
	return frames;
})()`

// keystrokes notes when a letter reaches the search field and when the results for it are painted.
const keystrokes = `{
	window.took = [];
	let typed = 0;
	const field = document.querySelector("input[type=search]");
	field.addEventListener("input", (event) => { typed = event.timeStamp; }, true);
	new MutationObserver(() => {
		if (!typed || document.querySelector(".results")?.dataset.query !== field.value) return;
		const since = typed;
		typed = 0;
		requestAnimationFrame(() => setTimeout(() => window.took.push(performance.now() - since)));
	}).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
	field.focus();
} null`

// pages measures the page in headless Chromium: frames while 10,000 memories are scrolled, and
// the time from a keystroke in the search to its results.
func pages(b *bench) error {
	if _, err := exec.LookPath("chromium"); err != nil {
		fmt.Println("\nno chromium: the page is not measured")
		return nil
	}
	n := memoriesCount(10_000)
	jsonl, _, z, err := b.generate(n)
	if err != nil {
		return err
	}
	store := b.store("page")
	if _, err := once([]string{b.techo, "import", "memories", jsonl, "--store", store}, nil); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	defer stop()
	link, err := b.servePage(ctx, store)
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1180, 860),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // newer events
	defer stop()
	frames, keys, err := measurePage(ctx, link, z)
	if err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg") // shows whether other programs disturbed; other systems have none
	title := fmt.Sprintf("The page with %d memories, headless Chromium, load %s", n, firstWord(load))
	table(title, []string{"", "count", "p50", "p95", "p99", "longest", "at most"},
		pageRow("frames of scrolling", frames, "50 ms (longest)"),
		pageRow("keystroke to results", keys, "100 ms (p95)"))
	return nil
}

// firstWord returns the load of the last minute from /proc/loadavg.
func firstWord(text []byte) string {
	word, _, _ := strings.Cut(string(text), " ")
	return word
}

// servePage starts techo page and returns its link. The context ends it.
func (b *bench) servePage(ctx context.Context, store string) (link string, err error) {
	server := exec.CommandContext(ctx, b.techo, "page", "--no-open", "--listen", "127.0.0.1:0", "--store", store)
	stdout, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return "", err
	}
	var out struct{ Link string }
	return out.Link, json.Unmarshal(line, &out)
}

// measurePage returns the times of frames and of keystrokes, in milliseconds, sorted.
func measurePage(ctx context.Context, link string, z *zipf) (frames, keys []float64, err error) {
	wait := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	err = chromedp.Run(ctx, chromedp.Navigate(link), chromedp.WaitVisible("nav"),
		chromedp.Evaluate(`location.hash = "#/memories"; null`, nil),
		chromedp.WaitVisible(".windowed li a"), chromedp.Sleep(time.Second),
		chromedp.Evaluate(fmt.Sprintf(scrolling, 600), &frames, wait),
		chromedp.Evaluate(keystrokes, nil))
	if err != nil {
		return nil, nil, err
	}
	for range sized(60) {
		word := z.text(1)
		for range len(word) + 1 { // the letters of a word, and a space
			if err := chromedp.Run(ctx, key(&word), painted(len(keys)+1)); err != nil {
				return nil, nil, err
			}
			keys = append(keys, 0)
		}
		clear := `{ const f = document.activeElement; f.select(); } null`
		if err := chromedp.Run(ctx, chromedp.Evaluate(clear, nil)); err != nil {
			return nil, nil, err
		}
	}
	err = chromedp.Run(ctx, chromedp.Evaluate("window.took", &keys))
	slices.Sort(frames)
	slices.Sort(keys)
	return frames, keys, err
}

// key types the first letter of a text and removes it there. After the text it types a space.
func key(text *string) chromedp.Action {
	letter := " "
	if *text != "" {
		letter, *text = (*text)[:1], (*text)[1:]
	}
	return input.DispatchKeyEvent(input.KeyChar).WithText(letter)
}

// painted waits until the results of a number of keystrokes were painted.
func painted(n int) chromedp.Action {
	return chromedp.Poll(fmt.Sprintf("window.took.length >= %d", n), nil,
		chromedp.WithPollingInterval(5*time.Millisecond), chromedp.WithPollingTimeout(time.Minute))
}

// pageRow describes sorted times in milliseconds.
func pageRow(name string, all []float64, most string) []string {
	at := func(q float64) string { return fmt.Sprintf("%.1f ms", all[min(int(float64(len(all))*q), len(all)-1)]) }
	return []string{name, fmt.Sprint(len(all)), at(0.5), at(0.95), at(0.99), at(1), most}
}
