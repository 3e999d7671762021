//go:build unix

package main

import (
	"debug/buildinfo"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// minVersions are the versions of modules that fix known advisories.
var minVersions = map[string]string{
	"github.com/klauspost/compress": "v1.18.7", // GO-2026-5841
}

// TestNotices checks that a release contains the licences of all linked modules
// and of the standard library, and links no module with a known advisory.
func TestNotices(t *testing.T) {
	testenv.All(t, "builds the program")
	binary := filepath.Join(t.TempDir(), "techo")
	build := exec.Command("go", "build", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	notices, err := exec.Command(".ci/notices", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) < 20 {
		t.Errorf("only %d modules are linked", len(info.Deps))
	}
	for _, m := range info.Deps {
		if !strings.Contains(string(notices), "\n"+m.Path+" "+m.Version+": LICENSE") {
			t.Errorf("no licence of %s %s", m.Path, m.Version)
		}
		if least, ok := minVersions[m.Path]; ok && older(m.Version, least) {
			t.Errorf("%s %s, at least %s", m.Path, m.Version, least)
		}
	}
	for _, text := range []string{
		"Go standard library (" + runtime.Version() + "): LICENSE", ": z/LICENSE",
		"Copyright 2009 The Go Authors.", "Apache License", "Murrough Foley",
		"The page: preact.txt", "The page: dompurify.txt", "Copyright (c) 2021 Adam Shaw",
	} {
		if !strings.Contains(string(notices), text) {
			t.Errorf("the notices lack %q", text)
		}
	}
}

// older compares released versions.
func older(a, b string) bool {
	number := func(v string) (n [3]int) {
		for i, part := range strings.SplitN(strings.TrimPrefix(v, "v"), ".", 3) {
			for _, digit := range part {
				if digit < '0' || digit > '9' {
					break
				}
				n[i] = n[i]*10 + int(digit-'0')
			}
		}
		return n
	}
	x, y := number(a), number(b)
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}
