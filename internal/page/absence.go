package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
)

// Absence is the reason why a page has no text, or only a little of another kind.
type Absence string

// The absences, in order of precedence.
const (
	RobotCheck  Absence = "robot_check" // the server wants to see a person
	Forwarding  Absence = "forwarding"  // the page only leads to another
	JavaScript  Absence = "javascript"  // scripts create the text
	LoginForm   Absence = "login"
	Subscribers Absence = "subscribers" // a paywall
	Frames      Absence = "frames"      // the text is in frames
	HiddenText  Absence = "hidden"      // style sheets hide all text
	OnlyImages  Absence = "images"
	NoText      Absence = "no_text"
)

// Limits of a page that can be a mere notice or a form, in words.
const (
	maxNotice = 120
	maxForm   = 40
)

// AbsenceOf returns the reason why a page has no content, or "" if the little it shows
// may be all there is.
func AbsenceOf(p *Page) Absence {
	s := signsOf(p)
	text := strings.ToLower(p.Title + "\n" + s.text.String())
	words := runes.CountWords(s.text.String())
	small := words <= maxNotice
	switch {
	case small && (s.challenge || dom.HasPart(text, challenges...)):
		return RobotCheck
	case small && p.Refresh != "":
		return Forwarding
	case p.Shell:
		return JavaScript
	case words <= maxForm && s.password:
		return LoginForm
	case s.paid || dom.HasPart(text, paywalls...):
		return Subscribers
	case s.text.Len() > 0:
		return ""
	case s.frame != "":
		return Frames
	case p.Removed.Hidden > 0:
		return HiddenText
	case s.images > 0:
		return OnlyImages
	}
	return NoText
}

// FrameOf returns the address of the first frame of a page, or "".
func FrameOf(p *Page) string { return signsOf(p).frame }

// signs is what a page without content shows instead.
type signs struct {
	text      strings.Builder // visible
	password  bool            // a field for one
	challenge bool            // a script that examines visitors
	paid      bool            // the page declares a paywall
	frame     string
	images    int
}

// maxSigns is the number of bytes of text that are searched for notices.
const maxSigns = 8 << 10

// signsOf looks for signs of an absent content.
func signsOf(p *Page) *signs {
	s := &signs{}
	p.Walk(s.element, func(text string) {
		if text = strings.TrimSpace(text); s.text.Len() < maxSigns && text != "" {
			s.text.WriteString(strings.ToValidUTF8(text, "") + "\n")
		}
	})
	return s
}

// element notes an element, and reports whether its contents are visible.
func (s *signs) element(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script:
		s.challenge = s.challenge || dom.HasPart(dom.Attr(n, "src"), guards...)
		s.paid = s.paid || strings.Contains(dom.Attr(n, "type"), "ld+json") && declaresPaywall(dom.Text(n))
		return false
	case atom.Style, atom.Template, atom.Head, atom.Title:
		for c := n.FirstChild; c != nil && n.DataAtom == atom.Head; c = c.NextSibling {
			if c.Type == html.ElementNode {
				s.element(c)
			}
		}
		return false
	case atom.Input:
		s.password = s.password || strings.EqualFold(dom.Attr(n, "type"), "password")
	case atom.Frame, atom.Iframe:
		if src := dom.Attr(n, "src"); s.frame == "" && src != "" && !strings.HasPrefix(src, "about:") {
			s.frame = src
		}
		return false
	case atom.Img, atom.Svg, atom.Canvas, atom.Video:
		s.images++
		return n.DataAtom == atom.Video
	}
	s.challenge = s.challenge || dom.HasPart(dom.Attr(n, "id")+" "+dom.Attr(n, "class"), guards...)
	return true
}

// declaresPaywall reports whether structured data says that a page is not free.
func declaresPaywall(data string) bool {
	_, rest, ok := strings.Cut(data, `"isAccessibleForFree"`)
	rest = strings.ToLower(strings.TrimLeft(rest, " \t\r\n:\""))
	return ok && strings.HasPrefix(rest, "false")
}

// guards are parts of the names of widely used services that examine visitors.
var guards = []string{"challenges.cloudflare.com", "cdn-cgi/challenge", "captcha-delivery.com", "px-captcha",
	"cf-challenge", "challenge-form", "challenge-running", "_incapsula_", "awswafcaptcha", "awswaf.com"}

// challenges are phrases of pages that want to see a person.
var challenges = []string{"just a moment...", "checking your browser", "verify you are human",
	"verifying you are human", "verify that you are human", "confirm you are human", "are you a robot",
	"you are not a robot", "you're not a robot", "i'm not a robot", "enable javascript and cookies to continue",
	"enable js and disable any ad blocker", "attention required! | cloudflare", "pardon our interruption",
	"unusual traffic from your computer", "robot check", "security check to access", "ddos protection by",
	"access to this page has been denied",
	"ロボットではありません", "ロボットではないことを", "人間であることを確認"}

// paywalls are phrases of pages whose text is for subscribers.
var paywalls = []string{"subscribe to continue reading", "subscribe to read", "subscribe to keep reading",
	"to continue reading this article", "this article is for subscribers", "this content is for subscribers",
	"exclusive to subscribers", "available to subscribers only", "already a subscriber? ",
	"会員限定", "有料会員", "この記事は有料", "続きを読むには"}
