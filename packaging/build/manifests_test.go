package main

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"techo/internal/testenv"
)

// manifested makes the manifests of a release with small archives.
func manifested(t *testing.T) (r release, read func(string) string) {
	t.Helper()
	r = release{version: "1.2.3", out: t.TempDir(), url: "https://example.org/techo/1.2.3", server: "org.example/techo"}
	for _, at := range targets {
		name := strings.TrimSuffix(strings.TrimSuffix(r.archive(at), ".tar.gz"), ".zip")
		program := file{name + "/techo", []byte("#!/bin/sh\necho techo 1.2.3 " + name), true}
		files := []file{program, {name + "/man/techo.1", nil, false}, {name + "/completions/techo.bash", nil, false},
			{name + "/completions/techo.zsh", nil, false}, {name + "/completions/techo.fish", nil, false}}
		pack := r.tgz
		if at.os == "windows" {
			files[0].name += ".exe"
			pack = r.zip
		}
		content, err := pack(files)
		if err == nil {
			err = r.write(r.archive(at), content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	return r, func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// TestManifests compares the addresses and checksums in the manifests with the archives,
// and looks for the fields that the package managers require.
func TestManifests(t *testing.T) {
	r, read := manifested(t)
	for name, fields := range map[string]string{
		"homebrew/techo.rb": `^class Techo < Formula$|^  desc "|^  homepage "|^  license "|^  def install$|` +
			`^  test do$`,
		"scoop/techo.json":        `"version"|"description"|"homepage"|"license"|"bin"|"64bit"|"arm64"`,
		"winget/techo.techo.yaml": `^PackageIdentifier: techo.techo$|^DefaultLocale: en-US$|^ManifestType: version$`,
		"winget/techo.techo.installer.yaml": `^InstallerType: zip$|^NestedInstallerType: portable$|` +
			`^ManifestType: installer$`,
		"winget/techo.techo.locale.en-US.yaml": `^Publisher: .|^PackageName: .|^License: .|` +
			`^ShortDescription: .{3,256}$`,
	} {
		text := read(name)
		for _, field := range strings.Split(fields, "|") {
			if !regexp.MustCompile("(?m)" + field).MatchString(text) {
				t.Errorf("%s lacks %s:\n%s", name, field, text)
			}
		}
		if !strings.Contains(text, r.version) || strings.HasPrefix(name, "winget/") &&
			!regexp.MustCompile(`(?m)^ManifestVersion: 1\.\d+\.0$`).MatchString(text) {
			t.Errorf("%s has no version:\n%s", name, text)
		}
		for _, url := range regexp.MustCompile(r.url+`/([\w.-]+)`).FindAllStringSubmatch(text, -1) {
			hash := sum([]byte(read(url[1])))
			at := strings.Index(text, url[1]) // the checksum is beside the address
			if near := text[max(0, at-300):min(len(text), at+300)]; !strings.Contains(near, hash) {
				t.Errorf("%s: not the checksum of %s: %s", name, url[1], near)
			}
		}
	}
	for name, want := range map[string]int{"homebrew/techo.rb": 4, "scoop/techo.json": 2,
		"winget/techo.techo.installer.yaml": 2} {
		if got := strings.Count(read(name), r.url+"/techo-"); got != want {
			t.Errorf("%s: %d archives, want %d", name, got, want)
		}
	}
	var scoop struct {
		Architecture map[string]struct{ URL, Hash, ExtractDir string }
	}
	if err := json.Unmarshal([]byte(read("scoop/techo.json")), &scoop); err != nil || len(scoop.Architecture) != 2 {
		t.Errorf("%v: %v", scoop, err)
	}
}

// TestRegistry checks server.json by the schema of the MCP registry, which its module carries.
func TestRegistry(t *testing.T) {
	testenv.Download(t, "downloads the module of the MCP registry")
	r, read := manifested(t)
	c := exec.CommandContext(t.Context(), "go", "mod", "download", "-json",
		"github.com/modelcontextprotocol/registry@v1.8.9")
	c.Dir = t.TempDir() // outside this module
	out, err := c.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		testenv.Missing(t, "a module proxy is needed: "+string(out))
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "internal", "validators", "schemas", "2025-12-11.json"))
	var schema jsonschema.Schema
	if err != nil || json.Unmarshal(text, &schema) != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	valid, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(server string) error {
		var value map[string]any
		if err := json.Unmarshal([]byte(server), &value); err != nil {
			t.Fatal(err)
		}
		return valid.Validate(value)
	}
	if err := check(read("server.json")); err != nil {
		t.Error(err)
	}
	if check(strings.Replace(read("server.json"), r.server, "techo", 1)) == nil {
		t.Error("the schema allows a name without an owner")
	}
}

// TestOwned finds the name in the MCP registry in the packages, by which the registry knows
// that they have the same owner.
func TestOwned(t *testing.T) {
	r, read := manifested(t)
	r.source, r.programs, r.notices = "../..", t.TempDir(), "../../LICENSE"
	if err := os.WriteFile(filepath.Join(r.programs, "techo-linux-amd64"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, build := range []func() error{r.npm, r.wheels, r.images} {
		if err := build(); err != nil {
			t.Fatal(err)
		}
	}
	unpacked := func(name, program string, args ...string) string {
		c := exec.CommandContext(t.Context(), testenv.Tool(t, program), args...)
		c.Stdin = strings.NewReader(read(name))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return string(out)
	}
	wheel, err := zip.OpenReader(filepath.Join(r.out, "pypi", "techo-1.2.3-py3-none-"+
		wheelTags[target{"linux", "amd64"}]+".whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer wheel.Close()
	metadata, err := fs.ReadFile(wheel, "techo-1.2.3.dist-info/METADATA")
	if err != nil {
		t.Fatal(err)
	}
	main := unpacked("npm/techo-1.2.3.tgz", "tar", "-xzO", "package/package.json")
	image := unpacked("techo-image-1.2.3-amd64.tar", "tar", "-xO")
	for want, text := range map[string]string{
		`"name": "org.example/techo"`:                                read("server.json"),
		`"mcpName": "org.example/techo"`:                             main,
		"\n<!-- mcp-name: org.example/techo -->\n":                   string(metadata),
		`"io.modelcontextprotocol.server.name": "org.example/techo"`: image,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %.2000s", want, text)
		}
	}
}

// TestFormula evaluates the formula with the words of Homebrew that it uses, and installs
// the archive for this kind of system. It needs Ruby.
func TestFormula(t *testing.T) {
	ruby := testenv.Tool(t, "ruby")
	r, _ := manifested(t)
	script, err := filepath.Abs("testdata/formula.rb")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range targets[:4] {
		c := exec.CommandContext(t.Context(), ruby, script, filepath.Join(r.out, "homebrew", "techo.rb"), at.os,
			at.arch, r.out, t.TempDir())
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "installed 1.2.3") {
			t.Errorf("%v: %v\n%s", at, err, out)
		}
	}
}
