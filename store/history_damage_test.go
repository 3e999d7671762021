package store

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"techo/store/history"
	"techo/store/ledger"
	"techo/store/receipt"
)

// FuzzChange decodes any bytes as a change. What can be decoded is the same
// after it was encoded again.
func FuzzChange(f *testing.F) {
	c := ledger.Change{ID: 7, Origin: ledger.Origin{Tool: "edit_memo", By: "tanaka", Client: "command", Session: "s"},
		At: time.UnixMilli(5), Owner: "u",
		Undoes: 3, Edit: 2, Records: []ledger.ChangedRecord{
			{Kind: ledger.KindMemo, ID: "a", Existed: true, Exists: true, Before: make([]byte, 600), After: 9},
			{Kind: ledger.KindFile, ID: "/f", Exists: true}}}
	values, flags := c.PackValues()
	c.Length = len(values)
	f.Add(append(c.AppendHead(nil, flags), values...))
	c.Records = c.Records[1:]
	values, flags = c.PackValues()
	c.Length = len(values)
	f.Add(append(c.AppendHead(nil, flags), values...))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, values, err := ledger.DecodeChangeHead(ledger.ChangeKey(7), b)
		if err != nil || c.UnpackValues(values, b[1]) != nil {
			return
		}
		packed, flags := c.PackValues()
		again := c
		again.Length = len(packed)
		if len(packed) > ledger.ChangePart {
			return
		}
		back, values, err := ledger.DecodeChangeHead(ledger.ChangeKey(7),
			append(again.AppendHead(nil, flags), packed...))
		if err != nil || back.UnpackValues(values, flags) != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		back.Length, back.Size = c.Length, c.Size
		for i := range back.Records {
			if len(back.Records[i].Before) == 0 && len(c.Records[i].Before) == 0 {
				back.Records[i].Before = c.Records[i].Before
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
	for name, damage := range map[string]func(*ledger.Tx) error{
		"change gone":   func(tx *ledger.Tx) error { return tx.Delete(ledger.ChangeKey(1)) },
		"change broken": func(tx *ledger.Tx) error { return tx.Put(ledger.ChangeKey(2), []byte{1, 0, 3}) },
		"counts gone":   func(tx *ledger.Tx) error { return tx.Delete(ledger.HistoryCountKey.All()) },
		"counts broken": func(tx *ledger.Tx) error { return tx.Put(ledger.HistoryCountKey.All(), []byte{1}) },
		"tallies wrong": func(tx *ledger.Tx) error {
			key := ledger.HistoryCountKey.Key("t")
			value, err := tx.Get(key)
			if err != nil {
				return err
			}
			value = bytes.Clone(value)
			value[len(value)-1]++
			return tx.Put(key, value)
		},
		"part left": func(tx *ledger.Tx) error { return tx.Put(ledger.ChangePartKey(1, 1), []byte("x")) },
		"mark left": func(tx *ledger.Tx) error {
			return tx.Put(ledger.UndoneKey(99), ledger.Rest(ledger.HistoryUndone.Number(100)))
		},
		"mark broken":  func(tx *ledger.Tx) error { return tx.Put(ledger.UndoneKey(2), []byte("x")) },
		"key too long": func(tx *ledger.Tx) error { return tx.Put(append(ledger.ChangeKey(1), 0), []byte{1}) },
		"receipt without its time": func(tx *ledger.Tx) error {
			at := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC).UnixMilli()
			return tx.Delete(receipt.AgeKey(at, receipt.Key("u", "k")))
		},
		"receipt gone": func(tx *ledger.Tx) error { return tx.Delete(receipt.Key("u", "k")) },
		"entry left":   func(tx *ledger.Tx) error { return tx.Put(receipt.RecordReceiptPrefix('m', "x"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := openHistory(t, ledger.HistoryLimits{})
			runs := 0
			if _, err := s.Once(t.Context(), "u", "k", "d", adding(s, "a", "result", &runs)); err != nil {
				t.Fatal(err)
			}
			if _, err := history.Of(s.Ledger).Undo(t.Context(), "h1", history.Filter{}); err != nil {
				t.Fatal(err)
			}
			if _, err := history.Of(s.Ledger).Undo(t.Context(), "h2", history.Filter{}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Once(t.Context(), "u", "k", "d", adding(s, "b", "result", &runs)); err != nil {
				t.Fatal(err)
			}
			wantSound(t, s)
			if err := s.Maintain(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*ledger.FindingError)) {
				t.Fatalf("not found: %v", err)
			}
			ctx := ledger.WithoutHistory(t.Context())
			_, err := history.Repair(ctx, s.Ledger)
			if _, err2 := receipt.Schema().Repair(ctx, s.Ledger); err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			wantSound(t, s)
			mustAdd(t, s, "later")
			wantSound(t, s)
		})
	}
}
