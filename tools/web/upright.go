package web

import "strings"

// verticalForms are punctuation marks as they look in a vertical line, each
// with the mark that it is (Unicode: Vertical Forms, CJK Compatibility Forms).
const verticalForms = "︐，︑、︒。︓：︔；︕！︖？︗〖︘〗︙…︰‥︱—︲–︳＿︵（︶）︷｛︸｝︹〔︺〕︻【︼】︽《︾》︿〈﹀〉﹁「﹂」﹃『﹄』﹇［﹈］"

// upright writes the punctuation of a page that is set vertically as that of
// any other, so that it can be searched and quoted.
func upright(text string) string {
	if strings.IndexFunc(text, isVertical) < 0 {
		return text
	}
	forms := []rune(verticalForms)
	return strings.Map(func(r rune) rune {
		if isVertical(r) {
			for i := 0; i < len(forms); i += 2 {
				if forms[i] == r {
					return forms[i+1]
				}
			}
		}
		return r
	}, text)
}

func isVertical(r rune) bool { return r >= 0xfe10 && r <= 0xfe19 || r >= 0xfe30 && r <= 0xfe48 }
