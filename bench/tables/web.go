package tables

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// web compares fetches of a page from the loopback with curl and w3m, by one process
// each.
func web(b *bench) error {
	for _, peer := range []string{"curl", "w3m"} {
		if _, err := exec.LookPath(peer); err != nil {
			fmt.Printf("\n%s is not installed: left out\n", peer)
			return nil
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	page := article()
	server := &http.Server{ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if strings.HasPrefix(r.URL.Path, "/secret") {
				w.Header().Set("Cache-Control", "no-store")
			}
			_, _ = w.Write(page)
		})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	at := "http://" + listener.Addr().String()
	techo := func(path string, more ...string) func(int) []string {
		return always(append([]string{b.techo, "web", "fetch", at + path, "--allow-private", "--store", b.store("web")},
			more...)...)
	}
	rounds := sized(200)
	got, err := race(rounds,
		contender{"curl -s", always("curl", "-s", at+"/secret")},
		contender{"w3m -dump", always("w3m", "-dump", at+"/secret")},
		contender{"web fetch, not kept", techo("/secret")},
		contender{"web fetch, kept", techo("/page", "--refresh")},
		contender{"web fetch, from the cache", techo("/page")},
		contender{"web fetch --format article, from the cache", techo("/page", "--format", "article")},
	)
	if err != nil {
		return err
	}
	rows := [][]string{{"process", "wall p50", "p99", "CPU p50", "wall ratio", "CPU ratio", "at most"}}
	curl := got["curl -s"]
	for _, c := range []struct{ name, limit string }{{"curl -s", ""}, {"w3m -dump", ""},
		{"web fetch, not kept", "2 ×"}, {"web fetch, kept", "3 ×"},
		{"web fetch, from the cache", ""}, {"web fetch --format article, from the cache", ""}} {
		s := got[c.name]
		rows = append(rows, []string{c.name, ms(median(s, wall)), ms(quantile(s, wall, 0.99)), ms(median(s, cpu)),
			ratio(median(s, wall), median(curl, wall)), ratio(median(s, cpu), median(curl, cpu)), c.limit})
	}
	table(fmt.Sprintf("A page of %d KB from the loopback, medians of %d", len(page)>>10, rounds), rows...)
	return nil
}

// article returns a page of about 100 KB: a text with navigation, teasers and a
// footer around it.
func article() []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html lang=en><head><title>An article</title></head><body><nav><ul>")
	for i := range 150 {
		fmt.Fprintf(&b, `<li class="menu-item"><a href="/section/%d">Section %d</a></li>`, i, i)
	}
	b.WriteString("</ul></nav><main><article><h1>An article</h1>")
	for i := range 120 {
		fmt.Fprintf(&b, `<p class="text">Paragraph %d tells something, <b>in some detail</b>, `+
			`about <a href="/about/%d">a matter</a> that somebody may want to read of. %s</p>`,
			i, i, strings.Repeat("It goes on for a while, as paragraphs do, and says little. ", 8))
	}
	b.WriteString("</article></main><aside>")
	for i := range 100 {
		fmt.Fprintf(&b, `<div class="teaser"><h3><a href="/more/%d">More of this, number %d</a></h3></div>`, i, i)
	}
	b.WriteString("</aside><footer>The end</footer></body></html>")
	return []byte(b.String())
}

// edit compares fs edit with sed -i, which does not check that the text occurs
// once, does not sync and keeps no undo, and fs read with cat.
func edit(b *bench) error {
	if _, err := exec.LookPath("sed"); err != nil {
		fmt.Println("\nsed is not installed: left out")
		return nil
	}
	rounds := sized(200)
	rows := [][]string{{"process", "file", "wall p50", "p99", "CPU p50", "wall ratio", "CPU ratio"}}
	for _, size := range []int{2 << 10, 1 << 20} {
		text := strings.Repeat("another line of a file of source code\n", size/76)
		text += "value = 0;\n" + text
		path := func(name string) string { return filepath.Join(b.dir, fmt.Sprint(name, size)) }
		for _, name := range []string{"sed", "techo", "alone"} {
			if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		change := func(name, store string) func(int) []string {
			return func(i int) []string {
				return []string{b.techo, "fs", "edit", path(name), fmt.Sprintf("value = %d;", i),
					fmt.Sprintf("value = %d;", i+1), "--store", store}
			}
		}
		got, err := race(rounds,
			contender{"sed -i", func(i int) []string {
				return []string{"sed", "-i", fmt.Sprintf("s/value = %d;/value = %d;/", i, i+1), path("sed")}
			}},
			contender{"fs edit", change("techo", b.store("edit"))},
			contender{"fs edit, no store", change("alone", path("alone"))},
			contender{"cat", always("cat", path("sed"))},
			contender{"fs read", always(b.techo, "fs", "read", path("techo"))},
		)
		if err != nil {
			return err
		}
		for _, pair := range [][]string{{"sed -i", "sed -i", "fs edit", "fs edit, no store"},
			{"cat", "cat", "fs read"}} {
			peer := got[pair[0]]
			for _, name := range pair[1:] {
				s := got[name]
				rows = append(rows, []string{name, fmt.Sprintf("%d KiB", len(text)>>10), ms(median(s, wall)),
					ms(quantile(s, wall, 0.99)), ms(median(s, cpu)),
					ratio(median(s, wall), median(peer, wall)), ratio(median(s, cpu), median(peer, cpu))})
			}
		}
	}
	table(fmt.Sprintf("One edit, one page, by a process each, medians of %d", rounds), rows...)
	return nil
}
