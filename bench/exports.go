package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// exports measures a folder of memories beside tar, which writes the same files.
func exports(b *bench) error {
	n := memoriesCount(100_000)
	jsonl, _, z, err := b.generate(n)
	if err != nil {
		return err
	}
	store, dir, tar, untarred := b.store("export"), filepath.Join(b.dir, "folder"), filepath.Join(b.dir, "folder.tar"), filepath.Join(b.dir, "untarred")
	export := []string{b.techo, "export", "memories", "--to-dir", dir, "--store", store, "--user", "bench"}
	if _, err := once([]string{b.techo, "import", "memories", jsonl, "--store", store, "--user", "bench"}, nil); err != nil {
		return err
	}
	first, err := once(export, nil)
	if err != nil {
		return err
	}
	if _, err := once([]string{"tar", "cf", tar, "-C", dir, "."}, nil); err != nil {
		return err
	}
	if err := os.Mkdir(untarred, 0o755); err != nil {
		return err
	}
	peer, err := once([]string{"tar", "xf", tar, "-C", untarred}, nil)
	if err != nil {
		return err
	}
	second, err := once(export, nil)
	if err != nil {
		return err
	}
	for i := range 100 {
		if err := exec.Command(b.techo, "memory", "add", fmt.Sprint(z.text(60), i), "--store", store, "--user", "bench").Run(); err != nil {
			return err
		}
	}
	third, err := once(export, nil)
	if err != nil {
		return err
	}
	row := func(name string, s sample, most string) []string {
		return []string{name, ms(s.wall), ms(s.cpu), ratio(s.wall, peer.wall), most}
	}
	table(fmt.Sprintf("Export of %d memories", n), []string{"", "wall", "CPU", "beside tar", "at most"},
		row("tar x", peer, ""), row("first run", first, "2 ×"), row("nothing changed", second, "2 s"), row("100 more", third, ""))
	return nil
}
