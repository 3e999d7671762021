// Package office extracts the text of documents of word processors, spreadsheets, slides and
// books: docx, xlsx, pptx and EPUB, which are archives of XML, and of web pages that a browser
// saved in one file (MHTML).
package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of a document, against archives that unpack to much more than they are.
const (
	maxParts   = 10_000   // files in the archive
	maxPart    = 64 << 20 // bytes of a file that is read
	maxWhole   = 128 << 20
	maxText    = 5 << 20
	maxDepth   = 200
	maxNodes   = 2_000_000 // elements of XML
	maxColumns = 16_384
)

// Errors of documents.
var (
	ErrLarge   = errors.New("office: unpacks to too much")
	ErrDamaged = errors.New("office: malformed")
	ErrLocked  = errors.New("office: encrypted")
)

// Kinds of documents.
const (
	Word  = "docx"
	Sheet = "xlsx"
	Show  = "pptx"
	Book  = "epub"
	Saved = "mhtml"
)

// Document is the text of a document.
type Document struct {
	Kind   string
	Title  string
	Text   string // Markdown headings, and tabs between the cells of a row; "" for HTML
	HTML   []string
	URL    string // of the page that was saved
	Images int    // left out
	Cut    bool   // the text is longer than what is kept
}

// KindOf returns the kind of a document by its first bytes, or "". An archive needs all of them.
func KindOf(body []byte) string {
	if bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		if err != nil || len(r.File) > maxParts {
			return ""
		}
		for _, f := range r.File {
			switch f.Name {
			case "word/document.xml":
				return Word
			case "xl/workbook.xml":
				return Sheet
			case "ppt/presentation.xml":
				return Show
			case "META-INF/container.xml":
				return Book
			}
		}
		return ""
	}
	if isSaved(body) {
		return Saved
	}
	return ""
}

// Read returns the text of a document.
func Read(body []byte) (*Document, error) {
	kind := KindOf(body)
	if kind == Saved {
		return readSaved(body)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || kind == "" {
		return nil, ErrDamaged
	}
	a := &archive{files: map[string]*zip.File{}, d: &Document{Kind: kind}}
	for _, f := range z.File {
		a.files[path.Clean(strings.TrimPrefix(f.Name, "/"))] = f
		if strings.HasPrefix(f.Name, "word/media/") || strings.HasPrefix(f.Name, "ppt/media/") ||
			strings.HasPrefix(f.Name, "xl/media/") {
			a.d.Images++
		}
	}
	switch kind {
	case Word:
		err = a.word()
	case Sheet:
		err = a.sheets()
	case Show:
		err = a.slides()
	case Book:
		err = a.book()
	}
	if err != nil {
		return nil, err
	}
	if core, err := a.tree("docProps/core.xml"); err == nil {
		a.d.Title = strings.Join(strings.Fields(core.find("title").text()), " ")
	}
	a.d.Text = strings.TrimSpace(a.out.String())
	return a.d, nil
}

// archive is a document of XML files.
type archive struct {
	files map[string]*zip.File
	read  int // bytes
	nodes int
	d     *Document
	out   strings.Builder
}

func (a *archive) open(name string) ([]byte, error) {
	f := a.files[path.Clean(strings.TrimPrefix(name, "/"))]
	if f == nil {
		return nil, fmt.Errorf("%w: no %s", ErrDamaged, name)
	}
	if f.Flags&1 != 0 {
		return nil, ErrLocked
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer r.Close()
	limit := min(maxPart, maxWhole-a.read)
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) > limit {
		return nil, ErrLarge
	}
	a.read += len(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return body, nil
}

// node is an element of XML, or a text.
type node struct {
	name string // without its namespace; "" is a text
	attr map[string]string
	data string
	kids []*node
}

func (a *archive) tree(name string) (*node, error) {
	body, err := a.open(name)
	if err != nil {
		return nil, err
	}
	root := &node{}
	stack := []*node{root}
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		top := stack[len(stack)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(stack) > maxDepth {
				return nil, fmt.Errorf("%w: too deep", ErrDamaged)
			}
			if a.nodes++; a.nodes > maxNodes {
				return nil, ErrLarge
			}
			n := &node{name: t.Name.Local}
			if len(t.Attr) > 0 {
				n.attr = make(map[string]string, len(t.Attr))
			}
			for _, at := range t.Attr {
				key := at.Name.Local
				if key == "id" && strings.HasSuffix(at.Name.Space, "relationships") {
					key = "r:id"
				}
				n.attr[key] = at.Value
			}
			top.kids = append(top.kids, n)
			stack = append(stack, n)
		case xml.EndElement:
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			top.kids = append(top.kids, &node{data: string(t)})
		}
	}
}

// find returns the first element with a name in a node, or an empty one.
func (n *node) find(name string) *node {
	if found := n.all(name, 1); len(found) > 0 {
		return found[0]
	}
	return &node{}
}

// all returns the elements with a name in a node, at most limit of them; 0 is no limit.
func (n *node) all(name string, limit int) (found []*node) {
	for _, k := range n.kids {
		if limit > 0 && len(found) >= limit {
			break
		}
		if k.name == name {
			found = append(found, k)
			continue
		}
		found = append(found, k.all(name, limit)...)
	}
	return found
}

func (n *node) text() string {
	if n.name == "" && n.kids == nil {
		return n.data
	}
	var b strings.Builder
	for _, k := range n.kids {
		b.WriteString(k.text())
	}
	return b.String()
}

func (a *archive) write(text, after string) {
	if a.out.Len() > maxText {
		a.d.Cut = true
		return
	}
	a.out.WriteString(text + after)
}

// related returns the files that another one refers to, by their ids.
func (a *archive) related(name string) map[string]string {
	all := map[string]string{}
	rels, err := a.tree(path.Join(path.Dir(name), "_rels", path.Base(name)+".rels"))
	if err != nil {
		return all
	}
	for _, r := range rels.all("Relationship", 0) {
		to := r.attr["Target"]
		if !strings.HasPrefix(to, "/") && r.attr["TargetMode"] != "External" {
			to = path.Join(path.Dir(name), to)
		}
		all[r.attr["Id"]] = strings.TrimPrefix(to, "/")
	}
	return all
}

// word writes a document of a word processor, with its notes at the end.
func (a *archive) word() error {
	doc, err := a.tree("word/document.xml")
	if err != nil {
		return err
	}
	levels, lists := map[string]int{}, map[string]bool{}
	if styles, err := a.tree("word/styles.xml"); err == nil {
		for _, s := range styles.all("style", 0) {
			if level := levelOf(s.find("name").attr["val"]); level > 0 {
				levels[s.attr["styleId"]] = level
			}
			lists[s.attr["styleId"]] = strings.HasPrefix(strings.ToLower(s.find("name").attr["val"]), "list ")
		}
	}
	a.blocks(doc.find("body"), levels, lists)
	for _, kind := range []string{"footnote", "endnote"} {
		notes, err := a.tree("word/" + kind + "s.xml")
		if err != nil {
			continue
		}
		for _, n := range notes.all(kind, 0) {
			if text := strings.TrimSpace(paragraph(n)); text != "" && n.attr["type"] == "" {
				a.write("["+n.attr["id"]+"] "+text, "\n")
			}
		}
	}
	return nil
}

// levelOf returns the level of a heading by the name of its style, or 0.
func levelOf(style string) int {
	style = strings.ToLower(style)
	if style == "title" {
		return 1
	}
	for _, name := range []string{"heading ", "heading", "見出し "} {
		if rest, ok := strings.CutPrefix(style, name); ok && len(rest) == 1 && rest[0] >= '1' && rest[0] <= '6' {
			return int(rest[0] - '0')
		}
	}
	return 0
}

func (a *archive) blocks(n *node, levels map[string]int, lists map[string]bool) {
	for _, k := range n.kids {
		switch k.name {
		case "p":
			text := strings.TrimRight(paragraph(k), " \n")
			if text == "" {
				continue
			}
			properties := k.child("pPr")
			style := properties.find("pStyle").attr["val"]
			level := levels[style]
			if level == 0 {
				level = levelOf(style)
			}
			switch {
			case level > 0:
				text = strings.Repeat("#", level) + " " + text
			case properties.child("numPr").name != "", lists[style]:
				text = "- " + text
			}
			a.write(text, "\n\n")
		case "tbl":
			a.table(k.all("tr", 0))
		case "del", "moveFrom", "":
		default:
			a.blocks(k, levels, lists) // such as sdt
		}
	}
}

// table writes the rows of a table, with tabs between their cells.
func (a *archive) table(rows []*node) {
	for _, row := range rows {
		var cells []string
		for _, cell := range row.children("tc") {
			cells = append(cells, strings.Join(strings.Fields(paragraph(cell)), " "))
		}
		a.write(strings.Join(cells, "\t"), "\n")
	}
	a.write("", "\n")
}

func (n *node) child(name string) *node {
	if all := n.children(name); len(all) > 0 {
		return all[0]
	}
	return &node{}
}

func (n *node) children(name string) (all []*node) {
	for _, k := range n.kids {
		if k.name == name {
			all = append(all, k)
		}
	}
	return all
}

// paragraph returns the text of a paragraph of a word processor or a slide. Deleted text is
// none, nor is what only other programs show.
func paragraph(n *node) string {
	var b strings.Builder
	var walk func(n *node)
	walk = func(n *node) {
		for _, k := range n.kids {
			switch k.name {
			case "t":
				b.WriteString(k.text())
			case "tab":
				b.WriteByte('\t')
			case "br", "cr":
				b.WriteByte('\n')
			case "noBreakHyphen":
				b.WriteByte('-')
			case "footnoteReference", "endnoteReference":
				b.WriteString("[" + k.attr["id"] + "]")
			case "del", "moveFrom", "delText", "instrText", "Fallback", "pPr", "rPr", "":
			case "p":
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				walk(k)
			default:
				walk(k)
			}
		}
	}
	walk(n)
	return b.String()
}

// slides writes the slides of a show in its order, with their notes.
func (a *archive) slides() error {
	show, err := a.tree("ppt/presentation.xml")
	if err != nil {
		return err
	}
	files := a.related("ppt/presentation.xml")
	for i, s := range show.find("sldIdLst").children("sldId") {
		name := files[s.attr["r:id"]]
		slide, err := a.tree(name)
		if errors.Is(err, ErrLarge) {
			return err
		} else if err != nil {
			a.d.Cut = true
			continue
		}
		if slide.child("sld").attr["show"] == "0" {
			continue // hidden in the show
		}
		a.write(fmt.Sprintf("## Slide %d", i+1), "\n\n")
		a.shapes(slide)
		for _, to := range a.related(name) {
			if !strings.Contains(to, "notesSlide") {
				continue
			}
			notes, err := a.tree(to)
			if err != nil {
				continue
			}
			var lines []string
			for _, shape := range notes.all("sp", 0) {
				if kind := shape.find("ph").attr["type"]; kind == "body" {
					lines = append(lines, strings.TrimSpace(paragraph(shape)))
				}
			}
			if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
				a.write("Notes: "+text, "\n\n")
			}
		}
	}
	return nil
}

// shapes writes the texts and tables of a slide.
func (a *archive) shapes(n *node) {
	for _, k := range n.kids {
		switch k.name {
		case "sp":
			text := strings.TrimSpace(paragraph(k))
			kind := k.find("ph").attr["type"]
			switch {
			case text == "", kind == "sldNum", kind == "dt", kind == "ftr":
			case kind == "title", kind == "ctrTitle":
				a.write("### "+strings.Join(strings.Fields(text), " "), "\n\n")
			default:
				a.write(text, "\n\n")
			}
		case "tbl":
			a.table(k.children("tr"))
		case "Fallback":
		default:
			a.shapes(k)
		}
	}
}

// book writes the chapters of a book, as HTML.
func (a *archive) book() error {
	container, err := a.tree("META-INF/container.xml")
	if err != nil {
		return err
	}
	at := container.find("rootfile").attr["full-path"]
	pack, err := a.tree(at)
	if err != nil {
		return err
	}
	a.d.Title = strings.Join(strings.Fields(pack.find("title").text()), " ")
	files := map[string]string{}
	for _, item := range pack.find("manifest").children("item") {
		kind := item.attr["media-type"]
		if strings.HasPrefix(kind, "image/") {
			a.d.Images++
		}
		if strings.Contains(kind, "html") {
			files[item.attr["id"]] = path.Join(path.Dir(at), item.attr["href"])
		}
	}
	size := 0
	for _, ref := range pack.find("spine").children("itemref") {
		name := files[ref.attr["idref"]]
		if name == "" {
			continue
		}
		body, err := a.open(name)
		switch {
		case errors.Is(err, ErrLarge), errors.Is(err, ErrLocked):
			return err
		case err != nil, size > maxText:
			a.d.Cut = true
			continue
		}
		size += len(body)
		a.d.HTML = append(a.d.HTML, string(body))
	}
	return nil
}

// sheets writes the sheets of a workbook in their order.
func (a *archive) sheets() error {
	book, err := a.tree("xl/workbook.xml")
	if err != nil {
		return err
	}
	shared, err := a.sharedStrings()
	if err != nil {
		return err
	}
	dates := a.dateStyles()
	epoch := book.find("workbookPr").attr["date1904"]
	files := a.related("xl/workbook.xml")
	for _, s := range book.find("sheets").children("sheet") {
		if state := s.attr["state"]; state == "veryHidden" {
			continue
		}
		sheet, err := a.tree(files[s.attr["r:id"]])
		if errors.Is(err, ErrLarge) {
			return err
		} else if err != nil {
			a.d.Cut = true
			continue
		}
		a.write("## "+s.attr["name"], "\n\n")
		for _, row := range sheet.find("sheetData").children("row") {
			var cells []string
			for _, c := range row.children("c") {
				column := columnOf(c.attr["r"], len(cells))
				for len(cells) < column && len(cells) < maxColumns {
					cells = append(cells, "")
				}
				cells = append(cells, cellText(c, shared, dates, epoch == "1" || epoch == "true"))
			}
			if line := strings.TrimRight(strings.Join(cells, "\t"), "\t"); line != "" {
				a.write(line, "\n")
			}
		}
		a.write("", "\n")
	}
	return nil
}

// sharedStrings returns the texts that the cells of a workbook refer to.
func (a *archive) sharedStrings() (all []string, err error) {
	if a.files["xl/sharedStrings.xml"] == nil {
		return nil, nil
	}
	table, err := a.tree("xl/sharedStrings.xml")
	if err != nil {
		return nil, err
	}
	for _, s := range table.find("sst").children("si") {
		text := ""
		for _, t := range s.kids {
			switch t.name {
			case "t":
				text += t.text()
			case "r":
				text += t.child("t").text()
			}
		}
		all = append(all, text)
	}
	return all, nil
}

// columnOf returns the column of a cell such as C7, from 0, or next if it names none.
func columnOf(ref string, next int) int {
	n := 0
	for _, r := range ref {
		if r < 'A' || r > 'Z' {
			break
		}
		n = n*26 + int(r-'A') + 1
		if n > maxColumns {
			return next
		}
	}
	if n == 0 {
		return next
	}
	return max(n-1, next)
}

// dateStyles returns which formats of cells are dates.
func (a *archive) dateStyles() map[string]bool {
	styles, err := a.tree("xl/styles.xml")
	if err != nil {
		return nil
	}
	own := map[string]bool{}
	for _, f := range styles.find("numFmts").children("numFmt") {
		code := strings.ToLower(f.attr["formatCode"])
		code = strings.NewReplacer("[red]", "", "general", "").Replace(code)
		own[f.attr["numFmtId"]] = strings.ContainsAny(code, "yd") && !strings.Contains(code, "0.0")
	}
	all := map[string]bool{}
	for i, x := range styles.find("cellXfs").children("xf") {
		id := x.attr["numFmtId"]
		if own[id] || slices.Contains([]string{"14", "15", "16", "17", "22", "27", "30", "31", "36", "50", "57"}, id) {
			all[fmt.Sprint(i)] = true
		}
	}
	return all
}

// cellText returns what a cell of a sheet shows: the result of its formula, a text, or a date.
func cellText(c *node, shared []string, dates map[string]bool, from1904 bool) string {
	value := c.child("v").text()
	if formula := c.child("f").text(); value == "" && formula != "" && c.attr["t"] != "str" {
		return "=" + formula // its writer did not compute it
	}
	switch c.attr["t"] {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i >= 0 && i < len(shared) {
			value = shared[i]
		}
	case "inlineStr":
		value = c.child("is").text()
	case "b":
		value = map[string]string{"1": "TRUE", "0": "FALSE"}[value]
	case "", "n":
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			if dates[c.attr["s"]] {
				return dateOf(n, from1904)
			}
			if n == math.Trunc(n) && math.Abs(n) < 1e15 {
				return strconv.FormatFloat(n, 'f', -1, 64)
			}
			if short := strconv.FormatFloat(n, 'g', 15, 64); !strings.Contains(short, "e") {
				return short // 0.1+0.2 is shown as .3
			}
		}
	}
	return strings.Join(strings.Fields(value), " ")
}

// dateOf returns the date of a number of days since 1900 or 1904, with its time if it has one.
func dateOf(days float64, from1904 bool) string {
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC) // 1900 counts as a leap year
	if from1904 {
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if days < 0 || days > 3_000_000 {
		return strconv.FormatFloat(days, 'f', -1, 64)
	}
	at := begin.Add(time.Duration(math.Round(days*86400)) * time.Second)
	switch {
	case days < 1:
		return at.Format("15:04")
	case at.Equal(at.Truncate(24 * time.Hour)):
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04")
}
