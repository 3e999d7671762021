package search

import (
	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/document"
)

// GrepIn is the input of grep.
type GrepIn struct {
	Pattern  string   `json:"pattern" minLength:"1" doc:"Regular expression to search for" list:"bare"`
	Path     string   `json:"path" default:"." minLength:"1" doc:"Folder or file to search in" list:"bare"`
	Patterns []string `json:"patterns,omitempty" minLength:"1" doc:"More expressions; a line needs to match one"`

	Include string `json:"include,omitempty" alternatives:"true" doc:"Only files that match this glob, e.g. *.{ts,tsx}"`
	Exclude string `json:"exclude,omitempty" alternatives:"true" doc:"Skip files and folders that match this glob"`

	Limit int `json:"max_results" default:"50" minimum:"1" maximum:"1000" doc:"Maximum number of results to return" list:"bare"`

	MaxPerFile int    `json:"max_per_file,omitempty" minimum:"1" doc:"Maximum number of results from one file"`
	Cursor     string `json:"cursor,omitempty" doc:"Continue here: next_cursor of the previous result" list:"bare"`

	IgnoreCase       bool `json:"ignore_case,omitempty" doc:"Ignore case" list:"bare"`
	SmartCase        bool `json:"smart_case,omitempty" doc:"Ignore case if the pattern has no upper case"`
	FixedStrings     bool `json:"fixed_strings,omitempty" doc:"Treat the patterns as plain text" list:"bare"`
	Word             bool `json:"word,omitempty" doc:"Match whole words only" list:"bare"`
	WholeLine        bool `json:"whole_line,omitempty" doc:"Match whole lines only" list:"-"`
	ASCII            bool `json:"ascii,omitempty" doc:"Limit \\w, \\d, \\s and \\b to ASCII" list:"-"`
	Invert           bool `json:"invert,omitempty" doc:"Find the lines that do not match"`
	OnlyMatching     bool `json:"only_matching,omitempty" doc:"Return each match without the rest of its line"`
	Multiline        bool `json:"multiline,omitempty" doc:"Matches may span lines; (?s) lets a dot match line ends"`
	Context          int  `json:"context,omitempty" minimum:"0" maximum:"100" doc:"Lines before and after each match" list:"bare"`
	Before           int  `json:"before,omitempty" minimum:"0" maximum:"100" doc:"Lines before each match" list:"bare"`
	After            int  `json:"after,omitempty" minimum:"0" maximum:"100" doc:"Lines after each match" list:"bare"`
	FilesWithMatches bool `json:"files_with_matches,omitempty" doc:"Return only the paths of files with matches"`
	FilesWithout     bool `json:"files_without_match,omitempty" doc:"Return only the paths of files without a match" list:"-"`
	Count            bool `json:"count,omitempty" doc:"Return only the number of matching lines of each file"`
	Hidden           bool `json:"hidden,omitempty" doc:"Include hidden files and folders" list:"bare"`
	NoIgnore         bool `json:"no_ignore,omitempty" doc:"Also search files that .gitignore and .ignore exclude"`

	Encoding searchEncoding `json:"encoding,omitempty" doc:"Encoding of files other than UTF-8 and UTF-16" list:"-"`
	Type     string         `json:"type,omitempty" doc:"Only files of this type, e.g. go, py, js, ts or md; or go,py"`
}

// GrepOut is the result of grep.
type GrepOut struct {
	Matches    []Match           `json:"matches" compact:"keep"`
	Paths      []string          `json:"paths,omitzero" compact:"keep"`
	Counts     []FileCount       `json:"counts,omitzero" compact:"keep"`
	Count      int               `json:"count"`
	Files      int               `json:"files"`
	Truncated  bool              `json:"truncated"`
	NextCursor string            `json:"next_cursor"`
	TimedOut   bool              `json:"timed_out"`
	Skipped    Skipped           `json:"skipped"`
	AlsoIn     map[string]AlsoIn `json:"also_in"`
	Message    string            `json:"message"`

	notes          []string // why nothing was searched, and what else was not
	summary, hint  string   // the message, and the part about notes and also_in
	unread         bool     // input waits on stdin, which was not searched
	limitedPerFile int      // the per-file limit, if a file has more matches; else 0
}

// Match is a matching line, or in multiline mode the lines of one match.
type Match struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Column  int      `json:"column"` // in characters, from 1
	Text    string   `json:"text"`
	Before  []string `json:"before"`
	After   []string `json:"after"`
	Clipped bool     `json:"clipped,omitempty"` // the text is part of a longer line
	Lossy   bool     `json:"lossy,omitempty"`   // invalid UTF-8 was replaced

	// Normalized is set if the file has the text in another Unicode form (NFC or NFD)
	// than the pattern.
	Normalized bool `json:"normalized,omitempty"`
}

// FileCount is the number of matching lines in a file.
type FileCount struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

// Outcome makes a partial result end like a timeout.
func (o GrepOut) Outcome() tools.Code {
	if o.TimedOut {
		return tools.Timeout
	}
	return ""
}

func (in GrepIn) expressions() []string { return append([]string{in.Pattern}, in.Patterns...) }

// searchEncoding is the encoding option of grep, which always recognizes UTF-8 and
// UTF-16.
type searchEncoding string

// autoEncoding detects the encoding of each file.
const autoEncoding searchEncoding = "auto"

// Enum lists the supported encodings.
func (searchEncoding) Enum() []string {
	return append([]string{string(autoEncoding)}, document.LegacyEncodings()...)
}

// Label returns the encoding that another name means, such as latin1.
func (searchEncoding) Label(text string) string { return charset.Label(text) }
