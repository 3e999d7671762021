package claims

import (
	"regexp"
	"strings"
	"sync"

	"techo/internal/stem"
)

// stems returns the set of the stems of some words.
func stems(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			all[w], all[stem.Of(w)] = true, true
		}
		return all
	})
}

var (
	// verbs end the subject of a sentence. Verbs that are nouns as often, such as
	// name and park, are left out.
	verbs = stems(severalVerbs + singleVerbs + changeVerbs + endVerbs + `take takes drink eat write grow say speak
		keep store log run runs send get gets give put set find call tell show take ride drive walk fly turn study
		teach learn avoid suffer need require accept allow forbid host deploy build maintain review handle listen
		celebrate happen occur file lead manage rent graduate finish contain belong hear sing paint dance cook swim
		reach open close begin wear return commit indent join expire weigh tutor serve pay collect support describe
		attend treat order help work sleep wake answer homeoffice release ship publish
		mean feel think believe hope want deliver shut last apply ask fit visit contain repeat hold attend`)

	changing = stems(changeVerbs)
	ending   = stems(endVerbs)
	single   = stems(singleVerbs)
	several  = stems(severalVerbs)
)

const (
	changeVerbs = ` move switch change replace migrate relocate convert upgrade downgrade postpone delay extend
		reschedule raise reduce increase decrease lower transfer rename swap shift become promote relicense adjust
		hand shorten bring push update trade inherit port rewrit relocat
		slip cut rebook reassign rewritten rewrote rebuilt rose risen fell fallen `
	endVerbs = ` quit stop leave resign retire sell cancel die abandon drop remove delete end lose divorce revoke
		discontinue deprecate `

	// singleVerbs have one value at a time.
	singleVerbs = ` live work cost start begin end weigh stay expire arrive close open move marry report
		belong run drive turn stand sit reside commute sleep wake study deploy host store build write keep join
		listen list meet take pay set collect depart leave lead set manage reach earn handle indent `

	// severalVerbs may have several.
	severalVerbs = ` prefer like love enjoy hate dislike have own buy visit eat meet know speak read watch play see use
		want need try make go get drink bring learn say tell teach mention talk think help order wear forget `

	prepositions = " in on at by for from to with of near until since before after under behind within about through " +
		"during into between without over per as than via against "

	skipped = ` a an the and or but so that this these those there here it its it's he she they them him her his
		their i me my mine we us our you your yours who which what when where is are was were be been being am has
		have had do does did will would can could shall should may might must 's please just also too either very
		really quite only own both all any some each every one's himself herself itself themselves myself  up out
		if because while then not no never nor day-to-day get gets got let us let's
		dr mr mrs ms prof called named currently already
		still always anymore longer more now nowadays again instead recently lately finally new place takes taken
		main mainly usually normally generally rather much many most day time it'll he's she's they're we're i'm i've
		we've using used use uses last way well good per there's make makes made like's `

	articles = " a an the my our your his her their its every each "

	auxiliaries = ` is are was were be been am has have had do does did will would can could shall should may might
		must isn't there's `

	pasts = " found went brought took came met said told wrote bought ate made saw got gave ran won lost read " +
		"sang swam rode spoke drank fell held paid sent spent taught thought "

	imperatives = ` always never please don't do let `
)

var numberWords = sync.OnceValue(func() map[string]string {
	return map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
		"seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15",
		"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "noon": "12",
		"midnight": "0", "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "once": "1",
		"twice": "2", "half": "0.5"}
})

const (
	weekdayNames = " mon tue tues wed thu thur thurs fri sat sun " +
		"monday tuesday wednesday thursday friday saturday sunday "
	monthNames = " january february march april may june july august september october november december " +
		"jan feb mar " +
		"apr jun jul aug sep sept oct nov dec "
)

// phrases writes what several words say together in the words of the lists.
var phrases = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"can't stand", "hates", "cannot stand", "hates", "can't bear", "hates", "can not stand", "hates",
		"cannot", "can not", "can't", "can not", "won't", "will not", "n't ", " not ",
		"no longer", "not anymore", "any longer", "anymore", "any more", "anymore",
		"used to ", "formerly ", "no need", "not needed", "not only", "", "these days", "now", "from now on", "now",
		"gave up", "quit", "given up", "quit", "give up", "quit", "giving up", "quit", "got rid of", "sold",
		"gave away", "sold", "got tired of", "quit",
		"came to like", "now likes", "come to like", "now likes", "a.m.", "am ", "p.m.", "pm ", "o'clock", "",
		"instead of", "instead-of", "rather than", "instead-of", "took over", "inherited",
		"after years as", "instead-of",
		"non-smoker", "not smoke", "doesn't have to", "not must",
		"every other", "every second", "gets to", "", "is called", "is", "are called", "are", "is named", "is",
		"stopped working", "left work", "broke up", "divorced", "takes place", "is",
		"broke off", "ended", "broken off", "ended", "called off", "cancelled", "put off", "postponed",
		"taken off", "removed", "back from", "not anymore in", "actually", "now",
		"turned on", "enabled now", "switched on", "enabled now", "turned off", "disabled now",
		"switched off", "disabled now", " is off.", " is disabled.", " is on.", " is enabled.",
		"turned out to be wrong", "changed", "earns a living", "works", "earn a living", "work",
		"way to work", "commute", "works from home", "homeoffices", "work from home", "homeoffice",
		"home office", "homeoffice", "time out", "timeout", "times out", "timeout",
		"open until", "closed at", "open till", "closed at",
		"have to", "must", "has to", "must")
})

// subjectFirst writes a sentence whose subject comes last in the usual order: "Oslo is where Ann lives",
// "Go is the language of the crawler".
func subjectFirst(line string) string {
	if m := placeFirst().FindStringSubmatch(line); m != nil {
		return m[2] + " in " + m[1]
	}
	if m := valueFirst().FindStringSubmatch(line); m != nil {
		return "The " + m[2] + " is " + m[1]
	}
	return line
}

var (
	placeFirst = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:\S+ ){0,3}\S+) (?:is|are) where ([^,;]+?)[.!]?$`)
	})
	valueFirst = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([\p{Lu}\d]\S*(?: [\p{Lu}\d]\S*){0,2}) (?:is|are) the ` +
			`([a-z]+ (?:of|behind|for) [^,;]+?)[.!]?$`)
	})
)

// beginnings say from when on something holds.
var beginnings = sync.OnceValue(func() *regexp.Regexp {
	days := strings.Join(strings.Fields(weekdayNames+monthNames), "|")
	return regexp.MustCompile(`(?i)\b(?:(?:starting|beginning|as of|effective)(?: in| on| from)? (?:` + days +
		`)|from (?:` + days + `) on(?:wards?)?)\b,?`)
})

// skippedWords are left out of the units.
var skippedWords = sync.OnceValue(func() string { return " " + strings.Join(strings.Fields(skipped), " ") + " " })
