package ical

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"testing"

	"techo/internal/charset"
	"techo/internal/testenv"
)

// TestOpenLarge reads large streams in other encodings as it reads small ones, without holding them.
func TestOpenLarge(t *testing.T) {
	for _, c := range []struct{ name, words string }{
		{"shift_jis", "日本語の会議です"}, {"utf-16le", "日本語の会議です"}, {"utf-16be", "Café à Zürich"},
		{"windows-1252", "Café à Zürich"}, {"euc-kr", "내일 오전 회의실에서 회의가 있습니다"}, {"utf-8", "日本語の会議です"},
	} {
		of, _ := charset.Find(c.name)
		encode := func(text string) []byte {
			b, err := of.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		begin := encode("BEGIN:VCALENDAR\r\n")
		one := encode("BEGIN:VEVENT\r\nSUMMARY:" + c.words + "\r\nDESCRIPTION:" + string(bytes.Repeat([]byte("plain "), 100)) +
			"\r\nEND:VEVENT\r\n")
		if c.name != "utf-16le" && c.name != "utf-16be" { // folded within a character
			at := bytes.Index(one, []byte("SUMMARY:")) + len("SUMMARY:") + 5
			one = slices.Concat(one[:at], []byte("\r\n "), one[at:])
		}
		data := slices.Concat(begin, bytes.Repeat(one, (maxWhole+1<<20)/len(one)))
		if c.name == "utf-8" { // a few characters are in no encoding
			data[len(data)/2], data[len(data)-100] = 0xff, 0xff
		}
		text, encoding := decode(data)
		seed := maphash.MakeSeed()
		add := func(sum *uint64, n *int) func(*Component, *Component) {
			return func(c, _ *Component) {
				*n++
				*sum = maphash.String(seed, fmt.Sprint(*sum, c.Line, c.Name, c.Properties))
			}
		}
		var want, got uint64
		wantEvents, events := 0, 0
		parse(text, add(&want, &wantEvents))
		text = nil

		before := testenv.Held()
		s, err := Open(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		next := add(&got, &events)
		_, _, err = s.Each(func(c, calendar *Component) {
			if next(c, calendar); events == wantEvents/2 {
				most = testenv.Held() - before
			}
		})
		if err != nil || s.Encoding != encoding || got != want || events != wantEvents || s.Begun < events {
			t.Errorf("%s: %v: %s, not %s; %d of %d events, %d begun", c.name, err, s.Encoding, encoding, events, wantEvents, s.Begun)
		}
		if most > 2<<20 {
			t.Errorf("%s: %d bytes are held of %d", c.name, most, len(data))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		runtime.KeepAlive(data)
	}
}
