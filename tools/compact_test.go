package tools

import (
	"context"
	"encoding/json"
	"testing"
)

type compactItem struct {
	ID      string         `json:"id"`
	Caption string         `json:"caption"`
	Snippet string         `json:"snippet" compact:"=caption"`
	At      string         `json:"at" compact:"day"`
	Rank    int            `json:"rank" compact:"0"`
	Count   int            `json:"count"`
	Secret  string         `json:"secret" compact:"-"`
	Busy    bool           `json:"busy"`
	Tags    []string       `json:"tags"`
	Extra   map[string]int `json:"extra"`
}

type compactOut struct {
	One       compactItem     `json:"one"`
	Items     []compactItem   `json:"items" compact:"keep"`
	Others    []compactItem   `json:"others"`
	Schema    json.RawMessage `json:"schema"`
	Note      string          `json:"note"`
	Truncated bool            `json:"truncated"`
	Available *bool           `json:"available"`
	Total     int             `json:"total"`
	Message   string          `json:"message"`
}

// TestCompact checks which fields of a result a compact document has.
func TestCompact(t *testing.T) {
	full := compactItem{"a", "Tea", "Tea", "2027-03-01T09:00:00Z", 0, 0, "x", false, nil, map[string]int{"zero": 0}}
	other := full
	other.Snippet, other.Rank, other.Busy, other.Tags = "Tea at nine", 2, true, []string{"t"}
	for _, test := range []struct {
		out    compactOut
		fields []string
		want   string
	}{
		{compactOut{Items: []compactItem{}}, nil, `{"one":{"id":"","rank":0,"count":0},"items":[],"truncated":false,"available":null,` +
			`"total":0,"message":""}`},
		{compactOut{One: full, Items: []compactItem{full, other}, Schema: json.RawMessage(`{"additionalProperties":false}`)},
			nil, `{"one":{"id":"a","caption":"Tea","snippet":"Tea","at":"2027-03-01T09:00:00Z","rank":0,"count":0,` +
				`"secret":"x","extra":{"zero":0}},"items":[{"id":"a","caption":"Tea","at":"2027-03-01","count":0,` +
				`"extra":{"zero":0}},{"id":"a","caption":"Tea","snippet":"Tea at nine","at":"2027-03-01","rank":2,` +
				`"count":0,"busy":true,"tags":["t"],"extra":{"zero":0}}],"schema":{"additionalProperties":false},` +
				`"truncated":false,"available":null,"total":0,"message":""}`},
		{compactOut{Items: []compactItem{full}}, []string{"items.secret", "items.at", "items.tags"},
			`{"items":[{"at":"2027-03-01T09:00:00Z","secret":"x"}]}`},
	} {
		tool := Define(Tool{Name: "t"}, func(context.Context, *Env, struct{}) (compactOut, error) { return test.out, nil })
		r, e := tool.Invoke(t.Context(), &Env{}, Call{Compact: true, Fields: test.fields})
		if e != nil {
			t.Fatal(e)
		}
		if got := string(r.JSON); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestCompactTimes checks that the end of an item is its time alone only if the start says the rest.
func TestCompactTimes(t *testing.T) {
	type span struct {
		Start string `json:"start"`
		End   string `json:"end" compact:"time=start"`
	}
	type out struct {
		Spans []span `json:"spans"`
	}
	for _, test := range []struct{ start, end, want string }{
		{"2027-03-01T23:00:00+09:00", "2027-03-01T23:30:00+09:00", "23:30"},
		{"2027-03-01T09:00:00Z", "2027-03-01T09:00:00Z", "09:00"},
		{"2027-03-01T23:00:00Z", "2027-03-02T00:30:00Z", "2027-03-02T00:30:00Z"},
		{"2027-03-28T00:30:00+01:00", "2027-03-28T04:00:00+02:00", "2027-03-28T04:00:00+02:00"},
		{"2027-03-01T09:00:30Z", "2027-03-01T09:01:30Z", "2027-03-01T09:01:30Z"},
		{"2027-03-01T09:00:00.5Z", "2027-03-01T09:01:00.5Z", "2027-03-01T09:01:00.5Z"},
		{"2027-03-01", "2027-03-02", "2027-03-02"},
		{"", "2027-03-01T09:00:00Z", "2027-03-01T09:00:00Z"},
	} {
		tool := Define(Tool{Name: "t"}, func(context.Context, *Env, struct{}) (out, error) {
			return out{[]span{{test.start, test.end}}}, nil
		})
		r, e := tool.Invoke(t.Context(), &Env{}, Call{Compact: true})
		if e != nil {
			t.Fatal(e)
		}
		var got out
		if err := json.Unmarshal(r.JSON, &got); err != nil || got.Spans[0].End != test.want {
			t.Errorf("%s to %s: %s", test.start, test.end, r.JSON)
		}
	}
}
