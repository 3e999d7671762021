package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/rpmpack"
)

// rpms makes an RPM package of each tree of files that a Debian package was made from.
func (r release) rpms() error {
	for arch, name := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		root := filepath.Join(r.trees, "deb-"+arch)
		if _, err := os.Stat(root); os.IsNotExist(err) {
			continue
		}
		if err := r.rpm(root, name); err != nil {
			return err
		}
	}
	return nil
}

func (r release) rpm(root, arch string) error {
	// A version of RPM has no hyphen; a tilde sorts before the end, as a hyphen does elsewhere.
	version := strings.ReplaceAll(r.version, "-", "~")
	p, err := rpmpack.NewRPM(rpmpack.RPMMetaData{Name: "techo", Version: version, Release: "1", Arch: arch, OS: "linux",
		Summary: about, Description: about, Licence: "MIT", Compressor: "xz", BuildTime: r.time,
		BuildHost: "localhost"})
	if err != nil {
		return err
	}
	err = filepath.WalkDir(filepath.Join(root, "usr"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root))
		name = strings.Replace(name, "/zsh/vendor-completions/", "/zsh/site-functions/", 1)
		f := rpmpack.RPMFile{Name: name, Body: content, Mode: 0o644, Owner: "root", Group: "root",
			MTime: uint32(r.time.Unix())}
		if name == "/usr/bin/techo" {
			f.Mode = 0o755
		}
		p.AddFile(f)
		return nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	return r.write("techo-"+version+"-1."+arch+".rpm", b.Bytes())
}
