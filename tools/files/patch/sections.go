package patch

import "strings"

func (r *patchReader) sections() error {
	for {
		line, ok := r.next()
		if !ok {
			return nil
		}
		part := &filePatch{line: r.at}
		r.at++
		line = strings.TrimLeft(line, " \t")
		switch {
		case r.formAt(r.at-1) == sectionForm, strings.TrimSpace(line) == "":
			continue
		case strings.TrimSpace(line) == endPatch:
			if err := r.nextSections(); err != nil {
				return err
			}
			continue
		case strings.HasPrefix(line, addFile):
			part.to = r.path(line[len(addFile):])
			h := hunk{at: r.at}
			for line, ok := r.next(); ok && strings.HasPrefix(line, "+"); line, ok = r.next() {
				h.lines = append(h.lines, hunkLine{op: '+', text: line[1:]})
				r.at++
			}
			part.hunks = []hunk{h}
		case strings.HasPrefix(line, deleteFile):
			part.from = r.path(line[len(deleteFile):])
		case strings.HasPrefix(line, updateFile):
			part.from = r.path(line[len(updateFile):])
			part.to = part.from
			if next, ok := r.next(); ok && strings.HasPrefix(r.header(next), moveTo) {
				part.to = r.path(r.header(next)[len(moveTo):])
				r.at++
			}
			part.moves = part.from != part.to
			if err := r.updates(part); err != nil {
				return err
			}
		default:
			return r.fault(part.line, "must begin with %s, %s or %s", strings.TrimSpace(addFile),
				strings.TrimSpace(updateFile), strings.TrimSpace(deleteFile))
		}
		if part.from == "" && part.to == "" {
			return r.fault(part.line, "has no path")
		}
		r.files = append(r.files, part)
	}
}

// nextSections skips the text up to the next patch of this form.
func (r *patchReader) nextSections() error {
	for ; r.at < len(r.lines); r.at++ {
		switch r.formAt(r.at) {
		case noForm:
			continue
		case sectionForm:
			return nil
		}
		return r.mixed()
	}
	return nil
}

func (r *patchReader) updates(part *filePatch) error {
	h := hunk{at: r.at}
	end := func() {
		if len(h.lines) > 0 {
			part.hunks = append(part.hunks, h)
		}
		h = hunk{at: r.at}
	}
	for {
		line, ok := r.next()
		header := r.header(line)
		switch {
		case !ok || strings.HasPrefix(header, "*** ") && header != endOfFile:
			end()
			if len(part.hunks) == 0 && part.from == part.to {
				return r.fault(part.line, "has no hunk")
			}
			return nil
		case header == endOfFile:
			h.atEnd = true
			end()
		case strings.HasPrefix(line, "@@"):
			if len(h.lines) > 0 {
				end()
			}
			if anchor := strings.TrimSpace(strings.Trim(strings.TrimSuffix(line, "\r"), "@")); anchor != "" {
				h.anchors = append(h.anchors, anchor)
			}
		case line == "" || line == "\r":
			h.lines = append(h.lines, hunkLine{op: ' ', text: line})
		case strings.IndexByte(" +-", line[0]) >= 0:
			h.lines = append(h.lines, hunkLine{op: line[0], text: line[1:]})
		default:
			return r.fault(r.at, "must begin with a blank, +, - or @@")
		}
		r.at++
	}
}

// header returns a line without the blanks around it if it is a header. Among the hunks of a
// file, a blank in front may also mark a line of the file: such a line is no header at first.
func (r *patchReader) header(line string) string {
	text := strings.TrimSpace(line)
	for _, begin := range []string{addFile, updateFile, deleteFile, moveTo, endPatch, endOfFile} {
		if !strings.HasPrefix(text, begin) {
			continue
		}
		if strings.HasPrefix(line, " ") && !r.blankHeaders {
			r.doubtful = true
			return line
		}
		return text
	}
	return line
}
