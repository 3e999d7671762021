package export

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/testenv"
	"techo/store/memory"
)

// TestUserFolders gives users folders that differ also where a file system ignores case
// or the Unicode form of names, and is the same whatever the order of the users.
func TestUserFolders(t *testing.T) {
	r := testenv.Random(t)
	users := []string{
		"", "tanaka", "Tanaka", "TANAKA", "tanaKa", "\u212aen", "Ken", "ken", "straße", "STRASSE", "strasse",
		"か\u3099", "が", "ｶﾞ", "caf\u00e9", "cafe\u0301", "CAFÉ", "cafe", "ı", "i", "I", "İ",
		"con", "CON", "com1.x", "Com1.x",
		"a.", "a", "A", ".a", "-a", "a/b", "a\\b", "a b", "a:b", "index", "INDEX", "Index", "ﬁ", "fi", "FI",
		strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("X", 100),
	}
	for _, user := range users {
		users = append(users, digestName(user), strings.ToUpper(digestName(user)))
	}
	want := userFolders(users)
	seen := map[string]string{}
	for user, name := range want {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "" || name == "" {
			t.Errorf("%q has the folder %q", user, name)
		}
		form := norm.NFKC.String(strings.ToLower(strings.TrimRight(name, ". ")))
		if other, ok := seen[form]; ok {
			t.Errorf("%q and %q have folders %q and %q", user, other, name, want[other])
		}
		seen[form] = user
	}
	r.Shuffle(len(users), func(i, j int) { users[i], users[j] = users[j], users[i] })
	for user, name := range userFolders(users) {
		if name != want[user] {
			t.Errorf("%q: %q, then %q", user, want[user], name)
		}
	}
}

// TestFormerMemory writes a memory that superseded another one, and reads all of it back.
func TestFormerMemory(t *testing.T) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	when := func(t time.Time) string { return t.Format(time.RFC3339Nano) }
	d, err := memoryDocument(memory.Memory{ID: "mem_b", Caption: "b", FullText: "b", CreatedAt: at, UpdatedAt: at,
		Supersedes: []memory.Former{{ID: "mem_a", Caption: "a", FullText: "a\nline", CreatedAt: at, Session: "chat",
			Source: "message:1", SupersededBy: "mem_b", SupersededAt: at}}}, when)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := ParseMemory(string(d.markdown()))
	want := FormerLine{"mem_a", "a", "a\nline", when(at), "chat", "message:1", "mem_b", when(at)}
	if !ok || len(got.Supersedes) != 1 || got.Supersedes[0] != want {
		t.Errorf("%v, %+v, want %+v", ok, got.Supersedes, want)
	}
}
