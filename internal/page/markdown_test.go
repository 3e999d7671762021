package page

import (
	"net/url"
	"strings"
	"testing"

	"techo/internal/page/pagetest"
	"techo/internal/testenv"
)

// checkMarkdown renders pages at https://example.com/dir/page.
func checkMarkdown(t *testing.T, pages map[string]string) {
	t.Helper()
	base, _ := url.Parse("https://example.com/dir/page")
	for source, want := range pages {
		if got := Parse(source).Whole().Markdown(base); got != want {
			t.Errorf("%s\n%q\nwant\n%q", source, got, want)
		}
	}
}

// TestMarkdownForms renders forms that a person would write by hand.
func TestMarkdownForms(t *testing.T) {
	checkMarkdown(t, map[string]string{
		"<h2>Sizes<a class=headerlink href='#sizes'>¶</a></h2>":                 "## Sizes",
		"<h2><a href='#s' aria-label=x>#</a> Sizes</h2>":                        "## Sizes",
		"<h2>Sizes<span class=mw-editsection>[<a href=x>edit</a>]</span></h2>":  "## Sizes",
		"<h2><a href='#s'>Sizes</a></h2>":                                       "## Sizes",
		"<pre><code class='language-go'>a</code></pre>":                         "```go\na\n```",
		"<pre class='brush: python; x'>a</pre>":                                 "```\na\n```",
		"<div class='highlight-python notranslate'><div class=highlight><pre>a": "```python\na\n```",
		"<pre class='sourceCode rust'><code>a":                                  "```rust\na\n```",
		"<div class='highlight highlight-source-shell'><pre>a":                  "```shell\na\n```",
		"<pre data-lang=sql>a":                                                  "```sql\na\n```",
		"<pre><code class='hljs language-plaintext'>a":                          "```\na\n```",
		"<ol start=3><li>a<li>b</ol>":                                           "3. a\n4. b",
		"<ol><li value=7>a<li>b</ol>":                                           "7. a\n8. b",
		"<ol><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ol>": "" +
			"1. a\n   - b\n     1. c\n2. d",
		"<ul><li><p>a</p><p>b</p><li>c</ul>": "- a\n\n  b\n\n- c",
		"<ul><li><p>a</p><li><p>b</p></ul>":  "- a\n- b",
		"<ul><li>a<pre>b\nc</pre></ul>": "" +
			"- a\n\n  ```\n  b\n  c\n  ```",
		"<p>x<sup>2</sup> H<sub>2</sub>O <del>old</del>": "" +
			"x<sup>2</sup> H<sub>2</sub>O ~~old~~",
		"<p><code>a`b</code> <code>`c`</code>":     "``a`b`` `` `c` ``",
		"<p><b><i>x</i></b> <b><code>y</code></b>": "***x*** **`y`**",
		"<figure><img src=i.png alt=Cat><figcaption>A cat.</figcaption></figure>": "" +
			"![Cat](https://example.com/dir/i.png)\n\n*A cat.*",
		"<figure><img src='data:x' data-src=i.png><figcaption>A</figure>": "" +
			"![](https://example.com/dir/i.png)\n\n*A*",
		"<p>a</p><p><img src=i.png alt=Cat></p><p>b</p>": "" +
			"a\n\n![Cat](https://example.com/dir/i.png)\n\nb",
		"<blockquote><p>a</p><ul><li>b</ul><blockquote>c</blockquote>": "" +
			"> a\n>\n> - b\n>\n> > c",
		"<table><tr><td>1<td>2<tr><td>3<td>4</table>": "" +
			"|  |  |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
		"<table><thead><tr><td>a<td>b<tbody><tr><td>1<td></table>": "" +
			"| a | b |\n|---|---|\n| 1 |  |",
		"<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3</table>": "" +
			"| a |  | b |\n|---|---|---|\n| 1 | 2 | 3 |",
		"<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>": "" +
			"| a | b |\n|---|---|\n| 1 | 2 |\n|  | 3 |",
		"<table><caption>Sizes</caption><tr><th>a<th>b<tr><td>1<td>2</table>": "" +
			"Sizes\n\n| a | b |\n|---|---|\n| 1 | 2 |",
		"<table><tr><th>名前<br>読み<th>b<tr><td><p>1</p><p>2<td>x<br><br>y<br></table>": "" +
			"| 名前<br>読み | b |\n|---|---|\n| 1<br>2 | x<br><br>y |",
		"<table><tr><td>a<td><table><tr><td>b<td>c</table></table>":                         "a\n\nb\n\nc",
		"<table><tr><td class=gutter><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>": "```\na\nb\n```",
	})
}

// TestMarkdownText renders marks and characters in texts.
func TestMarkdownText(t *testing.T) {
	checkMarkdown(t, map[string]string{
		"<h4><b>1. <i>High</i></b></h4>":                           "#### 1. *High*",
		"<h3><i>All</i></h3>":                                      "### All",
		"<h1><a href=/x>Name</a></h1>":                             "# Name",
		"<p><b><i>A</i> meets <i>B</i></b>":                        "***A* meets *B***",
		"<p>字<b>「重」</b>です":                                         "字「**重**」です",
		"<p><a href=/a>see <b>this</b></a>":                        "[see **this**](https://example.com/a)",
		"<p><code>(<i>x</i>) {</code>":                             "`(x) {`",
		"<p><sub>Woody<br>Warm</sub>":                              "Woody\nWarm",
		"<p>one <br> two<br><br>three":                             "one\ntwo\n\nthree",
		"<p><a href=https://example.org/>https://example.org/</a>": "<https://example.org/>",
		"<p>a &lt;b> c &amp;lt; AT&amp;T *x* __y__ z_1_": "" +
			`a \<b> c \&lt; AT&T \*x\* \_\_y\_\_ z_1\_`,
		"<p># 5 <p>2 * 3 * 4 snake_case":                 "\\# 5\n\n2 * 3 * 4 snake_case",
		"<dl><dt>Tea<dd>hot<dt>Ice<dt>Snow<dd>cold</dl>": "Tea\n: hot\n\nIce\nSnow\n: cold",
		"<p>日本\n 語の\n<b>文</b>です。\nA": "" +
			"日本語の**文**です。 A",
		"<p>日本\n<b>語</b>\n<i>の</i>\n <a href=/a>文</a>\n<b>x</b> y\n</p>": "" +
			"日本**語***の*[文](https://example.com/a) **x** y",
		"<p>日本\n<b> 語</b> と\n<code>x</code>\n、<img src=i.png alt=Cat>\n語": "" +
			"日本**語** と `x` 、![Cat](https://example.com/dir/i.png)語",
		"<dl><dd>alone</dl>":                                       "alone",
		"<p><i><b>Learn</b>: more</i> <b><i>A</i> b</b>":           "***Learn**: more* ***A* b**",
		"<p><b>** Note</b>":                                        `**\*\* Note**`,
		"<p>a <img src=i.png alt='[x'>":                            "a ![\\[x](https://example.com/dir/i.png)",
		"<dl><dt>Tea<dd><p>a<p>b<p>c<p>d</dl>":                     "**Tea**\n\na\n\nb\n\nc\n\nd",
		"<div class=admonition><p class=admonition-title>Note<p>a": "**Note**\n\na",
		"<ul><li><ul><li>a<li>b</ul><li>c</ul>":                    "- a\n- b\n- c",
		"<p>x<sup><a href='#n1'>[1]</a></sup><ol><li id=n1>y <a href='#r1'>↩</a></ol>": "" +
			"x[^1]\n\n[^1]: y",
		"<p>a<p><a href=/><img src=l.png alt=Logo></a>":   "a",
		"<p>a<p><img src=1x1.gif data-src=i.png alt=Cat>": "a\n\n![Cat](https://example.com/dir/i.png)",
	})
}

// TestThread checks that the posts of a thread have an author, a date and a rule
// between them.
func TestThread(t *testing.T) {
	post := func(name, date, text string) string {
		return "<div class=post><a class=username href=/u>" + name + "</a> <time datetime=" + date + ">then</time>" +
			"<div class=postbody><p>" + strings.Repeat(text+" is what this post is about, and nothing else here. ", 4) +
			"</p></div></div>"
	}
	text := Parse("<h1>Cups</h1>" + post("ann", "2020-01-02", "Tea") + post("bob", "2020-01-03", "Milk") +
		post("cy", "2020-01-04", "Ice")).Content().Markdown(&url.URL{})
	last := 0
	for _, want := range []string{"# Cups", "**ann** · 2020-01-02", "Tea is", "---", "**bob** · 2020-01-03",
		"Milk is", "---", "**cy**", "Ice is"} {
		at := strings.Index(text[last:], want)
		if at < 0 {
			t.Fatalf("%q is missing after %q", want, text[:last])
		}
		last += at
	}
}

// TestThreads checks the authors and dates of posts in the markup of forums.
func TestThreads(t *testing.T) {
	body := strings.Repeat("This is what the post is about, and nothing else is here. ", 4)
	for name, one := range map[string]struct{ source, want string }{
		"structured": {"<div itemscope class=thread>" + strings.Repeat("<div class='topic-body' itemprop=comment>"+
			"<span class=creator itemprop=author>by <span itemprop=name>ann</span></span>"+
			"<time datetime=2020-01-02></time><p>"+body+"</div>", 2) + "</div><div class=thread></div>",
			"**ann** · 2020-01-02"},
		"list": {"<ol>" + strings.Repeat("<li class=message data-author=ann><blockquote class=messageText>"+body+
			"</blockquote>", 2) + "</ol>", "**ann**"},
		"details": {strings.Repeat("<div class='post answer'><p>"+body+"</p><div class=user-details><a href=/u>ann</a>"+
			"<span>17 badges</span></div></div>", 2), "**ann**"},
		"definition": {strings.Repeat("<div class=blockpost><div class=postleft><dl><dt>ann<dd>Member</dl></div>"+
			"<p>"+body+"</div>", 2), "**ann**"},
	} {
		text := Parse(one.source).Whole().Markdown(&url.URL{})
		if strings.Count(text, one.want+"\n") != 2 || strings.Count(text, "---") != 1 {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestEdited checks that Markdown begins with the title, and does not end with the
// heading of a text that was dropped.
func TestEdited(t *testing.T) {
	prose := "<p>" + strings.Repeat("The plants of the garden are listed with their height and their water. ", 5)
	menu := "<div class=related><h2>Read next</h2><ul><li><a href=/a>Five</a><li><a href=/b>Six</a></ul></div>"
	for source, want := range map[string]string{
		"<title>Roses - The garden</title><h1>Roses</h1>":                                  "# Roses\n\nThe",
		"<title>Roses - The garden</title><h1><a href=/>The garden</a></h1><h1>Roses</h1>": "# Roses\n\nThe",
		"<title>Roses - The garden</title><h1>Welcome</h1>":                                "The plants",
	} {
		c := Parse(source + "<article>" + prose + prose + "</article>" + menu).Content()
		for i := range c.Keep { // as if the model had dropped the title and what follows
			c.Keep[i] = strings.HasPrefix(c.Outline.Blocks[i].Text, "The plants") ||
				c.Outline.Blocks[i].Text == "Read next"
		}
		text := c.Edited().Markdown(&url.URL{})
		if !strings.HasPrefix(text, want) || strings.Contains(text, "Read next") {
			t.Errorf("%s: %s", source, text)
		}
	}
}

// TestWideTable checks that the width of one row does not multiply the others.
func TestWideTable(t *testing.T) {
	source := "<table><tr>" + strings.Repeat("<td>x", 20_000) + strings.Repeat("<tr><td>y<td>z", 20_000) + "</table>"
	if text := Parse(source).Whole().Markdown(&url.URL{}); len(text) > 1<<20 || !strings.Contains(text, "z") {
		t.Errorf("%d bytes", len(text))
	}
}

// TestWholeTables checks that a table is kept with all its cells, or dropped.
func TestWholeTables(t *testing.T) {
	prose := "<p>" + strings.Repeat("The plants of the garden are listed with their height and their water. ", 3)
	table := "<table><tr><th>Plant<th>Height<th>Water<tr><td>Rose<td>1 m<td>much<tr><td><a href=/t>Thyme</a>" +
		"<td>20 cm<td>little<tr><td>Share<td>Menu<td>Print</table>"
	want := "| Plant | Height | Water |\n|---|---|---|\n| Rose | 1 m | much |\n" +
		"| [Thyme](https://example.com/t) | 20 cm | little |\n| Share | Menu | Print |"
	base, _ := url.Parse("https://example.com/")
	for _, source := range []string{prose + table + prose,
		"<article><h1>Plants</h1>" + prose + table + prose + "</article>",
		prose + "<div class=related>" + table + "</div>" + prose} {
		text := Parse(source).Content().Markdown(base)
		whole := strings.Contains(text, want)
		if !whole && (strings.Contains(text, "|") || !strings.Contains(source, "related")) {
			t.Errorf("%s", text)
		}
	}
}

// TestTables checks on the pages of WCXB that each table is the same with and without
// the parts around the content, or dropped as a whole.
func TestTables(t *testing.T) {
	tables, rows := 0, 0
	for _, s := range pagetest.Samples(t, testenv.Pick(40, 10)) {
		known := map[string]bool{}
		for _, table := range tablesIn(Parse(s.HTML).Whole().Markdown(&url.URL{})) {
			known[table] = true
		}
		for _, table := range tablesIn(Parse(s.HTML).Content().Edited().Markdown(&url.URL{})) {
			tables++
			rows += strings.Count(table, "\n") + 1
			if !known[table] {
				t.Errorf("%s: %.200q is not on the whole page", s.Name, table)
			}
		}
	}
	t.Logf("%d tables, %d rows", tables, rows)
}

func tablesIn(text string) (all []string) {
	var table []string
	for line := range strings.SplitSeq(text+"\n", "\n") {
		if line = strings.TrimLeft(line, " >"); strings.HasPrefix(line, "|") {
			table = append(table, line)
		} else if table != nil {
			all = append(all, strings.Join(table, "\n"))
			table = nil
		}
	}
	return all
}
