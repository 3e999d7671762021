package page

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"regexp"
	"sync"

	"techo/locales"
)

// Text is an English text of the page and the file that uses it.
type Text struct{ ID, File string }

// Texts returns the texts in the scripts of the page, in the order of the files.
func Texts() (all []Text) {
	// The calls of the translating functions of app/texts.js, whose texts are literals in
	// double quotes: text("…"), plural(n, "…", "…").
	call := regexp.MustCompile(
		`\b(?:text\(|plural\([^",]*,)\s*("(?:[^"\\]|\\.)*")(?:\s*,\s*("(?:[^"\\]|\\.)*"))?`)
	err := fs.WalkDir(files, "static/app", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range call.FindAllSubmatch(source, -1) {
			for i, literal := range m[1:] {
				// Only plural has a second text; the other arguments of text are values.
				if len(literal) == 0 || i > 0 && m[0][0] != 'p' {
					continue
				}
				var id string
				if err := json.Unmarshal(literal, &id); err != nil {
					return err
				}
				all = append(all, Text{id, "commands/page/" + name})
			}
		}
		return nil
	})
	if err != nil {
		panic(err) // the files are embedded; a test reads all texts
	}
	return all
}

// texts returns the texts once they have been read.
var texts = sync.OnceValue(Texts)

// serveTexts answers GET /page/texts?lang=ja with the translations of the page's texts.
func serveTexts(w http.ResponseWriter, r *http.Request) {
	lang, translated := r.URL.Query().Get("lang"), map[string]string{}
	for _, t := range texts() {
		translated[t.ID] = locales.Translate(lang, t.ID)
	}
	document, err := json.Marshal(translated)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	setHeaders(w)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // the browser may have gone
}
