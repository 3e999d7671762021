package office

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
)

// isSaved reports whether a file is a page that a browser saved with its pictures.
func isSaved(body []byte) bool {
	head := bytes.ToLower(body[:min(len(body), 4096)])
	end := bytes.Index(head, []byte("\n\r\n"))
	if plain := bytes.Index(head, []byte("\n\n")); end < 0 || plain >= 0 && plain < end {
		end = plain
	}
	if end < 0 {
		end = len(head)
	}
	head = head[:end]
	return bytes.Contains(head, []byte("mime-version:")) && bytes.Contains(head, []byte("multipart/related")) &&
		(bytes.HasPrefix(head, []byte("from:")) || bytes.HasPrefix(head, []byte("mime-version:")) ||
			bytes.HasPrefix(head, []byte("subject:")) || bytes.HasPrefix(head, []byte("snapshot-content-location:")) ||
			bytes.HasPrefix(head, []byte("date:")) || bytes.HasPrefix(head, []byte("content-type:")))
}

// readSaved returns the page of a saved file. Its frames follow it.
func readSaved(body []byte) (*Document, error) {
	r := textproto.NewReader(bufio.NewReader(bytes.NewReader(body)))
	h, err := r.ReadMIMEHeader()
	if err != nil && len(h) == 0 {
		return nil, ErrDamaged
	}
	_, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil, ErrDamaged
	}
	d := &Document{Kind: Saved, URL: h.Get("Snapshot-Content-Location")}
	words := mime.WordDecoder{}
	if title, err := words.DecodeHeader(h.Get("Subject")); err == nil {
		d.Title = strings.Join(strings.Fields(title), " ")
	}
	parts := multipart.NewReader(r.R, params["boundary"])
	for n := 0; n < maxParts; n++ {
		part, err := parts.NextRawPart()
		if err != nil {
			break // the end, or what is left is cut off
		}
		kind, params, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if strings.HasPrefix(kind, "image/") {
			d.Images++
		}
		if kind != "text/html" && kind != "application/xhtml+xml" {
			continue
		}
		from := io.Reader(part)
		switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
		case "quoted-printable":
			from = quotedprintable.NewReader(part)
		case "base64":
			from = base64.NewDecoder(base64.StdEncoding, part)
		}
		page, err := io.ReadAll(io.LimitReader(from, maxPart))
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && len(page) == 0 {
			continue
		}
		if len(d.HTML) == 0 && d.URL == "" {
			d.URL = part.Header.Get("Content-Location")
		}
		if label := params["charset"]; label != "" && !bytes.Contains(bytes.ToLower(page[:min(len(page), 1024)]), []byte("charset")) {
			page = append([]byte("<meta charset="+label+">"), page...)
		}
		d.HTML = append(d.HTML, string(page))
	}
	if len(d.HTML) == 0 {
		return nil, ErrDamaged
	}
	return d, nil
}
