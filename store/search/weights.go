// Made by "go -C bench run . fit". Do not edit.

package search

// certainty is the weights of the figures of an outlook, in their order.
var certainty = [4]float64{
	1.121,
	1.731,
	2.953,
	-1.907,
}

// weights are those of the features, in their order.
var weights = Features{
	3.567,
	0.860,
	2.532,
	5.020,
	3.862,
	3.064,
	10.724,
	6.487,
	-1.229,
	1.287,
	1.446,
	-0.817,
}
