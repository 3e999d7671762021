package web

import (
	"context"
	"strings"

	"techo/tools"
	"techo/tools/internet"
)

// PageResult is the result of one of several URLs: a page, or an error.
type PageResult struct {
	URL string `json:"url"`
	*FetchedPage
	Error *tools.Error `json:"error,omitempty"`
}

// webFetchSeveral fetches pages one after the other. One that fails does not stop
// the others.
func webFetchSeveral(ctx context.Context, env *tools.Env, in FetchIn) (FetchOut, error) {
	all := append([]string{in.URL}, in.URLs...)
	if internet.Of(env).Save != "" {
		e := env.Fail(tools.InvalidInput, "--save needs a single URL")
		e.Details = []tools.Detail{{Path: "/save", Message: e.Message}}
		return FetchOut{}, e
	}
	out := FetchOut{Fetched: Fetched{Untrusted: true, FetchedAt: env.Time(env.Now())}}
	own := *env
	if env.MaxBytes > 0 {
		own.MaxBytes = max(env.MaxBytes/len(all)-reservedBytes, 1)
	}
	failed := 0
	for _, one := range all {
		each := in
		each.URL, each.URLs = one, nil
		got, err := fetchPage(ctx, &own, each)
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if err != nil {
			failed++
			out.Pages = append(out.Pages, PageResult{URL: target(one), Error: tools.AsError(env, err)})
			continue
		}
		out.Pages = append(out.Pages, PageResult{URL: got.URL, FetchedPage: &got})
		out.Bytes += got.Bytes
	}
	out.Message = env.Localize("Fetched %s", env.Count(len(all)-failed, "%d page", "%d pages"))
	if failed > 0 {
		out.Message = env.Localize("Fetched %s; %s failed", env.Count(len(all)-failed, "%d page", "%d pages"),
			env.Count(failed, "%d page", "%d pages"))
	}
	return out, nil
}

// pagesText returns the texts of several pages, each below its address.
func pagesText(env *tools.Env, pages []PageResult) string {
	var parts []string
	for _, p := range pages {
		if p.FetchedPage != nil {
			parts = append(parts, "=== "+p.URL+"\n\n"+p.Text(env))
		} else {
			parts = append(parts, "=== "+p.URL+"\n\n"+env.Localize("Error: %s", p.Error.Message))
		}
	}
	return strings.Join(parts, "\n\n")
}
