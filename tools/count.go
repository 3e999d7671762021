package tools

// Count returns a number with its noun: "1 event", "2 events". Both texts have
// one %d. Languages without a plural translate both texts alike.
func (env *Env) Count(n int, one, many Text) string {
	if n == 1 {
		return env.Localize(one, n)
	}
	return env.Localize(many, n)
}
