// Build makes the packages of a release from its programs: for npm, PyPI, RPM, Homebrew,
// Scoop, winget, containers, Claude Desktop, Claude Code and the MCP registry. .ci/release
// runs it. Equal inputs give equal bytes.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type release struct {
	version  string
	source   string    // the repository
	programs string    // the folder with techo-OS-ARCH
	notices  string    // the licences of what the programs contain
	trees    string    // the folder with deb-ARCH, the files of a Debian package
	skill    string    // a file with the skill for Claude Code
	out      string    // the folder for the packages
	url      string    // where the archives of the release are
	server   string    // the name in the MCP registry
	time     time.Time // of all files
}

// target is a system with a program.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"}}

type file struct {
	name    string
	content []byte
	program bool // may be run
}

func main() {
	r := release{}
	seconds := int64(0)
	flag.StringVar(&r.version, "version", "", "the version")
	flag.StringVar(&r.source, "source", ".", "the repository")
	flag.StringVar(&r.programs, "programs", "", "the folder with the programs")
	flag.StringVar(&r.notices, "notices", "", "the file with the licences of the libraries")
	flag.StringVar(&r.trees, "trees", "", "the folder with deb-ARCH, the files of each Debian package")
	flag.StringVar(&r.skill, "skill", "", "the file with the skill for Claude Code")
	flag.StringVar(&r.out, "out", "", "the folder for the packages")
	flag.StringVar(&r.url, "url", "https://example.com/techo/releases", "where the archives will be")
	flag.StringVar(&r.server, "server", "com.example/techo", "the name in the MCP registry")
	flag.Int64Var(&seconds, "time", 0, "the time of all files, in seconds since 1970")
	flag.Parse()
	r.time = time.Unix(seconds, 0).UTC()
	if err := r.build(); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func (r release) build() error {
	for _, make := range []func() error{r.npm, r.wheels, r.images, r.rpms, r.bundles, r.plugin, r.manifests} {
		if err := make(); err != nil {
			return err
		}
	}
	return nil
}

func (r release) each(do func(t target, program file) error) error {
	for _, t := range targets {
		name := "techo"
		if t.os == "windows" {
			name = "techo.exe"
		}
		content, err := os.ReadFile(filepath.Join(r.programs,
			"techo-"+t.os+"-"+t.arch+strings.TrimPrefix(name, "techo")))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = do(t, file{name, content, true})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r release) licences() ([]file, error) {
	own, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return nil, err
	}
	others, err := os.ReadFile(r.notices)
	return []file{{"LICENSE", own, false}, {"THIRD_PARTY_NOTICES", others, false}}, err
}

// read returns the files of a folder of the repository that match one of the patterns.
func (r release) read(folder string, patterns ...string) (all []file, err error) {
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(r.source, folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(filepath.Join(r.source, folder), path)
			if err != nil {
				return nil, err
			}
			all = append(all, file{filepath.ToSlash(name), content, strings.HasPrefix(name, "bin")})
		}
	}
	return all, nil
}

func (r release) write(name string, content []byte) error {
	path := filepath.Join(r.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

func document(value any) []byte {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err) // the values consist of strings
	}
	return append(text, '\n')
}

func under(folder string, files []file) (moved []file) {
	for _, f := range files {
		f.name = folder + "/" + f.name
		moved = append(moved, f)
	}
	return moved
}

func sum(content []byte) string {
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:])
}
