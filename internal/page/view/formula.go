package view

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// Programs that typeset formulas write each of them several times: as MathML for screen
// readers, as spans or pictures for the eye, and as the TeX of its author. A page shows one, and
// so does an outline: the TeX, between dollars.

// isFormula reports whether an element is one formula, with all of its forms.
func isFormula(n *html.Node) bool {
	if n.DataAtom == atom.Math || n.Data == "mjx-container" {
		return true
	}
	class := dom.Attr(n, "class")
	switch n.DataAtom {
	case atom.Script:
		return strings.HasPrefix(dom.Attr(n, "type"), "math/tex") || strings.HasPrefix(dom.Attr(n, "type"), "math/mml")
	case atom.Img:
		return dom.Attr(n, "alt") != "" && (strings.Contains(class, "mwe-math") || dom.HasWord(class, "latex") ||
			dom.HasWord(class, "tex") || dom.HasWord(class, "math"))
	case atom.Span, atom.Div:
		return dom.HasWord(class, "katex") || dom.HasWord(class, "katex-display") ||
			dom.HasWord(class, "mwe-math-element") || isTypeset(class)
	}
	return false
}

// isTypeset reports whether a class is that of what MathJax 2 makes of a script.
func isTypeset(class string) bool {
	for name := range strings.FieldsSeq(class) {
		switch name {
		case "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML",
			"MJXc-display", "mjx-chtml", "MathJax_MathML", "MathJax_PlainSource":
			return true
		}
	}
	return false
}

// hasFormula reports whether an element is a form of a formula that style sheets hide where
// another form is shown.
func hasFormula(n *html.Node) bool {
	if n.DataAtom == atom.Math {
		return true
	}
	class := dom.Attr(n, "class")
	return dom.HasPart(class, "katex-mathml", "mwe-math-mathml", "MJX_Assistive_MathML") || n.Data == "mjx-assistive-mml"
}

// formula writes a formula once. It reports false if the element has none that can be written.
func (o *outliner) formula(n *html.Node) bool {
	if isTypeset(dom.Attr(n, "class")) && n.Data != "mjx-container" && hasScriptAfter(n) {
		return true // its script follows
	}
	tex := texOf(n)
	if tex == "" {
		return false
	}
	mark := "$"
	if isDisplayed(n) {
		mark = "$$"
	}
	o.blank, o.raw = false, true
	o.write(mark + tex + mark)
	o.raw = false
	return true
}

// hasScriptAfter reports whether the script of a formula follows in the same element.
func hasScriptAfter(n *html.Node) bool {
	for c, k := n.NextSibling, 0; c != nil && k < 6; c, k = c.NextSibling, k+1 {
		if c.DataAtom == atom.Script && strings.HasPrefix(dom.Attr(c, "type"), "math/") {
			return true
		}
	}
	return false
}

// isDisplayed reports whether a formula has a line of its own.
func isDisplayed(n *html.Node) bool {
	if n.DataAtom == atom.Script {
		return strings.Contains(dom.Attr(n, "type"), "mode=display")
	}
	if dom.HasPart(dom.Attr(n, "class"), "katex-display", "mwe-math-element-block", "fallback-image-display") ||
		dom.Attr(n, "display") == "block" || dom.Attr(n, "display") == "true" {
		return true
	}
	m := dom.First(n, func(c *html.Node) bool { return c.DataAtom == atom.Math })
	return m != nil && dom.Attr(m, "display") == "block"
}

// texOf returns the TeX of a formula: its author's if the page has it, else what its MathML
// says.
func texOf(n *html.Node) string {
	switch n.DataAtom {
	case atom.Script:
		source := strings.TrimSpace(dom.Text(n))
		if strings.HasPrefix(dom.Attr(n, "type"), "math/tex") {
			return bare(source)
		}
		return texOf(ParsePart(source).root)
	case atom.Img:
		return bare(dom.Attr(n, "alt"))
	}
	if note := dom.First(n, func(c *html.Node) bool {
		return c.Data == "annotation" && strings.Contains(dom.Attr(c, "encoding"), "tex")
	}); note != nil {
		if tex := bare(dom.Text(note)); tex != "" {
			return tex
		}
	}
	if with := dom.First(n, func(c *html.Node) bool { return dom.Attr(c, "data-latex") != "" }); with != nil {
		return bare(dom.Attr(with, "data-latex"))
	}
	math := dom.First(n, func(c *html.Node) bool { return c.DataAtom == atom.Math })
	if math == nil {
		if img := dom.First(n, func(c *html.Node) bool { return c.DataAtom == atom.Img }); img != nil {
			return bare(dom.Attr(img, "alt"))
		}
		return ""
	}
	if tex := bare(dom.Attr(math, "alttext")); tex != "" {
		return tex
	}
	return strings.Join(strings.Fields(texOfMath(math, 0)), " ")
}

// bare returns TeX in one line, without what MediaWiki and others put around it.
func bare(tex string) string {
	tex = strings.Join(strings.Fields(tex), " ")
	for _, around := range [...][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`{\displaystyle `, "}"},
		{`{\textstyle `, "}"}} {
		if len(tex) >= len(around[0])+len(around[1]) && strings.HasPrefix(tex, around[0]) &&
			strings.HasSuffix(tex, around[1]) {
			tex = strings.TrimSpace(tex[len(around[0]) : len(tex)-len(around[1])])
		}
	}
	return strings.TrimSpace(strings.TrimPrefix(tex, `\displaystyle`)) // LaTeXML has it in cells
}

// maxMathDepth limits formulas in formulas.
const maxMathDepth = 60

// texOfMath writes MathML as TeX.
func texOfMath(n *html.Node, depth int) string {
	var parts []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			parts = append(parts, c)
		}
	}
	text := strings.TrimSpace(dom.Text(n))
	if depth > maxMathDepth {
		return text
	}
	tex := func(i int) string {
		if i >= len(parts) {
			return ""
		}
		return texOfMath(parts[i], depth+1)
	}
	arg := func(i int) string { return "{" + tex(i) + "}" }
	switch n.Data {
	case "mi", "mn", "mo", "ms":
		return symbol(text, n.Data)
	case "mtext":
		return `\text{` + text + "}"
	case "mspace":
		return " "
	case "mphantom", "annotation", "annotation-xml", "none", "mprescripts":
		return ""
	case "mfrac":
		return `\frac` + arg(0) + arg(1)
	case "msqrt":
		return `\sqrt{` + all(parts, depth) + "}"
	case "mroot":
		return `\sqrt[` + tex(1) + "]" + arg(0)
	case "msup":
		return base(tex(0)) + "^" + script(tex(1))
	case "msub", "munder":
		return base(tex(0)) + "_" + script(tex(1))
	case "msubsup", "munderover":
		return base(tex(0)) + "_" + script(tex(1)) + "^" + script(tex(2))
	case "mover":
		if len(parts) > 1 {
			if accent, ok := accents[strings.TrimSpace(dom.Text(parts[1]))]; ok {
				return accent + arg(0)
			}
		}
		return base(tex(0)) + "^" + script(tex(1))
	case "mfenced":
		open, shut := "(", ")"
		if v, ok := attribute(n, "open"); ok {
			open = v
		}
		if v, ok := attribute(n, "close"); ok {
			shut = v
		}
		var inside []string
		for i := range parts {
			inside = append(inside, tex(i))
		}
		return open + strings.Join(inside, ", ") + shut
	case "mtable":
		var rows []string
		for _, row := range parts {
			var cells []string
			for c := row.FirstChild; c != nil; c = c.NextSibling {
				if c.Type == html.ElementNode {
					cells = append(cells, texOfMath(c, depth+2))
				}
			}
			rows = append(rows, strings.Join(cells, " & "))
		}
		return `\begin{matrix} ` + strings.Join(rows, ` \\ `) + ` \end{matrix}`
	}
	if len(parts) == 0 {
		return text
	}
	return all(parts, depth)
}

func all(parts []*html.Node, depth int) string {
	var b strings.Builder
	for _, c := range parts {
		b.WriteString(texOfMath(c, depth+1))
	}
	return b.String()
}

func attribute(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// base groups what a script belongs to.
func base(tex string) string {
	tex = strings.TrimSpace(tex)
	if n := len([]rune(tex)); n <= 1 || strings.HasPrefix(tex, `\`) && !strings.ContainsAny(tex, " {+-") {
		return tex
	}
	if strings.Trim(tex, "0123456789.") == "" {
		return tex
	}
	return "{" + tex + "}"
}

func script(tex string) string {
	tex = strings.TrimSpace(tex)
	if len([]rune(tex)) == 1 {
		return tex
	}
	return "{" + tex + "}"
}

var accents = map[string]string{"^": `\hat`, "ˆ": `\hat`, "~": `\tilde`, "˜": `\tilde`, "¯": `\overline`, "‾": `\overline`,
	"―": `\overline`, "→": `\vec`, "⃗": `\vec`, "˙": `\dot`, "¨": `\ddot`, "_": `\underline`}

// symbol writes an identifier, number or operator.
func symbol(text, kind string) string {
	switch text {
	case "\u2061", "\u2062", "\u2063", "\u2064":
		return "" // invisible operators
	case "−":
		return "-"
	}
	if name, ok := symbols()[text]; ok {
		return name + " "
	}
	if kind == "mi" && len([]rune(text)) > 1 {
		if strings.Contains(" sin cos tan log ln exp lim max min det dim ker sup inf arg gcd deg cot sec csc ", " "+text+" ") {
			return `\` + text + " "
		}
		return `\mathrm{` + text + "}"
	}
	if kind == "mo" && strings.ContainsAny(text, "{}%#&_$") {
		return `\` + text
	}
	return text
}

// symbols are built at their first use, since every start of the program would build them.
var symbols = sync.OnceValue(func() map[string]string {
	return map[string]string{"∑": `\sum`, "∏": `\prod`, "∫": `\int`, "∞": `\infty`, "≤": `\leq`, "≥": `\geq`, "≠": `\neq`,
		"≈": `\approx`, "≡": `\equiv`, "±": `\pm`, "×": `\times`, "⋅": `\cdot`, "·": `\cdot`, "÷": `\div`, "∂": `\partial`, "∇": `\nabla`,
		"∈": `\in`, "∉": `\notin`, "⊂": `\subset`, "⊆": `\subseteq`, "∪": `\cup`, "∩": `\cap`, "→": `\to`, "⇒": `\Rightarrow`,
		"⇔": `\Leftrightarrow`, "∀": `\forall`, "∃": `\exists`, "…": `\ldots`, "⋯": `\cdots`, "α": `\alpha`, "β": `\beta`, "γ": `\gamma`,
		"δ": `\delta`, "ε": `\varepsilon`, "ϵ": `\epsilon`, "ζ": `\zeta`, "η": `\eta`, "θ": `\theta`, "ι": `\iota`, "κ": `\kappa`,
		"λ": `\lambda`, "μ": `\mu`, "ν": `\nu`, "ξ": `\xi`, "π": `\pi`, "ρ": `\rho`, "σ": `\sigma`, "τ": `\tau`, "φ": `\varphi`,
		"ϕ": `\phi`, "χ": `\chi`, "ψ": `\psi`, "ω": `\omega`, "Γ": `\Gamma`, "Δ": `\Delta`, "Θ": `\Theta`, "Λ": `\Lambda`, "Ξ": `\Xi`,
		"Π": `\Pi`, "Σ": `\Sigma`, "Φ": `\Phi`, "Ψ": `\Psi`, "Ω": `\Omega`, "ℝ": `\mathbb{R}`, "ℕ": `\mathbb{N}`, "ℤ": `\mathbb{Z}`}
})
