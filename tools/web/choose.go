package web

import (
	"techo/internal/page"
	"techo/tools"
)

// parseSelector parses a field with a CSS selector. It returns nil for "".
func parseSelector(env *tools.Env, path, text string) (page.Selector, error) {
	if text == "" {
		return nil, nil
	}
	s, err := page.ParseSelector(text)
	if err == nil {
		return s, nil
	}
	message := env.Localize("not a supported CSS selector: %q", text)
	e := env.Fail(tools.InvalidInput, "%s", message)
	e.Details = []tools.Detail{{Path: path, Message: message}}
	return nil, e.WithHint(env.Hint(
		"Use elements, .classes, #ids, [attributes], >, +, ~, :not(), :is(), :first-child and :nth-child()"))
}

// choose applies the selectors to a page.
func (v *view) choose(out *FetchedPage, p *page.Page) error {
	limit := func(err error) error { return v.env.Fail(tools.LimitExceeded, "%v", err) }
	if v.exclude != nil {
		if err := p.Exclude(v.exclude); err != nil {
			return limit(err)
		}
	}
	if v.selector == nil {
		return nil
	}
	matches, err := p.Select(v.selector)
	if err != nil {
		return limit(err)
	}
	out.Matches = &matches
	if matches == 0 {
		e := v.env.Fail(tools.NotFound, "The page has no element that matches %q", v.in.Selector)
		if p.Shell {
			return e.WithHint(v.env.Hint("Scripts may create the element, but they are not run"))
		}
		return e.WithHint(v.env.Hint("%s returns the source", tools.Field("format", "raw")))
	}
	return nil
}

// mainContent returns the main content of a page, if the content shown is another one.
func (v *view) mainContent(p *page.Page, content *page.Content) *page.Content {
	if v.in.Format != "article" && v.in.Format != "markdown" || content == nil {
		removed := p.Removed // counted once is enough
		content = p.Content()
		p.Removed = removed
	}
	return content
}
