// Package locales translates techo's English texts. Each other language is one
// gettext file in this folder, LANG.po, which translators edit with the usual
// tools. The files are embedded and parsed at the first translation, so a
// program that speaks English never reads them.
package locales

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
)

// Source is the language of the texts in the code. It has no file.
const Source = "en"

//go:embed *.po
var files embed.FS

// Translate returns the text in a language. It returns the text itself when the
// language is Source, or when the catalogue of the language has no translation.
func Translate(lang, text string) string {
	if lang == Source || text == "" {
		return text
	}
	load := catalogues()[lang]
	if load == nil {
		return text
	}
	if translated := load()[text]; translated != "" {
		return translated
	}
	return text
}

// Languages returns the names of all languages, Source first.
func Languages() []string {
	names := []string{Source}
	for name := range catalogues() {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	return names
}

// catalogues returns a loader for each embedded file. Each parses its file once.
var catalogues = sync.OnceValue(func() map[string]func() Messages {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded
	}
	loaders := map[string]func() Messages{}
	for _, e := range entries {
		lang := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		loaders[lang] = sync.OnceValue(func() Messages {
			data, err := files.ReadFile(e.Name())
			if err != nil {
				panic(err) // the file is embedded
			}
			messages, err := Parse(string(data))
			if err != nil {
				panic(e.Name() + ": " + err.Error()) // a test parses every file
			}
			return messages
		})
	}
	return loaders
})
