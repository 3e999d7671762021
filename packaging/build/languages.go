package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// npm makes the main package, and a package with the program for each system. The main
// package names the others as optional dependencies; nothing runs at installation.
func (r release) npm() error {
	licences, err := r.licences()
	if err != nil {
		return err
	}
	systems := map[string]string{"windows": "win32"}
	arches := map[string]string{"amd64": "x64"}
	optional := map[string]string{}
	err = r.each(func(t target, program file) error {
		system, arch := cmp.Or(systems[t.os], t.os), cmp.Or(arches[t.arch], t.arch)
		name := "@techo/" + system + "-" + arch
		optional[name] = r.version
		manifest := document(map[string]any{"name": name, "version": r.version, "license": "MIT",
			"description": "The program techo for " + system + "-" + arch, "os": []string{system},
			"cpu": []string{arch}, "preferUnplugged": true})
		content, err := r.tgz(under("package",
			append([]file{program, {"package.json", manifest, false}}, licences...)))
		if err != nil {
			return err
		}
		return r.write(fmt.Sprintf("npm/techo-%s-%s-%s.tgz", system, arch, r.version), content)
	})
	if err != nil {
		return err
	}
	files, err := r.read("packaging/npm", "*.js", "*.ts", "*.md", "package.json", "bin/*")
	if err != nil {
		return err
	}
	for i, f := range files {
		if f.name != "package.json" {
			continue
		}
		var manifest map[string]any
		if err := json.Unmarshal(f.content, &manifest); err != nil {
			return err
		}
		manifest["version"], manifest["optionalDependencies"] = r.version, optional
		manifest["mcpName"] = r.server // by which the MCP registry knows the owner
		files[i].content = document(manifest)
	}
	content, err := r.tgz(under("package", append(files, licences...)))
	if err != nil {
		return err
	}
	return r.write("npm/techo-"+r.version+".tgz", content)
}

// wheelTags are the platforms of wheels. The programs are static, so any Linux has what
// they need.
var wheelTags = map[target]string{
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "macosx_11_0_x86_64",
	{"darwin", "arm64"}:  "macosx_11_0_arm64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

// wheels makes the packages for PyPI: the module, and the program as a script.
func (r release) wheels() error {
	licences, err := r.licences()
	if err != nil {
		return err
	}
	module, err := r.read("packaging/python", "techo/*.py", "techo/*.pyi", "techo/py.typed")
	if err != nil {
		return err
	}
	readme, err := r.read("packaging/python", "README.md")
	if err != nil {
		return err
	}
	return r.each(func(t target, program file) error {
		info, data := "techo-"+r.version+".dist-info", "techo-"+r.version+".data"
		wheel := "Wheel-Version: 1.0\nGenerator: techo\nRoot-Is-Purelib: false\n"
		for _, tag := range strings.Split(wheelTags[t], ".") {
			wheel += "Tag: py3-none-" + tag + "\n"
		}
		metadata := "Metadata-Version: 2.4\nName: techo\nVersion: " + r.version + "\nSummary: A notebook and toolbox " +
			"for AI agents and people\nLicense-Expression: MIT\nLicense-File: LICENSE\n" +
			"License-File: THIRD_PARTY_NOTICES\n" +
			"Requires-Python: >=3.10\nDescription-Content-Type: text/markdown\n\n" + string(readme[0].content) +
			"\n<!-- mcp-name: " + r.server + " -->\n"
		files := sorted(append(append(under(data+"/scripts", []file{program}), module...),
			under(info+"/licenses", licences)...))
		files = append(files, file{info + "/METADATA", []byte(metadata), false},
			file{info + "/WHEEL", []byte(wheel), false})
		record := ""
		for _, f := range files {
			hash := sha256.Sum256(f.content)
			record += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(hash[:]),
				len(f.content))
		}
		files = append(files, file{info + "/RECORD", []byte(record + info + "/RECORD,,\n"), false})
		content, err := r.zip(files)
		if err != nil {
			return err
		}
		return r.write(fmt.Sprintf("pypi/techo-%s-py3-none-%s.whl", r.version, wheelTags[t]), content)
	})
}
