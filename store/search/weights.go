// Made by "go -C bench run . fit". Do not edit.

package search

import "techo/internal/meaning"

// certainty is the weights of the figures of an outlook, in their order.
var certainty = OutlookFigures{
	1.198,
	3.623,
	3.497,
	-1.442,
}

// usualLikeness is the mean of the most likeness of a candidate of a question.
const usualLikeness = 0.515

// need is that of the questions, rather than of messages that need none.
var need = Need{Usual: 0.083, Meaning: meaning.Vec{Scale: 0.001696705, Q: [meaning.Dimensions]int8{
	-18, -25, -105, -35, 93, -14, 16, -39, -4, -4, 32, 37, 27, 41, -33, -100,
	29, 12, 28, 15, -37, -6, 35, 40, -53, 16, 8, 13, -46, -53, 11, -105,
	25, 32, 73, -71, 12, 28, 21, -26, 22, 89, -11, 23, 88, -91, -8, 14,
	59, -62, -48, 5, 25, 3, -39, -8, -9, 45, 50, 17, 1, 28, -16, -28,
	-61, 18, -23, 12, 18, -41, 64, -8, -32, -9, -20, -36, 35, -33, -53, -68,
	37, 28, -104, -8, -32, 78, -15, 17, 12, 1, -48, -36, -38, 6, 34, -43,
	79, 66, -43, -4, 18, -75, 16, -105, -13, -33, 18, 11, -31, -16, 22, 23,
	-9, 20, -22, -90, -39, 20, 7, -73, 46, 50, 14, 44, -40, 74, 76, -6,
	48, -11, -32, -2, -38, -9, 32, -89, 5, 42, -27, 1, 50, 5, 43, 34,
	0, 0, -48, 10, 19, 10, 50, 7, 1, 70, 40, 12, -26, -25, 80, -64,
	-18, -35, -10, 5, -6, -48, 23, -44, 9, 46, 19, 23, 67, -34, 58, 0,
	1, 2, -3, 4, -43, -4, -106, -127, -30, -4, 38, 44, -63, 5, 11, 4,
}}}

// weights are those of the features, in their order.
var weights = Features{
	4.327,
	0.958,
	2.672,
	4.473,
	3.484,
	3.342,
	17.638,
	7.184,
	-2.893,
	1.188,
	1.399,
	-2.881,
}
