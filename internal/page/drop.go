package page

// dropAppeals drops short links to other articles that stand between the paragraphs
// of an article.
func dropAppeals(s *surroundings, odds []float64) {
	if s.kind != articlePage && s.kind != plainPage {
		return
	}
	for i := range s.blocks {
		if b := &s.blocks[i]; s.phrases[i]&phraseAppeal != 0 && b.words <= 30 && b.link > 0.4*b.words {
			odds[i] = min(odds[i], -1)
		}
	}
}

// dropSmallMenu lowers the odds of a list of links before the text of a small page, which
// gives the model too little to compare it with.
func dropSmallMenu(s *surroundings, odds []float64) {
	if s.words >= smallPage {
		return
	}
	for i := range firstText(s) {
		if isEntryOfMenu(s, i) {
			odds[i]--
		}
	}
}

// dropComments drops the comments on an article or a list. On a page with little else,
// they are the content.
func dropComments(s *surroundings, odds []float64) {
	if s.kind != articlePage && s.kind != plainPage && s.kind != listingPage {
		return
	}
	isComment := func(i int) bool { return s.elems[s.blocks[i].elem].inComment }
	others := 0.0 // expected words of content outside of the comments
	for i, o := range odds {
		if !isComment(i) {
			others += sigmoid(o) * s.blocks[i].words
		}
	}
	if others < clearProse {
		return
	}
	for i := range odds {
		if isComment(i) {
			odds[i] = min(odds[i], -certain)
		}
	}
}

// dropFurniture drops the parts of a page that are content only on pages of other kinds:
// posts of a forum are often in forms, and a manual describes buttons.
func dropFurniture(s *surroundings, odds []float64) {
	var marks traits
	forms := false
	switch s.kind {
	case plainPage, articlePage:
		marks, forms = inFooter|namedFooter, true
	case listingPage, productPage:
		marks, forms = inButton, true
	}
	for i := range odds {
		e := &s.elems[s.blocks[i].elem]
		if e.traits&marks != 0 || forms && e.inSmallForm {
			odds[i] = min(odds[i], -certain)
		}
	}
}
