package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"techo/internal/testenv"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// teamPlace is how docs/team.md writes the address of a store in the database.
var teamPlace = regexp.MustCompile(`postgres://techo@db\.example\.com/techo(?:\?namespace=(\w+))?`)

// teamBlocks returns the commands in a section of docs/team.md, for the database of the test.
func teamBlocks(t *testing.T, section, address string) []string {
	t.Helper()
	_, rest, found := strings.Cut(readPage(t, "docs/team.md"), "\n## "+section+"\n")
	if !found {
		t.Fatalf("docs/team.md has no section %s", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var blocks []string
	for _, m := range shellBlock.FindAllStringSubmatch(rest, -1) {
		blocks = append(blocks, teamPlace.ReplaceAllStringFunc(m[1], func(place string) string {
			return inNamespace(t, address, teamPlace.FindStringSubmatch(place)[1])
		}))
	}
	return blocks
}

// inNamespace returns the address of another store beside the one at an address.
func inNamespace(t *testing.T, address, name string) string {
	t.Helper()
	if name == "" {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("namespace", q.Get("namespace")+"-"+name)
	u.RawQuery = q.Encode()
	return u.String()
}

// TestTeamCommands runs the commands of docs/team.md for shared spaces, copies and the nightly
// backup as they are written, the last ones on two nights. A store that cannot be verified is
// not backed up.
func TestTeamCommands(t *testing.T) {
	address, home := testenv.MigratedDatabase(t, migrate), t.TempDir()
	run := func(line string) string {
		return shell(t, home, "set -e\nexport TECHO_STORE='"+address+"'\n"+line)
	}
	run("techo memo add ramen 'Tanaka likes ramen' --priority 3 --user bob")
	spaces := teamBlocks(t, "Shared spaces", address)
	if len(spaces) != 1 {
		t.Fatalf("%d blocks about shared spaces", len(spaces))
	}
	created := run("techo cal create Review 'tomorrow 14:00' --user bob")
	event := regexp.MustCompile(`"event_id":"(\w+)"`).FindStringSubmatch(created)
	if event == nil {
		t.Fatal(created)
	}
	out := run("EVENT_ID=" + event[1] + "\n" + spaces[0])
	if !strings.Contains(out, `"calendar":"meetings","space":"team"`) {
		t.Errorf("shared spaces: %s", out)
	}

	run("unset TECHO_STORE; techo memo add local 'In a folder' --priority 3")
	blocks := teamBlocks(t, "Backup, and copies between engines", address)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks about backups", len(blocks))
	}
	run(blocks[0])
	run("techo store backup techo.backup")
	run(blocks[1])
	for range 2 {
		run(blocks[2])
	}
	nightly := filepath.Join(home, "nightly")
	if err := os.WriteFile(nightly, []byte(blocks[2]), 0o600); err != nil {
		t.Fatal(err)
	}
	run("cp -r .local/share/techo broken && echo damage > broken/journal && mkdir night && cd night")
	if out := run("cd night; ! TECHO_STORE=../broken sh ../nightly; ls"); strings.Contains(out, ".backup") {
		t.Errorf("a damaged store was backed up: %s", out)
	}
}
