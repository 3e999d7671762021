package page

import (
	"net/url"
	"strings"
	"testing"
)

// unseen are pages with the hidden text IGNORE.
var unseen = map[string]string{
	"hidden":            `<p hidden>IGNORE`,
	"hidden with value": `<p hidden="">IGNORE`,
	"aria-hidden":       `<p aria-hidden="true">IGNORE`,
	"display":           `<p style="display:none">IGNORE`,
	"capitals":          `<p style="DISPLAY : none !important">IGNORE`,
	"second property":   `<p style="color:red;visibility:hidden">IGNORE`,
	"no font-size":      `<p style="font-size:0">IGNORE`,
	"no pixels":         `<p style="font-size:0px">IGNORE`,
	"opacity 0.0":       `<p style="opacity:0.0">IGNORE`,
	"placed away":       `<p style="position:absolute;left:-9999px">IGNORE`,
	"indented away":     `<p style="text-indent:-9999px">IGNORE`,

	"class":   `<style>.x{display:none}</style><p class="a x">IGNORE`,
	"id":      `<style>#x{display:none}</style><p id=x>IGNORE`,
	"element": `<style>aside{display:none}</style><aside>IGNORE</aside>`,
	"two sheets": `<style>b{}</style><p class=x>IGNORE</p>` +
		`<style>@charset "a";.x , q{display:none!important}</style>`,
	"descendant":   `<style>.a .x{display:none}</style><div class=a><div><p class=x>IGNORE</div></div>`,
	"child":        `<style>.a>p{display:none}</style><div class=a><p>IGNORE</div>`,
	"next":         `<style>h1+p{display:none}</style><h1></h1><p>IGNORE</p>`,
	"attribute":    `<style>[data-x="1"]{display:none}</style><p data-x=1>IGNORE`,
	"not":          `<style>p:not(.seen){display:none}</style><p>IGNORE</p>`,
	"media":        `<style>@media screen and (min-width: 600px){.x{display:none}}</style><p class=x>IGNORE`,
	"supports":     `<style>@supports (display:grid){@layer a{.x{display:none}}}</style><p class=x>IGNORE`,
	"nth child":    `<style>p:nth-child(2){display:none}</style><div><p></p><p>IGNORE</div>`,
	"every second": `<style>li:nth-child(even){display:none}</style><ul><li></li><li>IGNORE</ul>`,
	"of type":      `<style>b:nth-of-type(2n+1){display:none}</style><i></i><b>IGNORE</b>`,
	"variable":     `<style>:root{--off:none}.x{display:var(--off)}</style><p class=x>IGNORE`,
	"late variable": `<style>.x{color:var( --ink )}</style><style>body{--ink:#fff}.dark{--ink:#000}</style>` +
		`<p class=x>IGNORE`,
	"variable of a variable": `<style>.x{color:var(--a)}:root{--a:var(--b,red);--b:transparent}</style>` +
		`<p class=x>IGNORE`,
	"alternative":  `<p style="display:var(--missing, none)">IGNORE`,
	"own variable": `<p style="--size:0;font-size:var(--size)">IGNORE`,
	"nested": `<style>.a{color:red;.x{display:none}margin:0}</style>` +
		`<div class=a><p class=x>IGNORE</div>`,
	"nested with parent": `<style>p,b{&.x{display:none}}</style><p class=x>IGNORE`,
	"nested child":       `<style>.a{> .x{display:none}}</style><div class=a><p class=x>IGNORE</div>`,
	"nested media":       `<style>.x{@media screen{display:none}}</style><p class=x>IGNORE`,
	"layers":             `<style>@layer a,b;@layer b{.x{display:none}}</style><p class=x>IGNORE`,
	"comment":            `<style>/* .x{} */ .x{/* a */display/**/:none}</style><p class=x>IGNORE`,
	"important":          `<style>.x{display:none!important}</style><p class=x style="display:block">IGNORE`,
	"visibility":         `<style>.x{visibility:hidden}</style><p class=x>IGNORE`,
	"sr-only": `<style>.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style>` +
		`<p class=sr-only>IGNORE`,
	"one pixel":      `<style>.x{width:1px;height:1px;overflow:hidden}</style><p class=x>IGNORE`,
	"transparent":    `<p style="color:transparent">IGNORE`,
	"rgba":           `<style>.x{color:rgba(0, 0, 0, 0)}</style><p class=x>IGNORE`,
	"white on white": `<p style="color:#fff">IGNORE`,
	"in white":       `<style>body{background:white}.x{color:#fefefe}</style><p class=x>IGNORE`,
	"same colours":   `<p style="color:#123456;background:rgb(18,52,86)">IGNORE`,
	"of the body":    `<style>body{background:#222}.x{color:#222}</style><p class=x>IGNORE`,
	"inherited ink": `<style>.a{color:#fff;background:#000} .c{background:#fff}</style>` +
		`<div class=a><div><p class=c>IGNORE</p></div></div>`,
	"black on black":  `<p style="background:black">IGNORE`,
	"font":            `<font color=white>IGNORE</font>`,
	"bgcolor":         `<table bgcolor="#ff0000"><tr><td style="color:red">IGNORE</table>`,
	"fill":            `<p style="-webkit-text-fill-color:transparent">IGNORE`,
	"font-size":       `<p style="font-size:1px">IGNORE`,
	"font of a class": `<style>.x{font-size:0}</style><p class=x><b>IGNORE</b>`,
	"font shorthand":  `<p style="font:0/0 a">IGNORE`,
	"bold shorthand":  `<style>.x{font:bold 1px/2 serif}</style><p class=x>IGNORE`,
	"opacity":         `<p style="opacity:.01">IGNORE`,
	"no motion":       `<style>.x{opacity:0;animation-duration:0s}</style><p class=x>IGNORE`,
	"opacity percent": `<style>.x{opacity:0%}</style><p class=x>IGNORE`,
	"max-height":      `<p style="max-height:0;overflow:hidden">IGNORE`,
	"height":          `<style>.x{height:0;overflow:hidden}</style><p class=x>IGNORE`,
	"width":           `<p style="width:0;overflow:hidden">IGNORE`,
	"clip-path":       `<p style="clip-path:inset(100%)">IGNORE`,
	"clip-path half":  `<style>.x{clip-path:inset(50% 50%)}</style><p class=x>IGNORE`,
	"circle":          `<p style="clip-path:circle(0)">IGNORE`,
	"scale":           `<p style="transform:scale(0)">IGNORE`,
	"scale property":  `<p style="scale:0">IGNORE`,
	"tiny scale":      `<p style="transform:scale(.01)">IGNORE`,
	"matrix":          `<p style="transform:matrix(0, 0, 0, 0, 10, 10)">IGNORE`,
	"filter":          `<p style="filter:blur(1px) opacity(0%)">IGNORE`,
	"calc":            `<p style="font-size:calc(0px)">IGNORE`,
	"logical size":    `<p style="block-size:0;overflow:hidden">IGNORE`,
	"moved":           `<p style="transform:translateX(-9999px)">IGNORE`,
	"off the screen":  `<style>.x{position:absolute;left:-9999px}</style><p class=x>IGNORE`,
	"relative":        `<p style="position:relative;top:-5000px">IGNORE`,
	"margin":          `<p style="margin-left:-9999px">IGNORE`,
	"indent":          `<style>.x{text-indent:-999em}</style><p class=x>IGNORE`,
	"content":         `<p style="content-visibility:hidden">IGNORE`,
	"inert":           `<p inert>IGNORE`,
	"popover":         `<div popover>IGNORE</div>`,
	"popover auto":    `<div popover=auto>IGNORE</div>`,
	"dialog":          `<dialog>IGNORE</dialog>`,
	"tiny zoom":       `<p style="zoom:.01">IGNORE`,
	"beside a button": `<button></button><div style="position:absolute;width:0;height:0;overflow:hidden">IGNORE</div>`,
	"clipped beside a button": `<style>.x{position:absolute;clip:rect(0,0,0,0)}</style>` +
		`<button></button><div class=x>IGNORE</div>`,
}

// TestStyleSheets checks that text which the page's own style sheets hide is
// dropped in every form and counted once.
func TestStyleSheets(t *testing.T) {
	for name, source := range unseen {
		t.Run(name, func(t *testing.T) {
			p := Parse("<div class=seen>seen</div>" + source)
			for _, text := range []string{p.Plain(), p.Whole().Text(), p.Whole().Markdown(&url.URL{}),
				p.Content().Text(), p.Content().Markdown(&url.URL{})} {
				if text != "seen" {
					t.Errorf("%q", text)
				}
			}
			if p.Removed.Hidden != 1 {
				t.Errorf("counted %d", p.Removed.Hidden)
			}
			if Parse(source); p.Cut {
				t.Error("cut")
			}
		})
	}
}

// TestManyRules checks that many rules take a bounded number of steps, and that the
// page then counts as cut.
func TestManyRules(t *testing.T) {
	for name, css := range map[string]string{
		"rules":     strings.Repeat("p.a p{display:none}", 20_001),
		"selectors": strings.Repeat("p.a p,", 20_000) + "p{display:none}",
		"ancestors": strings.Repeat("[x] div div div p{display:none}", 1000),
		"siblings":  strings.Repeat("a ~ a ~ p{display:none}", 1000),
		"positions": strings.Repeat("p:nth-of-type(7n+3){display:none}", 2000),
		"nesting":   strings.Repeat(".a{", 100) + "color:red",
		"nested":    strings.Repeat("@media screen{", 100) + ".x{display:none}",
		"long":      "p" + strings.Repeat(":not(.y)", 4000) + "{display:none}",
	} {
		t.Run(name, func(t *testing.T) {
			const n = 1000
			p := Parse("<style>" + css + "</style>" + strings.Repeat("<div class=a>", 200) +
				strings.Repeat("<p>x</p>", n))
			if p.Work > 2_000_000 {
				t.Errorf("%d steps", p.Work)
			}
			if p.Plain(); !p.Cut {
				t.Error("the page does not count as cut")
			}
		})
	}
}

// TestManyPositions checks that the positions of many siblings are found quickly.
func TestManyPositions(t *testing.T) {
	const n = 20_000
	css := "li:nth-child(even){display:none} li:nth-of-type(3n){visibility:hidden}"
	p := Parse("<style>" + css + "</style><ul>" + strings.Repeat("<li>x", n) + "</ul>")
	if p.Cut || p.Removed.Hidden < n/2 {
		t.Errorf("cut: %v, %d hidden of %d", p.Cut, p.Removed.Hidden, n)
	}
}

// TestSeen checks that text which a reader sees is kept.
func TestSeen(t *testing.T) {
	for _, source := range []string{
		`<style>.x{display:none} p.x{display:block}</style><p class=x>text`,
		`<style>.x{zoom:.01}</style><p class=x style="zoom:0">text`, // zero has no effect
		`<style>.x{display:none}</style><p class=x style="display:block">text`,
		`<style>.x:hover{display:none} .x::before{display:none}</style><p class=x>text`,
		`<style media=print>.x{display:none}</style><p class=x>text`,
		`<style>@media print{.x{display:none}} @media (max-width:600px){.x{display:none}}</style><p class=x>text`,
		`<style>@media not screen{.x{display:none}} @supports not (a:b){.x{display:none}}</style><p class=x>text`,
		`<noscript><style>.x{display:none}</style></noscript><p class=x>text`,
		`<style>ul{font-size:0} li{font-size:16px}</style><ul><li>text</ul>`,
		`<div style="visibility:hidden"><p style="visibility:visible">text</div>`,
		`<style>.x{color:#fff}</style><div style="background:#000"><p class=x>text</div>`,
		`<style>.x{color:#fff;background:url(a.png)}</style><p class=x>text`,
		`<style>.x{color:transparent;background:linear-gradient(red,blue);background-clip:text}</style><p class=x>text`,
		`<link rel=stylesheet href=a.css><p class=x style="color:#fff">text`,
		`<div style="color:#fff"><p style="color:#000">text</div>`,
		`<style>.a{color:#fff;background:#000} .b{color:#333} .c{background:#fff}</style>` +
			`<div class=a><div class=b><p class=c>text</div></div>`,
		`<style>.a{color:#fff;background:#000} .b{color:var(--x)} .c{background:#fff}</style>` +
			`<div class=a><div class=b><p class=c>text</div></div>`,
		`<div style="position:absolute;color:#fff">text</div>`,
		`<style>body{display:none} html{visibility:hidden}</style><p>text`,
		`<style>body{background:#000;color:#fff}</style><p>text`,
		`<style>.x{opacity:0;transition:opacity 1s}</style><p class=x>text`,
		`<style>.x{opacity:0;animation-duration:1s}</style><p class=x>text`,
		`<style>.x{max-height:0}</style><p class=x>text`,
		`<style>.x{height:0;overflow:visible}</style><p class=x>text`,
		`<style>.x{left:-9999px}</style><p class=x>text`,
		`<style>.x{width:1px;overflow:hidden;flex:1 0 0}</style><p class=x>text`,
		`<style>.a > .x{display:none}</style><div class=a><div><p class=x>text</div></div>`,
		`<style>.x{</style><p class=x>text`,
		`<style>.x{color:var(--a);display:var(--b)}</style><p class=x>text`,
		`<style>p:nth-child(3){display:none}</style><p class=x>text`,
		`<style>.a{.x{display:none}}</style><p class=x>text`,
		`<style>:root{--a:block}.x{display:var(--a)}.dark{--a:none}</style><p class=x>text`,
		`<style>:root{--a:var(--b);--b:var(--a)}.x{display:var(--a)}</style><p class=x>text`,
		`<dialog open>text</dialog>`,
		`<details><p>text</details>`,
		`<p hidden=until-found>text`,
		`<p style="opacity:0.5">text`,
		`<p style="font-size:10px">text`,
		`<p style="left:-9999px">text`,
		`<p aria-hidden="false">text`,
		`<div id="S:1" hidden>text</div>`,
	} {
		p := Parse(source)
		for _, text := range []string{p.Plain(), p.Whole().Text()} {
			if text != "text" || p.Removed.Hidden != 0 {
				t.Errorf("%s: %q, %+v", source, text, p.Removed)
			}
		}
	}
}
