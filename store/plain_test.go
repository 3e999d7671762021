package store

import (
	"encoding/json"
	"reflect"
	"testing"

	"techo/internal/plainjson"
	"techo/store/ledger"
	"techo/store/memory"
)

// TestReadPlain reads records without encoding/json, with the same result.
func TestReadPlain(t *testing.T) {
	record := memory.Record{ID: "mem_1", User: "tanaka", Caption: "Sarah's \"dog\"", Full: "One\nline\tand 山 <b>",
		Session: "s", Created: -5, Updated: 1700000000000, Text: 7, Group: 8, Order: 9, Topic: "pets", Project: true,
		Expires: 11}
	related, replacing := record, record
	related.Relation = &memory.Relation{From: "a", Type: "knows", To: "b"}
	replacing.Former = []memory.FormerRecord{{ID: "mem_0", Full: "older"}}
	for _, c := range []struct {
		record, got any
		plain       bool
	}{
		{&record, &memory.Record{}, true}, {&memory.Record{}, &memory.Record{}, true},
		{&related, &memory.Record{}, false}, {&replacing, &memory.Record{}, false},
		{&memory.UserRecord{Name: "佐藤", Number: 3, Memories: 4, Sessions: 5}, &memory.UserRecord{}, true},
	} {
		b, err := ledger.Encode(c.record)
		if err != nil {
			t.Fatal(err)
		}
		if plain := plainjson.Read(b, c.got.(plainjson.Record)); plain != c.plain {
			t.Errorf("%s: plain is %v", b, plain)
		}
		if !c.plain {
			err = json.Unmarshal(b, c.got)
		}
		if err != nil || !reflect.DeepEqual(c.got, c.record) {
			t.Errorf("%+v, %v, want %+v", c.got, err, c.record)
		}
	}
}
