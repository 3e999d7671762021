package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// hostileTexts returns texts that would run script, load something or change the page if
// any part of it took them for HTML, Markdown with HTML, a template, a link or CSS.
func hostileTexts() (all []string) {
	run := "window.hacked=1"
	bases := []string{
		`<script>%s</script>`, `<img src=x onerror="%s">`, `<svg onload="%s">`, `<body onload="%s">`,
		`<iframe srcdoc="<script>parent.%s</script>">`, `<details open ontoggle="%s">x</details>`,
		`<input autofocus onfocus="%s">`, `<video><source onerror="%s"></video>`, `<a href="javascript:%s">x</a>`,
		`<math><mtext><table><mglyph><style><img src=x onerror="%s">`,
		`<form action="javascript:%s"><button>x</button></form>`,
		`<object data="javascript:%s"></object>`, `<embed src="javascript:%s">`,
		`<style>@import "//evil.example/%s"</style>`,
		`<link rel=stylesheet href="//evil.example/%s">`, `<meta http-equiv=refresh content="0;url=//evil.example/%s">`,
		`<base href="//evil.example/%s">`, `[x](javascript:%s)`, `![x](//evil.example/%s)`, `<javascript:%s>`,
		`[x](data:text/html,<script>%s</script>)`, "`<img src=x onerror=\"%s\">`", `"><img src=x onerror="%s">`,
		`'><svg/onload="%s">`, `</textarea><script>%s</script>`, `</title><script>%s</script>`,
		`<!--><script>%s</script>-->`,
		`<noscript><p title="</noscript><img src=x onerror='%s'>">`, `${%s}`, `{{constructor.constructor('%s')()}}`,
		`<template><script>%s</script></template>`, `<marquee onstart="%s">x</marquee>`,
		`<x contenteditable onbeforeinput="%s">`,
		`<button popovertarget=p onclick="%s">x</button>`, `<dialog open onclose="%s">x</dialog>`,
		`[x]: javascript:%s` + "\n\n[x]", `<a href="//evil.example/%s" ping="//evil.example">x</a>`,
		`<img src="//evil.example/%s">`, `<div style="background:url(//evil.example/%s)">x</div>`,
		`<audio src="//evil.example/%s" autoplay>`, `<svg><use href="data:image/svg+xml,<svg onload='%s'>"></svg>`,
	}
	for _, base := range bases {
		text := fmt.Sprintf(base, run)
		all = append(all, text, strings.ToUpper(text[:1])+text[1:], "# "+text, "- "+text+"\n- **"+text+"**",
			strings.ReplaceAll(text, " ", "\u00a0\t"))
	}
	return all
}

// TestBrowserHostile stores 200 hostile texts in every field that agents write, and opens
// every view: nothing runs, nothing is loaded, and the texts are shown.
func TestBrowserHostile(t *testing.T) {
	p := newPerson(t)
	texts := hostileTexts()
	if len(texts) < 200 {
		t.Fatalf("only %d texts", len(texts))
	}
	var calls strings.Builder
	for i, text := range texts {
		q := quote(text)
		fmt.Fprintf(&calls, `{"tool":"add_memory","input":{"full_text":%s,"caption":%s,"session":"s%d"}}`+"\n",
			quote(text+"\n\nmore"), q, i)
		fmt.Fprintf(&calls, `{"tool":"add_memo","input":{"name":"m%d","content":%s,"priority":3,"detail":%[2]s}}`+
			"\n", i, q)
		fmt.Fprintf(&calls, `{"tool":"create_event","input":{"title":%s,"start":"2026-11-20 %02d:00","location":%[1]s,`+
			`"description":%[1]s}}`+"\n", q, i%24)
	}
	if out := p.techo(calls.String(), "call", "--batch"); strings.Count(out, `"error"`) > 5 {
		t.Fatalf("%.500s", out)
	}
	ask := p.agent()
	for _, text := range texts[:90] {
		ask(text, `,"options":[`+quote(text)+`,"no"]`)
	}
	b := p.open()
	chromedp.ListenTarget(b.ctx, func(event any) {
		if r, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(r.Request.URL, p.base+"/") {
			b.fault("request: %s", r.Request.URL)
		}
	})
	b.run(network.Enable())
	for _, v := range titles {
		b.visit(v.view, v.en)
		b.eventually(`!document.querySelector(".loading")`)
		js[any](b, `document.querySelectorAll("main summary").forEach((s) => s.click()); null`)
		b.eventually(`!document.querySelector(".loading")`)
		b.inert(v.view)
	}
	// In one call of the tab: two hundred memories would be a thousand calls.
	for _, fault := range js[[]string](b, fmt.Sprintf(`(async (ids) => {
		const faults = [];
		for (const [i, id] of ids.entries()) {
			location.hash = "#/memories/" + id;
			const shown = () => document.querySelector("article .facts")?.textContent.includes(id) &&
				document.querySelector("article .prose").childNodes.length > 0;
			while (!shown()) await new Promise(requestAnimationFrame);
			if (i %% 10 === 0) document.querySelectorAll("main .prose a").forEach((a) => { a.target = ""; });
			const bad = %s;
			if (bad) faults.push(id + ": " + bad.slice(0, 300));
		}
		return faults;
	})(%s)`, inert, quote(p.ids("memories.id", "memory", "list", "--limit", "1000")))) {
		b.t.Error(fault)
	}
	for _, id := range p.ids("events.event_id", "cal", "list", "2026-11-20", "--limit", "40") {
		b.visit("calendar/"+id, "Calendar")
		b.shows("dialog", "Delete")
		b.inert(id)
	}
	b.visit("memories?q=hacked", "Memories")
	b.shows(".results mark", "hacked")
	b.inert("search")
	b.clean()
}

// inert is an expression that has whatever of the texts became more than text: an element that loads
// or runs something, a handler, or an address that runs.
const inert = `([...document.querySelectorAll("main script, main img, main iframe, main svg, " +
	"main object, main embed, main style, main link, main meta, main base, main video, main audio, " +
	"main template")].map((e) => e.outerHTML).join() +
	[...document.querySelectorAll("main *")].flatMap((e) => [...e.attributes])
		.filter((a) => /^on/i.test(a.name) || /^\s*(javascript|data):/i.test(a.value))
		.map((a) => a.name + a.value).join() +
	(window.hacked ?? ""))`

// inert reports whatever of the texts became more than text.
func (b *browser) inert(where string) {
	b.t.Helper()
	if bad := js[string](b, inert); bad != "" {
		b.t.Errorf("%s: %.300s", where, bad)
	}
}
