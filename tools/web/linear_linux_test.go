package web

import (
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"techo/internal/page"
	"techo/internal/testenv"
)

// growing returns pages of n parts that make a naive parser take quadratic time.
func growing() map[string]func(n int) string {
	repeat := strings.Repeat
	return map[string]func(n int) string{
		"levels":              func(n int) string { return repeat("<div>", n) + "deep" + repeat("</div>", n) },
		"levels of text":      func(n int) string { return repeat("<div>x ", n) },
		"levels of spans":     func(n int) string { return repeat("<span>x ", n) },
		"levels of bold":      func(n int) string { return repeat("<b><p>x", n/4) },
		"levels of links":     func(n int) string { return repeat("<a href=/x>x<div>", n/2) },
		"levels of tables":    func(n int) string { return repeat("<table><tr><td>x", n/4) },
		"levels of lists":     func(n int) string { return repeat("<ul><li>x", n/2) },
		"levels of headings":  func(n int) string { return repeat("<h2><span>x", n/2) },
		"levels that hide":    func(n int) string { return repeat("<p hidden><table><tr><td>x", n/4) },
		"end tags":            func(n int) string { return repeat("</div>x</b>", n) },
		"items":               func(n int) string { return "<ul>" + repeat("<li>item", n) + "</ul>" },
		"numbered items":      func(n int) string { return "<ol>" + repeat("<li>item", n) + "</ol>" },
		"paragraphs":          func(n int) string { return repeat("<p class='a b'>x</p>", n) },
		"rows":                func(n int) string { return "<table>" + repeat("<tr><td>x<td>y", n) + "</table>" },
		"cells":               func(n int) string { return "<table><tr>" + repeat("<td>x", n) + "</table>" },
		"headings":            func(n int) string { return repeat("<h2>Heading</h2><p>x</p>", n) },
		"unlike headings":     func(n int) string { return repeat("<h2>a <b>b</b></h2>x<h3 hidden>y</h3>", n) },
		"links":               func(n int) string { return "<p>" + repeat("<a href='/x'>link</a> ", n) },
		"links in a heading":  func(n int) string { return "<h2>" + repeat("<a href='/x'>link</a> ", n) + "</h2>" },
		"words":               func(n int) string { return "<p>" + repeat("word ", n) },
		"blanks":              func(n int) string { return "<p>日本" + repeat(" ", 8*n) + repeat(" \n", n) + "語" },
		"marks of addresses":  func(n int) string { return "<p>" + repeat("data-cfemail=<", n) },
		"breaks":              func(n int) string { return "<p>" + repeat("word<br>", n) },
		"lines of code":       func(n int) string { return "<pre>" + repeat("code\n", n) + "</pre>" },
		"attributes":          func(n int) string { return "<div " + repeat("a=b ", n) + ">x</div>" },
		"quotes without end":  func(n int) string { return repeat("<a b=\">\" <i c='>' ", n) },
		"tags without end":    func(n int) string { return repeat("<a <b ", n) },
		"comments":            func(n int) string { return repeat("<!-- -- >", n) },
		"sections":            func(n int) string { return repeat("<![if ><![CDATA[>", n) },
		"references":          func(n int) string { return repeat("&#&amp&x;&#x;&", n) },
		"scripts":             func(n int) string { return repeat("<script></scrip</script >x", n) },
		"invisible":           func(n int) string { return repeat("a\u200b", n) },
		"rubies":              func(n int) string { return repeat("<ruby>漢<rt>かん</rt></ruby>", n) },
		"brackets in a line":  func(n int) string { return "<p>" + repeat("[](", n) },
		"closed empty":        func(n int) string { return repeat("<br></br><br/>", n) },
		"hidden and not":      func(n int) string { return repeat("<p hidden>x<p>y", n) },
		"options":             func(n int) string { return "<select>" + repeat("<option>x", n) },
		"a frame of noscript": func(n int) string { return "<noscript>" + repeat("<p>word word", n) + "</noscript>" },
	}
}

// TestLinear reads pages of n and of 8 n parts. Linear work takes 8 times as long
// for the second, quadratic work 64 times. It measures the processor time of one
// thread, which does not depend on the load of the machine. In ordinary runs, package page counts its
// steps.
func TestLinear(t *testing.T) {
	testenv.All(t, "takes ten seconds")
	const more, most, least = 8, 28, 60 * time.Millisecond
	const n = 3_000
	base, _ := url.Parse("https://example.com/")
	ways := map[string]func(body string){
		"text":     func(body string) { page.Parse(body).Plain() },
		"markdown": func(body string) { page.Parse(body).Whole().Markdown(base) },
		"parts": func(body string) {
			for _, in := range []FetchIn{{Outline: true, Links: true, Find: "x+$"}, {Section: "Heading"}} {
				in.Format, in.MaxChars = "text", 10_000
				f := newFetch(t, newEnv(t, ""), in)
				v, err := newView(f.env, f.in)
				if err != nil {
					t.Fatal(err)
				}
				d := f.read(t.Context(),
					&response{header: http.Header{"Content-Type": {"text/html"}}, body: []byte(body)})
				_ = v.show(&FetchedPage{}, d, base) // a missing heading does not matter here
			}
		},
	}
	for shape, grow := range growing() {
		for way, read := range ways {
			t.Run(shape+", "+way, func(t *testing.T) {
				large := grow(n * more)
				if spent(t, large, read, 1) <= least {
					return
				}
				short, long := spent(t, grow(n), read, 2), spent(t, large, read, 2)
				if long > most*short && long > least {
					t.Errorf("%d parts take %v, %d parts %v", n, short, n*more, long)
				}
			})
		}
	}
}

// spent returns the processor time for reading a page, the least of some measurements.
func spent(t *testing.T, body string, read func(string), measurements int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	now := func() time.Duration {
		var spent unix.Timespec // finer than getrusage
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
			t.Fatal(err)
		}
		return time.Duration(spent.Nano())
	}
	best := time.Hour
	for range measurements {
		runtime.GC()
		began := now()
		read(body)
		best = min(best, now()-began)
	}
	return best
}
