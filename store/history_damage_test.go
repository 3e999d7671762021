package store

import (
	"errors"
	"reflect"
	"testing"
	"time"
)

// FuzzChange decodes any bytes as a change. What can be decoded is the same
// after it was encoded again.
func FuzzChange(f *testing.F) {
	c := Change{ID: 7, Origin: Origin{"edit_memo", "tanaka", "command", "s"}, At: time.UnixMilli(5), Owner: "u",
		Undoes: 3, Edit: 2, Records: []ChangedRecord{
			{Kind: KindMemo, ID: "a", Existed: true, Exists: true, before: make([]byte, 600), after: 9},
			{Kind: KindFile, ID: "/f", Exists: true}}}
	values, flags := c.packValues()
	c.length = len(values)
	f.Add(append(c.appendHead(nil, flags), values...))
	c.Records = c.Records[1:]
	values, flags = c.packValues()
	c.length = len(values)
	f.Add(append(c.appendHead(nil, flags), values...))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, values, err := decodeChangeHead(changeKey(7), b)
		if err != nil || c.unpackValues(values, b[1]) != nil {
			return
		}
		packed, flags := c.packValues()
		again := c
		again.length = len(packed)
		if len(packed) > changePart {
			return
		}
		back, values, err := decodeChangeHead(changeKey(7), append(again.appendHead(nil, flags), packed...))
		if err != nil || back.unpackValues(values, flags) != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		back.length, back.size = c.length, c.size
		for i := range back.Records {
			if len(back.Records[i].before) == 0 && len(c.Records[i].before) == 0 {
				back.Records[i].before = c.Records[i].before
			}
		}
		if !reflect.DeepEqual(back, c) {
			t.Fatalf("%+v became %+v", c, back)
		}
	})
}

// TestHistoryDamage damages the history in every way that a check can notice,
// and repairs it.
func TestHistoryDamage(t *testing.T) {
	for name, damage := range map[string]func(*Tx) error{
		"change gone":   func(tx *Tx) error { return tx.Delete(changeKey(1)) },
		"change broken": func(tx *Tx) error { return tx.Put(changeKey(2), []byte{1, 0, 3}) },
		"counts gone":   func(tx *Tx) error { return tx.Delete(historyCountKey.all()) },
		"counts broken": func(tx *Tx) error { return tx.Put(historyCountKey.all(), []byte{1}) },
		"part left":     func(tx *Tx) error { return tx.Put(changePartKey(1, 1), []byte("x")) },
		"mark left":     func(tx *Tx) error { return tx.Put(undoneKey(99), rest(historyUndone.number(100))) },
		"mark broken":   func(tx *Tx) error { return tx.Put(undoneKey(2), []byte("x")) },
		"key too long":  func(tx *Tx) error { return tx.Put(append(changeKey(1), 0), []byte{1}) },
		"receipt without its time": func(tx *Tx) error {
			at := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC).UnixMilli()
			return tx.Delete(receiptAgeKey(at, receiptKey("u", "k")))
		},
		"receipt gone": func(tx *Tx) error { return tx.Delete(receiptKey("u", "k")) },
		"entry left":   func(tx *Tx) error { return tx.Put(recordReceiptPrefix('m', "x"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := openHistory(t, HistoryLimits{})
			runs := 0
			if _, err := s.Once(t.Context(), "u", "k", "d", adding(s, "a", "result", &runs)); err != nil {
				t.Fatal(err)
			}
			if _, err := HistoryOf(s).Undo(t.Context(), "h1", HistoryFilter{}); err != nil {
				t.Fatal(err)
			}
			if _, err := HistoryOf(s).Undo(t.Context(), "h2", HistoryFilter{}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Once(t.Context(), "u", "k", "d", adding(s, "b", "result", &runs)); err != nil {
				t.Fatal(err)
			}
			wantSound(t, s)
			if err := s.maintain(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*FindingError)) {
				t.Fatalf("not found: %v", err)
			}
			ctx := withoutHistory(t.Context())
			_, err := repairHistory(ctx, s)
			if _, err2 := repairReceipts(ctx, s); err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			wantSound(t, s)
			mustAdd(t, s, "later")
			wantSound(t, s)
		})
	}
}
