package web

import "strings"

// verticalForms pairs each punctuation mark for vertical text with its normal form
// (Unicode blocks Vertical Forms and CJK Compatibility Forms).
const verticalForms = "︐，︑、︒。︓：︔；︕！︖？︗〖︘〗︙…︰‥︱—︲–︳＿" +
	"︵（︶）︷｛︸｝︹〔︺〕︻【︼】︽《︾》︿〈﹀〉﹁「﹂」﹃『﹄』﹇［﹈］"

// normalizeVertical replaces the punctuation marks of vertical text by their normal
// forms, so that the text can be searched and quoted.
func normalizeVertical(text string) string {
	// all forms begin with one of these bytes, which are rare and found fast
	if !strings.Contains(text, "\xef\xb8") && !strings.Contains(text, "\xef\xb9") {
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
