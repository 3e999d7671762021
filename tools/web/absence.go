package web

import (
	"cmp"
	"net/url"

	"techo/internal/page"
	"techo/tools"
	"techo/tools/internet"
)

// askToSave is the hint about a page that only a person can open.
const askToSave = tools.Text("Ask the person to open it in a browser and to save it, then fetch the file")

// shortText is the length in characters up to which a page without a recognized content is
// examined for what it shows instead.
const shortText = 1000

// Reasons beside the absences of package page.
const (
	reasonNoMatch      = "no_match"
	reasonNoHeadings   = "no_headings"
	reasonUnrecognized = "not_recognized"
	reasonUnreadable   = "unreadable"
	reasonEmptyBody    = "empty_body"
	reasonScanned      = "images"
)

// examiner finds the reasons of results without text.
type examiner struct {
	env *tools.Env
	in  FetchIn
}

// examine finds the reason why a result is empty, or why a short page may not be what
// was asked for.
func (x examiner) examine(out *FetchedPage, d document) {
	if out.Start > 0 || x.in.Format == "raw" && out.Bytes > 0 {
		return
	}
	switch {
	case out.TotalChars == 0:
		out.Reason = x.emptyReason(out, d)
	case d.page != nil && out.TotalChars < shortText && x.in.Section == "" && x.in.Find == "" &&
		x.in.Selector == "" && !x.in.Outline:
		switch a := page.AbsenceOf(d.page); a {
		case page.RobotCheck, page.LoginForm, page.Forwarding:
			out.Reason = string(a)
		case page.JavaScript:
			if out.NeedsJavaScript {
				out.Reason = string(a)
			}
		}
	}
	out.Hint = x.hint(out, d)
}

// emptyReason returns why a result has no text.
func (x examiner) emptyReason(out *FetchedPage, d document) string {
	switch {
	case d.scanned:
		return reasonScanned
	case d.problem != "":
		return reasonUnreadable
	case x.in.Find != "" && out.Matches != nil:
		return reasonNoMatch
	case out.RefreshTo != "" && d.page == nil:
		return string(page.Forwarding)
	case out.Bytes == 0:
		return reasonEmptyBody
	case d.kind == "pdf" && x.in.Outline:
		return reasonNoHeadings
	case d.kind == "pdf":
		return reasonScanned
	case d.page == nil:
		return string(page.NoText)
	}
	a := page.AbsenceOf(d.page)
	switch {
	case a != "" && a != page.NoText:
		return string(a)
	case x.in.Outline && d.page.Plain() != "":
		return reasonNoHeadings
	case out.Quality < 1 && d.page.Plain() != "":
		return reasonUnrecognized
	}
	return string(cmp.Or(a, page.NoText))
}

// emptyMessage says in one sentence why a result has no text.
func (x examiner) emptyMessage(out FetchedPage, name string) string {
	switch out.Reason {
	case reasonNoMatch:
		return x.env.Localize("%s: nothing matches %q", name, x.in.Find)
	case string(page.JavaScript):
		return x.env.Localize("%s has no text without JavaScript", name)
	case reasonUnrecognized:
		return x.env.Localize("%s: no main content was recognized; --format text returns all text", name)
	case reasonNoHeadings:
		return x.env.Localize("%s has no headings", name)
	case reasonEmptyBody:
		return x.env.Localize("%s: the answer has no content", name)
	case "", string(page.NoText):
		return x.env.Localize("%s has no text", name)
	}
	return x.env.Localize("%s has no text: %s", name, x.notice(out))
}

// notice describes what a page shows instead of its content.
func (x examiner) notice(out FetchedPage) string {
	switch page.Absence(out.Reason) {
	case page.RobotCheck:
		return x.env.Localize("the server first checks that a person visits")
	case page.Forwarding:
		return x.env.Localize("it forwards to another address")
	case page.LoginForm:
		return x.env.Localize("it is a login form")
	case page.Subscribers:
		return x.env.Localize("it is for subscribers")
	case page.Frames:
		return x.env.Localize("it is in frames")
	case page.HiddenText:
		return x.env.Localize("style sheets hide all of it")
	case page.OnlyImages:
		return x.env.Localize("the content is images")
	}
	return out.Reason
}

// hint returns what to do about a result without text.
func (x examiner) hint(out *FetchedPage, d document) string {
	env := x.env
	switch page.Absence(out.Reason) {
	case "":
		return ""
	case reasonUnreadable:
		if d.locked {
			return env.Hint("Ask the person for a copy without a password")
		}
	case page.RobotCheck, page.LoginForm, page.Subscribers:
		return env.Hint(askToSave)
	case page.JavaScript:
		switch {
		case out.Rendered:
			return env.Hint("Its scripts made no text either; look for a feed, an API or a print version of the page")
		case internet.Of(env).Browser != "":
			return env.Hint("%s runs its scripts in a browser", tools.Field("render", "auto"))
		}
		return env.Hint("Scripts are not run; look for a feed, an API or a print version of the page, "+
			"or ask the person to allow a browser: %s",
			tools.Use("config set", "browser", "auto"))
	case page.Forwarding:
		return env.Hint("Fetch %s", out.RefreshTo)
	case page.Frames:
		from, _ := url.Parse(out.FinalURL) // from a URL
		if u, err := from.Parse(page.FrameOf(d.page)); err == nil {
			return env.Hint("Fetch %s", displayURL(u))
		}
	case page.HiddenText:
		return env.Hint("%s returns the source; hidden text may be meant for machines only",
			tools.Field("format", "raw"))
	case page.OnlyImages:
		if d.kind == "pdf" {
			return env.Hint("Its pages seem to be scanned; %s saves it for a program that reads images",
				tools.Flag("save", tools.Placeholder("FILE")))
		}
		return env.Hint("%s lists them", tools.Field("images"))
	case reasonUnrecognized, reasonNoHeadings:
		return env.Hint("%s returns all text", tools.Field("format", "text"))
	}
	return ""
}
