package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// partsOf returns paragraphs of an article.
func partsOf(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("<p>Part %d. The lighthouse on the cape was built by forty people over three summers, and the "+
			"keeper wrote it down.</p>", i)
	}
	return text
}

// TestReader extracts pages of which a person reads more, or less, than extractors usually keep.
func TestReader(t *testing.T) {
	const line = "The lighthouse on the cape was built by forty people over three summers, and the keeper wrote it down."
	body := partsOf(6)
	each := func(n int, form string) (all string) {
		for i := range n {
			all += fmt.Sprintf(form, i)
		}
		return all
	}
	article := func(middle string) string { return "<title>x</title><article>" + body + middle + body + "</article>" }
	for name, c := range map[string]struct {
		page string
		want []string
		not  []string
	}{
		"KaTeX":                  {article(`<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^{2}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>x</span><span>2</span></span></span> holds.</p>`), []string{"So $x^{2}$ holds."}, nil},
		"hidden KaTeX":           {"<style>.katex-mathml{position:absolute;clip:rect(1px,1px,1px,1px);width:1px;height:1px;overflow:hidden}</style>" + article(`<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>y</mi><annotation encoding="application/x-tex">y_1</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">y1</span></span> holds.</p>`), []string{"So $y_1$ holds."}, nil},
		"MathML":                 {article(`<p>So <math><mfrac><mi>a</mi><mrow><mn>1</mn><mo>+</mo><mi>b</mi></mrow></mfrac></math> holds.</p>`), []string{`So $\frac{a}{1+b}$ holds.`}, nil},
		"annotated MathML":       {article(`<p>So <math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation encoding=application/x-tex>x^{2}</annotation></semantics></math> holds.</p>`), []string{"So $x^{2}$ holds."}, nil},
		"LaTeXML":                {article(`<p>So <math alttext="E=mc^{2}" class="ltx_Math" display="inline"><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation-xml encoding="MathML-Content"><apply><eq></eq><ci>E</ci></apply></annotation-xml><annotation encoding="application/x-tex">E=mc^{2}</annotation><annotation encoding="application/x-llamapun">italic_E</annotation></semantics></math> holds.</p>`), []string{"So $E=mc^{2}$ holds."}, []string{"llamapun", "italic_E"}},
		"MathJax 2":              {article(`<p>So <span class="MathJax_Preview">x</span><span class="MathJax" id="M1"><nobr><span>x</span></nobr></span><script type="math/tex" id="m1">\alpha_1</script> holds.</p><div class="MathJax_Display"><span class="MathJax">z</span></div><script type="math/tex; mode=display">z=1</script>`), []string{`So $\alpha_1$ holds.`, "$$z=1$$"}, nil},
		"MathJax 3":              {article(`<p>So <mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true"><mjx-mi>q</mjx-mi></mjx-math><mjx-assistive-mml unselectable="on" display="inline"><math><msub><mi>q</mi><mn>1</mn></msub></math></mjx-assistive-mml></mjx-container> holds.</p>`), []string{"So $q_1$ holds."}, nil},
		"MathJax 4":              {article(`<p>So <mjx-container class="MathJax" jax="SVG"><svg><g data-latex="\sqrt{2}" data-mml-node="math"></g></svg></mjx-container> holds.</p>`), []string{`So $\sqrt{2}$ holds.`}, nil},
		"Wikipedia":              {article(`<p>So <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math alttext="{\displaystyle x^{2}}"><semantics><mi>x</mi><annotation encoding="application/x-tex">{\displaystyle x^{2}}</annotation></semantics></math></span><img src="https://wikimedia.org/x.svg" class="mwe-math-fallback-image-inline" alt="{\displaystyle x^{2}}"></span> holds.</p>`), []string{"So $x^{2}$ holds."}, []string{"displaystyle"}},
		"a picture of a formula": {article(`<p>So <img class="latex" alt="a_b" src="f.png"> holds.</p>`), []string{"So $a_b$ holds."}, nil},
		"Bootstrap's alert":      {article(`<div class='alert alert-danger' role=alert>Stop the lamp first.</div>`), []string{"Stop the lamp first."}, nil},
		"GitHub's alert":         {article(`<div class="markdown-alert markdown-alert-warning"><p class="markdown-alert-title">Warning</p><p>Stop the lamp first.</p></div>`), []string{"Stop the lamp first."}, nil},
		"Docusaurus":             {article(`<div class="theme-admonition theme-admonition-tip alert alert--success"><div>tip</div><div><p>Stop the lamp first.</p></div></div>`), []string{"Stop the lamp first."}, nil},
		"Zenn":                   {article(`<aside class="msg alert"><div class="msg-content"><p>まずランプを止めること。</p></div></aside>`), []string{"まずランプを止めること。"}, nil},
		"Starlight":              {article(`<aside aria-label="Caution" class="starlight-aside starlight-aside--caution"><p>Caution</p><div><p>Stop the lamp first.</p></div></aside>`), []string{"Stop the lamp first."}, nil},
		"a cookie notice":        {article("") + `<div class="alert cookie-alert" role="alert">We use cookies to improve your experience. By continuing you accept our cookie policy. <button>Accept</button></div>`, nil, []string{"cookies"}},
		"Hacker News":            {"<table>" + each(9, `<tr><td><table><tr><td><a class=hnuser>u</a> <span class=age>1 hour ago</span> | parent<div class=comment>Answer %d. `+line+`</div></table>`) + "</table>", []string{"Answer 0.", "Answer 8."}, nil},
		"an issue":               {"<main><h1>Lamp fails</h1><div class='react-issue-body'><div class=markdown-body>" + body + "</div></div>" + each(5, `<div class="react-issue-comment"><div class="markdown-body"><p>Answer %d. `+line+`</p></div></div>`) + "</main>", []string{"Part 0.", "Answer 0.", "Answer 4."}, nil},
		"old Reddit":             {`<div class="thing link self"><p class=title><a class="title">Why lamps</a></p><div class=entry><form class="usertext"><div class="usertext-body"><div class=md><p>Question. ` + line + `</p></div></div></form></div><div class=commentarea>` + each(6, `<div class="thing comment"><form class="usertext"><div class="usertext-body"><div class=md><p>Answer %d. `+line+`</p></div></div></form></div>`) + "</div>", []string{"Question.", "Answer 0.", "Answer 5."}, nil},
		"comments of an article": {"<title>x</title><article><h1>x</h1>" + body + body + "</article><div id=comments>" + each(5, `<div class="comment"><p>Reader %d. `+line+`</p></div>`) + "</div>", []string{"Part 5."}, []string{"Reader 1."}},
		"teasers":                {"<title>x</title><article><h1>x</h1><p>" + line + "</article>" + each(9, `<div class=card><h3><a href=n>Other</a></h3> Teaser %d. `+line+`</div>`), []string{line}, []string{"Teaser 1.", "Teaser 8."}},
		"a headline":             {"<title>Cape Times</title><article><h1>Council fights over the pier</h1>" + body + "</article>", []string{"# Council fights over the pier"}, nil},
		"a site's name":          {"<title>Council fights over the pier</title><meta property=og:site_name content='Cape Times'><header><h1><a href=/>Cape Times</a></h1></header><article>" + body + "</article>", nil, []string{"Cape Times"}},
		"a form in a cell":       {article(`<table><tr><th>Item<th>Price<tr><td>Lamp<td>12 <form><button>Buy</button></form></table>`), []string{"| Lamp | 12"}, nil},
		"a heading in a cell":    {article(`<table><tr><th>Item<th>Price<tr><td><h2>Lamp</h2><td>12<tr><td><h2>Oil</h2><td>3</table>`), []string{"Lamp | 12", "Oil | 3"}, nil},
		"code in a cell":         {article("<table><tr><th>Item<th>Use<tr><td>Lamp<td><pre>a\nb</pre></table>"), []string{"| Lamp | a<br>b |"}, nil},
		"a table in a cell":      {article("<table><tr><th>Item<th>Use<tr><td>Lamp<td><table><tr><td>a<td>b</table></table>"), []string{"| Lamp | "}, nil},
		"a foot first":           {article("<table><thead><tr><th>Item<th>Price</thead><tfoot><tr><td>Sum<td>15</tfoot><tbody><tr><td>Lamp<td>12<tr><td>Oil<td>3</tbody></table>"), []string{"| Oil | 3 |\n| Sum | 15 |"}, nil},
		"tasks":                  {article(`<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" disabled checked> Buy the oil<li class="task-list-item"><input type="checkbox" disabled> Clean the glass</ul>`), []string{"- [x] Buy the oil", "- [ ] Clean the glass"}, nil},
		"footnotes":              {article(`<p>It burned oil <a class="footnote-reference brackets" href="#f1" id="i1" role="doc-noteref"><span>[</span>1<span>]</span></a>.</p>`) + `<aside class="footnote-list brackets"><aside class="footnote brackets" id="f1" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#i1">1</a><span class="fn-bracket">]</span></span><p>Whale oil, until the year 1850.</p></aside></aside>`, []string{"Whale oil, until the year 1850."}, nil},
		"who said it":            {article(`<blockquote><p>Nobody slept while the lamp was being lit.</p><footer>Ada Potter, keeper</footer></blockquote>`), []string{"> Ada Potter, keeper"}, nil},
		"questions":              {article(`<button class=accordion>How was the lamp lit at night?</button><div class=panel><p>With a torch that two people carried up the stairs before the sun went down.</p></div>`), []string{"How was the lamp lit at night?"}, nil},
		"a film":                 {article(`<iframe src="https://www.youtube.com/embed/abc123" title="The lamp at work"></iframe>`), []string{"[The lamp at work](https://www.youtube.com/watch?v=abc123)"}, nil},
		"SyntaxHighlighter":      {article(`<div><div id="h1" class="syntaxhighlighter js"><table><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><div class="container"><div class="line number1"><code class="js keyword">var</code> <code>a;</code></div><div class="line number2"><code>b();</code></div></div></td></tr></table></div></div>`), []string{"```js\nvar a;\nb();\n```"}, nil},
		"data of one string":     {`<title>x</title><div id=a></div><script>window.__INITIAL_STATE__={"b":"` + line + " " + line + `"}</script>`, []string{line}, nil},
		"data with HTML":         {`<title>x</title><div id=__next></div><script id=__NEXT_DATA__ type=application/json>{"props":{"html":"<h2>Lamps</h2><div>` + line + `</div><div>Then ` + line + `</div>"}}</script>`, []string{line}, []string{"<div>"}},
		"data with Markdown":     {`<title>x</title><div id=__nuxt></div><script>window.__NUXT__={"md":"## Lamps\n\n` + strings.Repeat(line+" ", 5) + `\n\n| a | b |\n|---|---|\n"}</script>`, []string{line}, nil},
		"MathML of a line":       {article(`<math display="block"><mrow><mi>d</mi><mo>=</mo><msqrt><mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msubsup><mi>y</mi><mn>1</mn><mn>2</mn></msubsup></mrow></msqrt></mrow></math>`), []string{`$$d=\sqrt{x^2+y_1^2}$$`}, nil},
		"a sum in MathML":        {article(`<p>So <math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>a</mi><mi>i</mi></msub></math> holds.</p>`), []string{`\sum_{i=1}^n`}, nil},
		"KaTeX of a line":        {article(`<p><span class="katex-display"><span class="katex"><span class="katex-mathml"><math display="block"><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">E = mc^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">E=mc2</span></span></span></span></p>`), []string{"$$E = mc^2$$"}, []string{"mc2"}},
		"Wikipedia, of a line":   {article(`<dl><dd><span class="mwe-math-element"><span class="mwe-math-mathml-display mwe-math-mathml-a11y" style="display: none;"><math display="block" alttext="{\displaystyle F=ma}"><semantics><mi>F</mi><annotation encoding="application/x-tex">{\displaystyle F=ma}</annotation></semantics></math></span><img src="x.svg" class="mwe-math-fallback-image-display" aria-hidden="true" alt="{\displaystyle F=ma}"></span></dd></dl>`), []string{"F=ma$"}, []string{"displaystyle", "x.svg"}},
		"an equation of LaTeXML": {article(`<table class="ltx_equation ltx_eqn_table"><tbody><tr class="ltx_eqn_row"><td class="ltx_eqn_cell ltx_align_center"><math alttext="a=b+c" class="ltx_Math" display="block"><semantics><mrow><mi>a</mi><mo>=</mo><mi>b</mi></mrow><annotation encoding="application/x-tex">a=b+c</annotation></semantics></math></td><td class="ltx_eqn_cell ltx_eqn_eqno"><span class="ltx_tag ltx_tag_equation">(7)</span></td></tr></tbody></table>`), []string{"a=b+c$", "(7)"}, nil},
		"TeX for a script":       {article(`<p>So <span class="math-container">$x^2+1$</span> holds.</p><p>It costs $5, not $10.</p>`), []string{"So $x^2+1$ holds.", "It costs $5, not $10."}, nil},
		"Sphinx's warning":       {article(`<div class="admonition warning"><p class="admonition-title">Warning</p><p>Stop the lamp first.</p></div>`), []string{"Warning", "Stop the lamp first."}, nil},
		"Asciidoctor's caution":  {article(`<div class="admonitionblock caution"><table><tr><td class="icon"><div class="title">Caution</div></td><td class="content">Stop the lamp first.</td></tr></table></div>`), []string{"Caution", "Stop the lamp first."}, nil},
		"VitePress":              {article(`<div class="danger custom-block"><p class="custom-block-title">DANGER</p><p>Stop the lamp first.</p></div>`), []string{"DANGER", "Stop the lamp first."}, nil},
		"MDN":                    {article(`<div class="notecard warning" id="sect1"><p><strong>Warning:</strong> Stop the lamp first.</p></div>`), []string{"Stop the lamp first."}, nil},
		"MkDocs, folded":         {article(`<details class="danger"><summary>Before the work</summary><p>Stop the lamp first.</p></details>`), []string{"Before the work", "Stop the lamp first."}, nil},
		"an alert of Confluence": {article(`<div class="confluence-information-macro confluence-information-macro-warning"><p class="title">Before the work</p><div class="confluence-information-macro-body"><p>Stop the lamp first.</p></div></div>`), []string{"Stop the lamp first."}, nil},
		"a wall of consent":      {article("") + `<div class="modal consent-box" role="dialog"><h2>We value your privacy</h2><p>We and our 842 partners store and access information on a device, such as cookies, and process personal data, such as unique identifiers, for personalised advertising.</p><p>You may accept or manage your choices by clicking below, including your right to object where legitimate interest is used.</p><button>Accept all</button><button>Manage</button></div>`, []string{"Part 5."}, []string{"partners", "legitimate interest"}},
		"Lobsters":               {`<div id=inside><ol class="stories list"><li class=story><div class="story_liner"><div class=details><span class="link h-cite"><a class=u-url href="https://cape.example/s">Lamps</a></span></div></div></ol><ol class="comments comments1">` + each(6, `<li class="comments_subtree"><div class="comment"><div class="details"><div class="byline"><a href="/~ada">ada</a> 2 hours ago</div><div class="comment_text"><p>Answer %d. `+line+`</p></div></div></div><ol class=comments></ol>`) + "</ol></div>", []string{"Answer 0.", "Answer 5."}, nil},
		"GitLab":                 {"<main><h1 class=title>Lamp fails</h1><div class=detail-page-description><div class='description'><div class=md>" + body + "</div></div></div><ul class='notes main-notes-list timeline'>" + each(5, `<li class="note note-wrapper timeline-entry"><div class="timeline-entry-inner"><div class="timeline-content"><div class="note-header">Ada · 3 days ago</div><div class="note-body"><div class="note-text md"><p>Answer %d. `+line+`</p></div></div></div></div>`) + "</ul></main>", []string{"Part 0.", "Answer 0.", "Answer 4."}, nil},
		"Bugzilla":               {`<div id="bugzilla-body"><h1>Bug 7 - Lamp fails</h1><table class=bz_comment_table><tr><td>` + each(6, `<div id="c%[1]d" class="bz_comment"><div class="bz_comment_head"><span class="bz_comment_number">Comment %[1]d</span></div><pre class="bz_comment_text">Answer %[1]d. `+line+`</pre></div>`) + "</table></div>", []string{"Answer 0.", "Answer 5."}, nil},
		"Pandoc's footnotes":     {article(`<p>It burned oil.<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a></p>`) + `<section id="footnotes" class="footnotes footnotes-end-of-document" role="doc-endnotes"><hr><ol><li id="fn1"><p>Whale oil, until the year 1850.<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>`, []string{"Whale oil, until the year 1850."}, []string{"↩"}},
		"Markdown's footnotes":   {"<title>x</title><article>" + body + `<p>It burned oil.<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup></p><div class="footnote"><hr><ol><li id="fn:1"><p>Whale oil, until the year 1850.&#160;<a class="footnote-backref" href="#fnref:1" title="Jump back">&#8617;</a></p></li></ol></div></article>`, []string{"Whale oil, until the year 1850."}, []string{"↩"}},
		"tasks in tasks":         {article(`<ul class="task-list"><li><label><input type="checkbox" checked=""> Buy the oil</label><ul><li><label><input type="checkbox"> From the mill</label></li></ul></li></ul>`), []string{"- [x] Buy the oil", "- [ ] From the mill"}, nil},
		"a quote in a figure":    {article(`<figure class="quote"><blockquote><p>Nobody slept while the lamp was being lit.</p></blockquote><figcaption>— Ada Potter, <cite>The Keeper's Year</cite></figcaption></figure>`), []string{"Nobody slept while the lamp was being lit.", "Ada Potter"}, nil},
		"a list in a cell":       {article("<table><tr><th>Item<th>Use<tr><td><code>lamp</code><td><ul><li>light<li>signal</ul><tr><td><code>oil</code><td><select><option>day<option>night</select> burns</table>"), []string{"| `lamp` | ", "light", "signal", "| `oil` | "}, nil},
		"a box of any class":     {article(`<div class="nextra-callout x:flex"><div>🚫</div><div><p>Stop the lamp first.</p></div></div>`), []string{"Stop the lamp first."}, nil},
		"rustdoc":                {article(`<div class="warning">Stop the lamp first.</div>`), []string{"Stop the lamp first."}, nil},
		"a note by its role":     {article(`<section role="note" class="banner-warning">Stop the lamp first.</section>`), []string{"Stop the lamp first."}, nil},
		"a short definition":     {article(`<dl><dt>Height</dt><dd>42 m</dd></dl>`), []string{"Height\n: 42 m"}, nil},
		"an accordion":           {article(`<div class="accordion"><div class="accordion-item"><h3><button class="accordion-button">May dogs come along?</button></h3><div class="accordion-body">On a leash.</div></div></div>`), []string{"May dogs come along?", "On a leash."}, nil},
		"an offer in between":    {article(`<div class="newsletter-box">Get the news of the cape each week.</div><div class="related"><a href=/o>Read: other lamps</a></div>`), nil, []string{"Get the news", "other lamps"}},
		"docutils' label":        {article(`<p>It burned oil <a class="brackets" href="#f1" id="i1" role="doc-noteref"><span>[</span>1<span>]</span></a>.</p>`) + `<aside class="footnote brackets" id="f1" role="doc-footnote"><span class="label"><span>[</span><a role="doc-backlink" href="#i1">1</a><span>]</span></span><p>Whale oil, until the year 1850.</p></aside>`, []string{"oil [^1].", "[^1]: Whale oil, until the year 1850."}, nil},
		"EPUB's footnote":        {article(`<p>It burned oil.<a epub:type="noteref" href="#n1">*</a></p><aside epub:type="footnote" id="n1"><p>Whale oil.</p></aside>`), []string{"Whale oil."}, nil},
		"Word's footnote":        {article("") + `<div id="ftn1"><p class="MsoFootnoteText"><a href="#_ftnref1">[1]</a> Whale oil, until the year 1850.</p></div>`, []string{"Whale oil"}, nil},
		"a list of works":        {article("") + `<section class="ltx_bibliography"><h2>References</h2><ul><li class="ltx_bibitem">A. Potter, Lamps, 1850.</li></ul></section>`, []string{"A. Potter, Lamps"}, nil},
		"tasks without a class":  {article(`<ul><li><input type="checkbox" checked> Buy the oil<li><input type="checkbox"> Clean the glass</ul>`), []string{"- [x] Buy the oil", "- [ ] Clean the glass"}, nil},
		"choices of a form":      {article(`<form><ul><li><input type="checkbox" name=a value=1> Tall lamps of the north<li><input type="checkbox" name=b value=1> Small lamps of the south</ul></form>`), nil, []string{"[ ]"}},
		"a film without a frame": {article(`<lite-youtube videoid="abc123" playlabel="The lamp at work"></lite-youtube>`), []string{"[The lamp at work](https://www.youtube.com/watch?v=abc123)"}, nil},
		"a table in a form":      {article(`<form method=post><table><thead><tr><th>Item<th>Price</thead><tr><td>Lamp<td>12<tr><td>Oil<td>3</table></form>`), []string{"| Lamp | 12 |", "| Oil | 3 |"}, nil},
		"ticks in a table":       {article(`<table><tr><th>Item<th>Sold<tr><td>Lamp<td><img src=y.png alt="yes"><tr><td>Oil<td>no</table>`), []string{"| Lamp | yes |"}, nil},
		"aligned by LaTeXML":     {article(`<p>So <math alttext="\displaystyle a"><mi>a</mi></math> holds.</p>`), []string{"So $a$ holds."}, nil},
		"names on Hacker News":   {"<table>" + each(9, `<tr class="athing comtr"><td><a class=hnuser>ada%d</a> <span class=age title="2024-03-01T10:00:00">1 hour ago</span><div class=comment>`+line+` And more.</div></tr>`) + "</table>", []string{"**ada0** · 2024-03-01T10:00:00", "**ada8**"}, nil},
		"vBulletin":              {`<h1>Lamps</h1><ol id="posts">` + each(5, `<li class="postbitlegacy postcontainer"><div class="posthead"><span class="postdate">03-01-2024</span></div><a class="username">ada%[1]d</a><div class="content"><blockquote class="postcontent">Answer %[1]d. `+line+`</blockquote></div></li>`) + "</ol>", []string{"**ada0** · 03-01-2024", "Answer 4."}, nil},
		"data of SvelteKit":      {`<title>x</title><div><script>{__sveltekit_1={base:""};const data=[null,{type:"data",data:{body:"` + strings.Repeat(line+" ", 3) + `"}}];</script></div>`, []string{line}, nil},
		"a headline in a hero":   {"<title>Cape Times | News</title><header><a href=/>Cape Times</a></header><div class=hero><h1>Council fights over the pier</h1><p class=standfirst>Five members left the room.</p></div><main>" + body + "</main>", []string{"# Council fights over the pier", "Five members left the room."}, nil},
		"a headline outside":     {"<title>Cape Times</title><header class='site-header'><a href=/>Cape Times</a></header><header class='post-header'><h1>Council fights over the pier</h1></header><div class='post-content'>" + body + "</div>", []string{"Council fights over the pier"}, nil},
	} {
		got := Parse(c.page).Content().Edited().Markdown(&url.URL{Scheme: "https", Host: "cape.example", Path: "/a"})
		plain := Unescape(got)
		for _, want := range c.want {
			if !strings.Contains(got, want) && !strings.Contains(plain, want) {
				t.Errorf("%s: no %q in %.900q", name, want, strings.ReplaceAll(got, "The lighthouse on the cape was built by forty people over three summers, and the keeper wrote it down.", "LINE"))
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in %q", name, not, got)
			}
		}
	}
}

// TestShells knows pages that their scripts fill.
func TestShells(t *testing.T) {
	for source, want := range map[string]bool{
		`<script type=module src=a.js></script><body><div id=root></div>`:                                       true,
		`<head><script defer src=main.js></script></head><body><app-root></app-root></body>`:                    true,
		`<script src=a.js defer></script><body><noscript>You need JavaScript</noscript><div id="root"></div>`:   true,
		`<script type=module crossorigin src=/assets/i.js></script><body><div id=app><div>Loading…</div></div>`: true,
		`<script src=x.js></script><body><div id=__next></div>`:                                                 true,
		`<script src=x.js></script><body><div id=other></div>`:                                                  true,
		`<script src=x.js></script><body><p>The lamp is out today because of the storm over the cape.</p>`:      false,
		`<script src=x.js></script><body><img src=a.png>`:                                                       false,
		`<body><div id=root></div>`:                                                      false,
		`<script src="flutter_bootstrap.js" async></script><body></body>`:                true,
		`<body><div id="___gatsby"></div><script src="/app-1.js" async></script></body>`: true,
		`<body><div id="app"><svg class="loading-progress"><circle r="40%"/></svg></div><script src="_framework/blazor.webassembly.js"></script>`: true,
		`<script src=x.js></script><body><form><label>Name <input name=n></label><button>Send</button></form>`:                                    false,
		`<script src=x.js></script><body><table><tr><td>Lamp<td>12<tr><td>Oil<td>3</table>`:                                                       false,
		`<script type=application/ld+json>{}</script><body><div id=x></div>`:                                                                      false,
	} {
		if got := Parse(source).Shell; got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
