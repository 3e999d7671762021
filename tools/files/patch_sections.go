package files

import "strings"

// sections reads the parts of the format of apply_patch.
func (r *patchReader) sections() error {
	for {
		line, ok := r.next()
		if !ok || strings.TrimSpace(line) == endPatch {
			return nil
		}
		part := filePatch{line: r.at}
		r.at++
		switch {
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
			if next, ok := r.next(); ok && strings.HasPrefix(next, moveTo) {
				part.to = r.path(next[len(moveTo):])
				r.at++
			}
			if err := r.updates(&part); err != nil {
				return err
			}
		case strings.TrimSpace(line) == "":
			continue
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

// updates reads the hunks of an updated file.
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
		switch {
		case !ok || strings.HasPrefix(line, "*** ") && line != endOfFile:
			end()
			if len(part.hunks) == 0 && part.from == part.to {
				return r.fault(part.line, "has no hunk")
			}
			return nil
		case line == endOfFile:
			h.atEnd = true
			end()
		case strings.HasPrefix(line, "@@"):
			if len(h.lines) > 0 {
				end()
			}
			if anchor := strings.TrimSpace(strings.Trim(line, "@")); anchor != "" {
				h.anchors = append(h.anchors, anchor)
			}
		case line == "":
			h.lines = append(h.lines, hunkLine{op: ' '})
		case strings.IndexByte(" +-", line[0]) >= 0:
			h.lines = append(h.lines, hunkLine{op: line[0], text: line[1:]})
		default:
			return r.fault(r.at, "must begin with a blank, +, - or @@")
		}
		r.at++
	}
}
