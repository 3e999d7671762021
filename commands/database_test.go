package commands

import (
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/pg"
)

// TestDatabase makes the same calls with a store in a folder and one in a database. The
// answers are the same, byte for byte.
func TestDatabase(t *testing.T) {
	local, remote := newWorld(t), newWorld(t)
	remote.env["TECHO_STORE"] = testenv.Database(t)
	remote.run("memo", "list").fails("unavailable") // before the migration
	remote.run("store", "migrate").ok()
	for _, line := range []string{
		"memo add ramen Tanaka_likes_ramen --priority 4 --tag food",
		"memo add ramen again --priority 4",
		"memo add trip Kyoto_in_May --priority 3 --tag plan --idempotency-key k1",
		"memo add trip Kyoto_in_May --priority 3 --tag plan --idempotency-key k1",
		"memo get ramen", "memo get rame", "memo list", "memo list --tag food", "memo list --query ramen",
		"memo edit ramen --content soba", "memo tags", "memo context", "memo rename-tag food meals",
		"memory add Tanaka_moved_to_Kyoto --session s1", "memory add Tanaka_moved_to_Kyoto",
		"memory add Suzuki_has_a_dog_named_Pochi --session s1 --topic dog", "memory search dog",
		"memory search where_did_Tanaka_move", "memory list", "memory timeline --at 2026-01-02T12:00:00Z",
		"cal create meeting 2026-01-05T10:00", "cal create daily 2026-01-05T09:00 --recurrence FREQ=DAILY;COUNT=5",
		"cal list --date-from 2026-01-05 --date-to 2026-01-07", "cal check day --date 2026-01-05", "cal calendars",
		"ask list", "history", "undo", "history --family memory", "memo remove trip", "memo list",
		"token list", "store verify",
	} {
		words := strings.Fields(line)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		want, got := local.run(words...), remote.run(words...)
		if want.out != got.out || want.code != got.code {
			t.Errorf("%s: exit %d, %s\nin a folder: exit %d, %s", line, got.code, got.out, want.code, want.out)
		}
	}
}

// TestDatabaseSettings: a mistyped setting in the address of a database is a fault of the input.
func TestDatabaseSettings(t *testing.T) {
	w := newWorld(t)
	address := testenv.Database(t)
	for setting, want := range map[string]string{
		"namspace=x": `There is no setting "namspace"`, "work_mem=x": "Invalid value of work_mem",
	} {
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		e := w.run("memo", "list", "--store", address+separator+setting).fails("invalid_input", "")
		if e.Details[0].Message != want || e.Retryable {
			t.Errorf("%s: %+v", setting, e)
		}
	}
}

// TestDatabaseUnfinished: every command refuses a database that a copy has not filled, and names
// the next command.
func TestDatabaseUnfinished(t *testing.T) {
	w, address := newWorld(t), testenv.Database(t)
	w.run("memo", "add", "ramen", "x", "--priority", "4", "--store", "from").ok()
	w.run("store", "migrate", "--store", address).ok()
	e, err := pg.Open(address, pg.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	err = e.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("\x00copy"), []byte("another copy")) })
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"memo add z z --priority 1", "memo list", "export memos --to -", "store info", "store verify",
		"store backup unfinished.backup", "doctor", "doctor --repair",
	} {
		a := w.run(append(strings.Fields(line), "--store", address)...)
		if a.code != 4 || !strings.Contains(a.out, "A copy into the store has not finished: ") ||
			!strings.Contains(a.out, "techo store copy FROM ") {
			t.Errorf("%s: exit %d, %s", line, a.code, a.out)
		}
	}
	a := w.run("store", "copy", address, "x", "--lang", "ja")
	if a.code != 4 || !strings.Contains(a.out, `"message":"ストアへのコピーが完了していません: `) {
		t.Errorf("exit %d, %s", a.code, a.out)
	}
	w.run("store", "copy", "from", address).ok()
	w.run("store", "verify", "--store", address).ok()
	w.run("memo", "get", "ramen", "--store", address).ok()
}

// TestDatabaseInfo: store info names the namespace of a database, and leaves out what only a
// folder has.
func TestDatabaseInfo(t *testing.T) {
	w, address := newWorld(t), testenv.Database(t)
	w.env["TECHO_STORE"] = address
	w.run("store", "migrate").ok()
	info := w.run("store", "info").ok()
	if name, ok := info["namespace"].(string); !ok || !strings.Contains(address, "namespace="+name) ||
		info["format"] == 0.0 || info["bytes"] == nil {
		t.Error(info)
	}
	for _, field := range []string{"files", "tables", "table_bytes", "journal_bytes", "journal_writes", "merges"} {
		if value, ok := info[field]; ok {
			t.Errorf("%s: %v", field, value)
		}
	}
	text := w.run("store", "info", "-o", "text").text()
	if !strings.Contains(text, "namespace: ") || strings.Contains(text, "journal") || strings.Contains(text, "tables") {
		t.Error(text)
	}
	w.env["TECHO_STORE"] = ""
	for _, field := range []string{"files", "tables", "table_bytes", "journal_bytes", "journal_writes", "merges"} {
		if _, ok := w.run("store", "info").ok()[field].(float64); !ok {
			t.Errorf("%s is missing in a folder", field)
		}
	}
}
