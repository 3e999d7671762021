package pdftext

// lexer knows within what a content stream is.
type lexer struct {
	within  byte // '(' a text, '<' one of hexadecimal digits, '%' a comment, 0 none of them
	depth   int  // of parentheses in a text
	escaped bool // the last byte was a backslash in a text
	begun   bool // the last byte was <
}

// read reads a byte.
func (l *lexer) read(b byte) {
	switch l.within {
	case '(':
		switch {
		case l.escaped:
			l.escaped = false
		case b == '\\':
			l.escaped = true
		case b == '(':
			l.depth++
		case b == ')':
			if l.depth--; l.depth == 0 {
				l.within = 0
			}
		}
	case '%':
		if b == '\n' || b == '\r' {
			l.within = 0
		}
	case '<':
		if b == '>' || b == '<' && l.begun { // << begins a dictionary
			l.within = 0
		}
		l.begun = false
	default:
		if b == '(' || b == '%' || b == '<' {
			l.within, l.depth, l.begun = b, 1, true
		}
	}
}
