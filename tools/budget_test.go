package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"techo/internal/testenv"
)

// pagedIn and pagedOut are the types of a tool with pages.
type pagedIn struct {
	Offset int `json:"offset" default:"0" minimum:"0"`
	Limit  int `json:"limit" default:"50" minimum:"1"`
}

type pagedOut struct {
	Items   []string `json:"items"`
	Total   int      `json:"total"`
	Limit   int      `json:"limit"`
	Message string   `json:"message"`
}

// paged returns a tool that lists total items of size bytes each.
func paged(total, size int) *Tool {
	return Define(Tool{Name: "paged"}, func(_ context.Context, _ *Env, in pagedIn) (out pagedOut, err error) {
		out = pagedOut{Total: total, Limit: in.Limit, Items: []string{}, Message: "Found"}
		for i := in.Offset; i < min(total, in.Offset+in.Limit); i++ {
			out.Items = append(out.Items, fmt.Sprintf("%d:%s", i, strings.Repeat("あ", size/3)))
		}
		return out, nil
	})
}

func anyEnv() *Env { return &Env{Zone: time.UTC, Now: time.Now} }

// listOut is a result whose document is an array.
type listOut struct{ items int }

func (o listOut) MarshalJSON() ([]byte, error) {
	return []byte("[" + strings.Repeat("0,", o.items-1) + "0]"), nil
}

// TestBudgetArray refuses an array that is too long: cut, it would look whole.
func TestBudgetArray(t *testing.T) {
	for items, code := range map[int]Code{MinBytes / 4: "", MinBytes: LimitExceeded} {
		tool := Define(Tool{Name: "array"}, func(context.Context, *Env, struct{}) (listOut, error) {
			return listOut{items}, nil
		})
		result, e := tool.Invoke(t.Context(), anyEnv(), Call{MaxBytes: MinBytes})
		switch {
		case code == "" && (e != nil || len(result.JSON) > MinBytes):
			t.Errorf("%d items: %v", items, e)
		case code != "" && (e == nil || e.Code != code):
			t.Errorf("%d items: %+v, want %s", items, e, code)
		}
	}
}

// TestBudgetPages reads a whole list through the offsets that shortened results
// name.
func TestBudgetPages(t *testing.T) {
	r := testenv.Random(t)
	for range 100 {
		total, size, most := r.IntN(120), r.IntN(400), MinBytes+r.IntN(4000)
		var got []string
		for offset := 0; ; {
			result, e := paged(total, size).Invoke(t.Context(), anyEnv(),
				Call{Input: fmt.Appendf(nil, `{"offset":%d}`, offset), MaxBytes: most})
			if e != nil {
				t.Fatal(e)
			}
			var out struct {
				pagedOut
				Truncated bool
			}
			if err := json.Unmarshal(result.JSON, &out); err != nil {
				t.Fatal(err)
			}
			if len(result.JSON) > most || len(result.Text) > most || out.Total != total {
				t.Fatalf("%d of %d bytes, %d bytes of text\n%s", len(result.JSON), most, len(result.Text), result.JSON)
			}
			got = append(got, out.Items...)
			if !out.Truncated {
				if len(out.Items) < out.Limit || offset+len(out.Items) >= total {
					break
				}
				offset += len(out.Items)
				continue
			}
			next := 0
			if _, err := fmt.Sscanf(out.Message[strings.Index(out.Message, "offset"):], "offset %d)",
				&next); err != nil || next != offset+len(out.Items) {
				t.Fatalf("after %d items from %d it says: %s", len(out.Items), offset, out.Message)
			}
			offset = next
		}
		if len(got) != total {
			t.Fatalf("%d items of %d bytes in %d: got %d", total, size, most, len(got))
		}
	}
}

// TestBudgetCuts checks that every bounded document fits and is still JSON.
func TestBudgetCuts(t *testing.T) {
	r := testenv.Random(t)
	var make func(depth int) any
	make = func(depth int) any {
		switch k := r.IntN(7); {
		case k < 3 || depth > 4:
			return strings.Repeat(string([]rune{rune('a' + r.IntN(26)), 'あ', '\x01', '"', '😀'}[r.IntN(5)]),
				r.IntN(1<<r.IntN(12)))
		case k < 5:
			list := []any{}
			for range r.IntN(1 << r.IntN(6)) {
				list = append(list, make(depth+1))
			}
			return list
		}
		fields := map[string]any{}
		for i := range r.IntN(8) {
			fields[fmt.Sprint("f", i)] = make(depth + 1)
		}
		return fields
	}
	for range 150 {
		document := map[string]any{"message": make(5), "rest": make(0), "more": make(0)}
		tool := Define(Tool{Name: "any", Effect: Adds},
			func(context.Context, *Env, struct{}) (map[string]any, error) { return document, nil })
		most := MinBytes + r.IntN(3000)
		whole, e := tool.Invoke(t.Context(), anyEnv(), Call{})
		if e != nil {
			t.Fatal(e)
		}
		result, e := tool.Invoke(t.Context(), anyEnv(), Call{MaxBytes: most})
		if e != nil {
			t.Fatal(e)
		}
		var got map[string]any
		if err := json.Unmarshal(result.JSON, &got); err != nil || !utf8.Valid(result.JSON) {
			t.Fatalf("%v\n%s", err, result.JSON)
		}
		cut := len(whole.JSON) > most
		if len(result.JSON) > most || len(result.Text) > most || (got["truncated"] == true) != cut || !cut &&
			string(result.JSON) != string(whole.JSON) {
			t.Fatalf("%d bytes became %d, at most %d; %d of text\n%s", len(whole.JSON), len(result.JSON), most,
				len(result.Text), result.JSON)
		}
	}
}
