package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func terms(text string) (found []string) {
	newReader().read(text, func(t token) {
		if t.common {
			t.term = "-" + t.term
		}
		found = append(found, t.term)
	})
	return found
}

func TestKeywords(t *testing.T) {
	for text, want := range map[string]string{
		"What is the name of Tanaka's dog?": "name Tanaka",
		"犬のマックスは雷が苦手。":                      "マックス 苦手",
		"東京都知事の会見":                          "東京都知事 会見",
		"to be or not to be":                "",
		"dog Dog dog cat":                   "dog Dog",
		"":                                  "",
	} {
		if got := strings.Join(Keywords(text, 2), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSuggestions checks that a suggested word does not end with the stem of a verb.
func TestSuggestions(t *testing.T) {
	for text, want := range map[string]string{
		"田中さんは犬を二匹飼っている。":       "田中 二匹",
		"鈴木さんは大阪に引っ越した。":        "鈴木 大阪",
		"会議まで資料を毎日読む":           "会議 資料",
		"来月移動した会議室":             "来月移動 会議室",
		"有名な店で昼食":               "有名 昼食",
		"The dog has two names": "dog two",
	} {
		if got := strings.Join(Suggestions(text, 2), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"Tanaka's dogs went BARKING":    "tanaka -s dog go bark",
		"wait…and see…… naïve…yes… 1…2": "wait -and see naiv ye 1 2",
		"…犬…猫":                          "犬 猫",
		`"quotes" -dash /slash/ AND *`:  "quot dash slash -and",
		"café Ångström ｆｕｌｌ ① Straße":   "cafe angstrom full 1 strass",
		"cafe\u0301":                    "cafe",
		"v1.2 foo_bar x2y":              "v1 2 foo bar foobar foo_bar x2y",
		"犬の名前":                          "犬 犬の の名 名 名前 前",
		"ラーメン屋":                         "らー らーめん ーめ めん ん屋 屋",
		"ﾗｰﾒﾝ":                          "らー らーめん ーめ めん",
		"ありがとう":                         "-あり -りが -がと -とう",
		"傘":                             "傘",
		"Go言語とBadger":                   "go 言 言語 語 語と badger",
		"か\u3099":                       "-が",
		"東京都知事":                         "東 東京 東京都知事 京 京都 都 都知 知 知事 事",
		"안녕하세요":                         "안녕 녕하 하세 세요",
		"らーめん":                          "-らー -ーめ -めん",
		"node.js Node.JS":               "node js nodej node js nodej",
		"1,204 3.5 1.2.3":               "1 204 1204 3 5 1 2 3",
		"555-0142":                      "555 0142 5550142",
		"O'Brien O’Brien":               "-o brien obrien -o brien obrien",
		"it's don't I'll":               "-it -s -don -t -i -ll",
		"tyres colours":                 "tire color",
		"getUser HTTPServer":            "get user getUser getus http server HTTPServer httpserver",
		"user_getName":                  "user get name getName getnam usergetnam user_getname",
		"iPhone McDonald URLs dQw4w9W":  "iphon mc donald McDonald mcdonald url dqw4w9w",
		"ログのgetUserを":                   "ろぐ ぐの get user getUser getus -を",
		"3f2a9bc41d 0x00007FFF 5550142": "3f2a9bc 3f2a9bc41d 7fff 0x00007fff 5550142",
		"⛴️ 👍🏽ok":                       "⛴ 👍 ok",
		"":                              "",
		"!?。、…":                         "",
	} {
		if got := strings.Join(terms(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzTerms checks that terms are short, independent of case, and within the
// bounds of the text.
func FuzzTerms(f *testing.F) {
	for _, text := range []string{
		"Tanaka's dog", "犬の名前はﾏｯｸｽ。", "a\x00b\xff", "か\u3099\u3099", "ﷺ㈱", "㍿",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		newReader().read(text, func(k token) {
			if k.term == "" || len(k.term) > maxTerm+8 || strings.ContainsRune(k.term, 0) {
				t.Fatalf("term %q", k.term)
			}
			if k.start < 0 || k.end > len(text) || k.start >= k.end {
				t.Fatalf("%q at %d to %d of %d", k.term, k.start, k.end, len(text))
			}
			at = max(at, k.end)
		})
		b := NewAnalyzer().Bag(text)
		if !slices.IsSortedFunc(b.Terms, func(a, b Count) int { return strings.Compare(a.Term, b.Term) }) {
			t.Fatal("not sorted")
		}
		e := NewExcerpts(text)
		for _, shown := range append(e.Matched(text), e.Snippet(text)) {
			if utf8.ValidString(text) && !utf8.ValidString(shown) {
				t.Fatalf("%q is not valid", shown)
			}
		}
	})
}

// FuzzRecords checks that damaged records give errors, never panics, and intact
// ones round-trip.
func FuzzRecords(f *testing.F) {
	d := Doc{Num: 3, ID: "id", Group: 2, Bag: NewAnalyzer().Bag("Max is a dog dog")}
	f.Add(d.record(), uint32(7))
	f.Add((&head{count: 2, most: 3, shortest: 1, inline: []posting{{1, 1, 5}, {5, 3, 128}}}).append(nil), uint32(0))
	f.Add(appendPostings(nil, 9, []posting{{9, 1, 3}, {1 << 31, 1 << 30, 200}}), uint32(9))
	f.Add(appendBlock(nil, []posting{{9, 1, 3}, {1 << 31, 1 << 30, 200}}), uint32(9))
	f.Add([]byte(newOwnerChunk([]Owner{d.owner(), {}})), uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, base uint32) {
		if d, err := readRecord(base, b); err == nil {
			if again, err := readRecord(base, d.record()); err != nil || !reflect.DeepEqual(d, again) {
				t.Errorf("%v: %+v, %+v", err, d, again)
			}
		}
		if h, err := readHead(b, nil); err == nil {
			if _, err := readHead(h.append(nil), nil); err != nil {
				t.Error(err)
			}
		}
		_, _ = readPostings(nil, base, b)
		if ps, err := blockPostings(nil, base, b); err == nil {
			again, err := blockPostings(nil, ps[0].num, appendBlock(nil, ps))
			if err != nil || !slices.Equal(ps, again) {
				t.Errorf("%v: %+v, %+v", err, ps, again)
			}
		}
		c := ownerChunk(b)
		_, _ = c.owner(int(base))
		if c.len() > 0 {
			_, _ = c.time(c.len() - 1)
		}
	})
}

func TestExcerpts(t *testing.T) {
	long := strings.Repeat("Nothing to see here. ", 40) +
		"The golden retriever is called Max, and he barks at thunder. " + strings.Repeat("Nothing to see here. ", 40)
	e := NewExcerpts("What's the golden retriever's name?")
	s := e.Snippet(long)
	if !strings.Contains(s, "golden retriever is called Max") || len(s) > snippetBytes+10 ||
		!strings.HasPrefix(s, "…") || !strings.HasSuffix(s, "…") {
		t.Errorf("%q", s)
	}
	if got := e.Matched(long); !slices.Equal(got, []string{"golden", "retriever"}) {
		t.Errorf("%q", got)
	}
	matched := NewExcerpts("ラーメン屋の場所").Matched("おいしいラーメン屋さん")
	if !slices.Equal(matched, []string{"ラーメン屋"}) {
		t.Errorf("%q", matched)
	}
	got := e.Passages("one\ngolden\nthe golden retriever\n\ncalled name", 2)
	if want := []Passage{{2, "golden"}, {3, "the golden retriever"}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if w := Written("He is Barking loudly", "bark"); w != "Barking" {
		t.Errorf("%q", w)
	}
}

// FuzzExcerpts checks that excerpts of any text for any question are whole characters
// of the text, within their limit.
func FuzzExcerpts(f *testing.F) {
	word := strings.Repeat("a", 240)
	for _, text := range []string{
		word, "see " + word + " there", strings.Repeat("語", 300), word + "\n" + word, strings.Repeat("QUJD+/", 60),
		strings.Repeat("e\u0301", 200), strings.Repeat("ァ", 250) + "。", "短い", "\xff" + word,
	} {
		f.Add(text, text)
		f.Add(text, word)
	}
	f.Fuzz(func(t *testing.T, text, question string) {
		e := NewExcerpts(question)
		check := func(excerpt string, most int) {
			if len(excerpt) > most+2*len("…") || utf8.ValidString(text) && !utf8.ValidString(excerpt) {
				t.Errorf("%q: %q", text, excerpt)
			}
		}
		check(e.Snippet(text), snippetBytes)
		for _, p := range e.Passages(text, 3) {
			check(p.Text, 2*snippetBytes)
		}
		for _, words := range [][]string{e.Matched(text), Keywords(text, 3), Suggestions(text, 3)} {
			for _, w := range words {
				if w == "" || utf8.ValidString(text+question) && !utf8.ValidString(w) {
					t.Errorf("%q, %q: %q", text, question, w)
				}
			}
		}
	})
}
