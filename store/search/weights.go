// Made by "go -C bench run . fit". Do not edit.

package search

// certainty is the weights of the figures of an outlook, in their order.
var certainty = [4]float64{
	1.134,
	1.763,
	2.998,
	-1.919,
}

// weights are those of the features, in their order.
var weights = Features{
	4.201,
	0.892,
	2.489,
	4.617,
	3.583,
	3.666,
	17.426,
	6.955,
	-3.157,
	1.242,
	1.445,
	-1.681,
}
