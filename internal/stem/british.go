package stem

import "strings"

// american returns the American spelling of a word in British spelling, and other
// words unchanged.
func american(word string) string {
	for _, p := range british {
		if rest, ok := strings.CutPrefix(word, p[0]); ok {
			return p[1] + rest
		}
	}
	return word
}

// british lists beginnings of words in British spelling with the American ones.
var british = [...][2]string{
	{"aluminium", "aluminum"}, {"analyse", "analyze"}, {"analysing", "analyzing"}, {"apologis", "apologiz"},
	{"behaviour", "behavior"}, {"cancell", "cancel"}, {"catalogue", "catalog"}, {"centre", "center"},
	{"colour", "color"}, {"cosy", "cozy"}, {"defence", "defense"}, {"favour", "favor"}, {"fibre", "fiber"},
	{"flavour", "flavor"}, {"grey", "gray"}, {"harbour", "harbor"}, {"honour", "honor"}, {"humour", "humor"},
	{"jewell", "jewel"}, {"labour", "labor"}, {"licence", "license"}, {"litre", "liter"}, {"metre", "meter"},
	{"moustache", "mustache"}, {"neighbour", "neighbor"}, {"organis", "organiz"}, {"plough", "plow"},
	{"programme", "program"}, {"pyjama", "pajama"}, {"realise", "realize"}, {"realising", "realizing"},
	{"recognis", "recogniz"}, {"rumour", "rumor"}, {"sceptic", "skeptic"}, {"theatre", "theater"},
	{"travell", "travel"}, {"tyre", "tire"}, {"vapour", "vapor"},
}
