package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// manifests makes what package managers read: they name the archives of the release and
// their checksums. They are made only when the archives of all systems exist.
func (r release) manifests() error {
	sums := map[target]string{}
	for _, t := range targets {
		content, err := os.ReadFile(filepath.Join(r.out, r.archive(t)))
		if os.IsNotExist(err) {
			return r.registry()
		} else if err != nil {
			return err
		}
		sums[t] = sum(content)
	}
	if err := r.formula(sums); err != nil {
		return err
	}
	if err := r.windows(sums); err != nil {
		return err
	}
	return r.registry()
}

// windows makes the manifests of Scoop and winget.
func (r release) windows(sums map[target]string) error {
	architecture := map[string]any{}
	installers := ""
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		t := target{"windows", arch}
		architecture[name] = map[string]string{"url": r.url + "/" + r.archive(t), "hash": sums[t],
			"extract_dir": "techo-" + r.version + "-windows-" + arch}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t := target{"windows", arch}
		installers += fmt.Sprintf("- Architecture: %s\n  InstallerUrl: %s/%s\n  InstallerSha256: %s\n  NestedInstaller"+
			"Files:\n  - RelativeFilePath: techo-%s-windows-%s\\techo.exe\n    PortableCommandAlias: techo\n",
			map[string]string{"amd64": "x64", "arm64": "arm64"}[arch], r.url, r.archive(t), sums[t], r.version, arch)
	}
	head := "PackageIdentifier: techo.techo\nPackageVersion: " + r.version + "\n"
	tail := "ManifestVersion: 1.9.0\n"
	for name, content := range map[string]string{
		"scoop/techo.json": string(document(map[string]any{"version": r.version, "description": about,
			"homepage": r.url, "license": "MIT", "architecture": architecture, "bin": "techo.exe"})),
		"winget/techo.techo.yaml": head + "DefaultLocale: en-US\nManifestType: version\n" + tail,
		"winget/techo.techo.installer.yaml": head + "InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n" +
			installers + "ManifestType: installer\n" + tail,
		"winget/techo.techo.locale.en-US.yaml": head + "PackageLocale: en-US\nPublisher: The techo authors\n" +
			"PackageName: techo\nLicense: MIT\nShortDescription: " + `"` + about + `"` + "\n" +
			"ManifestType: defaultLocale\n" + tail,
	} {
		if err := r.write(name, []byte(content)); err != nil {
			return err
		}
	}
	return nil
}

func (r release) formula(sums map[target]string) error {
	formula := "class Techo < Formula\n  desc \"Notebook and toolbox for AI agents and people\"\n" +
		"  homepage \"" + r.url +
		"\"\n  version \"" + r.version + "\"\n  license \"MIT\"\n"
	for _, system := range []string{"darwin", "linux"} {
		formula += "\n  on_" + map[string]string{"darwin": "macos", "linux": "linux"}[system] + " do\n"
		for _, arch := range []string{"amd64", "arm64"} {
			t := target{system, arch}
			formula += fmt.Sprintf("    on_%s do\n      url \"%s/%s\"\n      sha256 \"%s\"\n    end\n",
				map[string]string{"amd64": "intel", "arm64": "arm"}[arch], r.url, r.archive(t), sums[t])
		}
		formula += "  end\n"
	}
	formula += "\n  def install\n    bin.install \"techo\"\n    man1.install Dir[\"man/*.1\"]\n" +
		"    bash_completion.install \"completions/techo.bash\" => \"techo\"\n" +
		"    zsh_completion.install \"completions/techo.zsh\" => \"_techo\"\n" +
		"    fish_completion.install \"completions/techo.fish\"\n  end\n\n" +
		"  test do\n    assert_match version.to_s, shell_output(\"#{bin}/techo version\")\n  end\nend\n"
	return r.write("homebrew/techo.rb", []byte(formula))
}

func (r release) archive(t target) string {
	end := ".tar.gz"
	if t.os == "windows" {
		end = ".zip"
	}
	return "techo-" + r.version + "-" + t.os + "-" + t.arch + end
}

// registry makes server.json for the MCP registry.
func (r release) registry() error {
	stdio := map[string]string{"type": "stdio"}
	run := []any{map[string]any{"type": "positional", "value": "mcp"}}
	return r.write("server.json", document(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    r.server, "title": "techo", "description": about, "version": r.version,
		"packages": []any{
			map[string]any{"registryType": "npm", "identifier": "techo", "version": r.version, "transport": stdio,
				"packageArguments": run},
			map[string]any{"registryType": "pypi", "identifier": "techo", "version": r.version, "transport": stdio,
				"packageArguments": run},
		},
	}))
}
