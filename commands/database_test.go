package commands

import (
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/pg"
)

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
