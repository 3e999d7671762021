package search

import (
	"maps"
	"slices"
	"strings"

	"techo/internal/nearest"
	"techo/tools"
)

// fileTypeTable lists the file types of searches: a name, a colon, and glob
// patterns for file names.
const fileTypeTable = `
asm: *.asm *.s *.S
astro: *.astro
bat: *.bat *.cmd
bazel: *.bazel *.bzl BUILD WORKSPACE
c: *.c *.h *.H *.cats
clojure: *.clj *.cljc *.cljs *.cljx *.edn
cmake: *.cmake CMakeLists.txt
config: *.cfg *.conf *.config *.ini
cpp: *.cpp *.cc *.cxx *.C *.hpp *.hh *.hxx *.h *.inl
cs: *.cs
css: *.css *.scss *.sass *.less
csv: *.csv *.tsv
cuda: *.cu *.cuh
dart: *.dart
diff: *.patch *.diff
docker: Dockerfile* *.dockerfile
elixir: *.ex *.exs *.eex *.heex *.leex
elm: *.elm
erlang: *.erl *.hrl
fortran: *.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95
fsharp: *.fs *.fsi *.fsx
go: *.go
gradle: *.gradle *.gradle.kts
graphql: *.graphql *.graphqls
groovy: *.groovy
haskell: *.hs *.lhs
hcl: *.hcl *.tf *.tfvars
html: *.html *.htm *.ejs
java: *.java *.jsp
js: *.js *.jsx *.mjs *.cjs *.vue
json: *.json *.jsonl *.jsonc
julia: *.jl
kotlin: *.kt *.kts
lisp: *.el *.lisp *.lsp *.scm *.rkt
lock: *.lock package-lock.json pnpm-lock.yaml go.sum
log: *.log
lua: *.lua
make: Makefile makefile GNUmakefile *.mk *.mak Kbuild
markdown: *.md *.markdown *.mdx *.mkd
nix: *.nix
objc: *.m *.mm *.h
ocaml: *.ml *.mli *.mll *.mly
perl: *.pl *.pm *.t *.plx
php: *.php *.phtml
proto: *.proto
ps: *.ps1 *.psm1 *.psd1
py: *.py *.pyi *.pyx *.pxd
r: *.r *.R *.Rmd
rst: *.rst
ruby: *.rb *.erb *.gemspec *.rake Gemfile Rakefile
rust: *.rs
scala: *.scala *.sbt
sh: *.sh *.bash *.zsh *.fish *.ksh .bashrc .zshrc .profile
sql: *.sql
svelte: *.svelte *.svelte.ts
swift: *.swift
tex: *.tex *.bib *.cls *.sty
toml: *.toml
ts: *.ts *.tsx *.mts *.cts
txt: *.txt
vim: *.vim .vimrc
vue: *.vue
xml: *.xml *.xsd *.xsl *.xslt *.svg
yaml: *.yaml *.yml
zig: *.zig
`

// fileTypeAliases maps other names that agents use for types to the names in the
// table.
const fileTypeAliases = "javascript=js typescript=ts python=py golang=go shell=sh bash=sh rb=ruby rs=rust " +
	"md=markdown " +
	"yml=yaml kt=kotlin csharp=cs c++=cpp cxx=cpp htm=html dockerfile=docker makefile=make tf=hcl terraform=hcl " +
	"powershell=ps text=txt protobuf=proto jsx=js tsx=ts"

func fileTypes() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(fileTypeTable)) {
		name, patterns, _ := strings.Cut(line, ":")
		all[name] = strings.Fields(patterns)
	}
	for alias := range strings.FieldsSeq(fileTypeAliases) {
		name, of, _ := strings.Cut(alias, "=")
		all[name] = all[of]
	}
	return all
}

// typeProblem describes an unknown type and suggests a similar one.
func typeProblem(env *tools.Env, kind string) tools.Detail {
	names := slices.Sorted(maps.Keys(fileTypes()))
	d := tools.Detail{Path: "/type", Message: env.Localize("is not a known file type: %q", kind)}
	if d.Hint = env.DidYouMean(nearest.Of(kind, names)); d.Hint == "" {
		d.Hint = env.Hint("One of: %s; or use include, e.g. *.ext", strings.Join(names, ", "))
	}
	return d
}
