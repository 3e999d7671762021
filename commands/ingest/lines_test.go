package ingest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"techo/tools"
)

// FuzzLines checks that each imported line has a number within the file, and a
// text or a problem.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		"{\"full_text\":\"a\"}\n\n{\"full_text\":\"b\"}", "\ufeff{\"full_text\":\"a\"}\r\n",
		"[{\"full_text\":\"a\"},5,[]]", "[\n", "{\n\"full_text\":\"a\"}\n{}",
		"{\"entities\":[{\"name\":\"a\"},{}],\"relations\":[{\"from\":\"a\",\"to\":\"b\",\"relationType\":\"c\"}]}",
		"{\"type\":\"entity\"}", "{\"type\":\"relation\",\"name\":\"x\"}", "\xff", "[1] 2", "null",
		"{\"type\":\"entity\",\"name\":\"a\",\"observations\":\"one\"}",
	} {
		f.Add([]byte(text))
	}
	env := &tools.Env{Zone: time.UTC, User: "tanaka"}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range []string{"auto", "jsonl", "mcp"} {
			s := &importSource{Env: env, Reader: bytes.NewReader(text), Format: format}
			memoryKind(false).read(s)
			err := s.lines(func(l importLine) error {
				if l.Number < 1 || l.Number > bytes.Count(text, []byte("\n"))+1 {
					t.Errorf("%s: line %d", format, l.Number)
				}
				p := prepare(env, memoryKind(false).parser(env), []importLine{l})
				if len(p.errors) == 0 && strings.TrimSpace(p.records[0].FullText) == "" {
					t.Errorf("%s: line %d: neither a text nor a problem", format, l.Number)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", format, err)
			}
		}
	})
}
