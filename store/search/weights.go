// Made by "go -C bench run . fit". Do not edit.

package search

// certainty is the weights of the figures of an outlook, in their order.
var certainty = [4]float64{
	1.110,
	1.704,
	3.004,
	-1.924,
}

// weights are those of the features, in their order.
var weights = Features{
	4.175,
	0.984,
	2.517,
	4.657,
	3.635,
	3.451,
	17.952,
	6.946,
	-3.183,
	1.237,
	1.591,
	-2.871,
}
