package page

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// maxCompressed is the size of all files of the page in bytes, as they are sent.
const maxCompressed = 300 << 10

func eachFile(t *testing.T, fn func(name string, content []byte)) {
	t.Helper()
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name = strings.TrimSuffix(strings.TrimPrefix(name, "static/"), packed)
		content, err := content(name)
		fn(name, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSize bounds the page as a browser loads it.
func TestSize(t *testing.T) {
	total := 0
	eachFile(t, func(name string, content []byte) { total += len(compressed(name, content)) })
	t.Logf("%d bytes compressed", total)
	if total > maxCompressed {
		t.Errorf("%d bytes compressed, at most %d", total, maxCompressed)
	}
}

// TestVendored compares the libraries with the hashes that .ci/vendor-page recorded.
func TestVendored(t *testing.T) {
	data, err := os.ReadFile("vendor.json")
	if err != nil {
		t.Fatal(err)
	}
	var libraries []struct {
		Package, Version, Licence, Integrity string
		Files                                []struct{ Name, SHA256 string }
	}
	if err := json.Unmarshal(data, &libraries); err != nil {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for _, l := range libraries {
		if l.Version == "" || l.Licence == "" || !strings.HasPrefix(l.Integrity, "sha512-") {
			t.Errorf("the manifest of %s is incomplete", l.Package)
		}
		licence := "licences/" + strings.NewReplacer("@", "", "/", "").Replace(l.Package) + ".txt"
		if _, err := os.Stat(licence); err != nil {
			t.Error(err)
		}
		for _, f := range l.Files {
			hashes["vendor/"+f.Name] = f.SHA256
		}
	}
	eachFile(t, func(name string, content []byte) {
		digest := sha256.Sum256(content)
		if got := hex.EncodeToString(digest[:]); strings.HasPrefix(name, "vendor/") && got != hashes[name] {
			t.Errorf("%s has the hash %s, the manifest %q: run .ci/vendor-page", name, got, hashes[name])
		}
		delete(hashes, name)
	})
	for name := range hashes {
		t.Errorf("%s is missing", name)
	}
}

// TestOwnFiles checks the limits of the house for scripts and style sheets, and that the
// page contains nothing that its policy forbids.
func TestOwnFiles(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|` +
		`javascript:|@import|<style|\bon[a-z]+="|<script>|https?://`)
	eachFile(t, func(name string, content []byte) {
		if strings.HasPrefix(name, "vendor/") || path.Ext(name) == ".svg" {
			return
		}
		if found := forbidden.Find(content); found != nil {
			t.Errorf("%s contains %s", name, found)
		}
	})
}

// TestTexts checks that the texts of the scripts are found.
func TestTexts(t *testing.T) {
	found := map[string]bool{}
	for _, text := range Texts() {
		found[text.ID] = true
	}
	for _, id := range []string{"Waiting for you", "%d memory", "%d memories", "today %s"} {
		if !found[id] {
			t.Errorf("%q is not found", id)
		}
	}
	if found["%s"] || len(found) < 100 {
		t.Errorf("%d texts: %v", len(found), found)
	}
}
