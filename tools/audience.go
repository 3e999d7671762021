package tools

// Audience is the kind of caller that a tool is meant for. Catalogues and servers
// offer a caller the tools for its own audience and for all lower ones.
type Audience string

// The audiences, in ascending order.
const (
	Agents  Audience = "agent"  // a model that decides which tools to call
	Hosts   Audience = "host"   // the program that runs a model and writes its prompts
	Persons Audience = "person" // the person that both work for
)

// Enum returns the audiences, in ascending order.
func (Audience) Enum() []string { return []string{string(Agents), string(Hosts), string(Persons)} }

// rank orders the audiences. Unknown audiences have rank 0.
func (a Audience) rank() int {
	switch a {
	case Agents:
		return 1
	case Hosts:
		return 2
	case Persons:
		return 3
	}
	return 0
}

// Within returns the lower one of an audience and a ceiling.
func (a Audience) Within(ceiling Audience) Audience {
	if a.rank() < ceiling.rank() {
		return a
	}
	return ceiling
}

// Includes reports whether callers of audience a are offered the tools of another
// audience. A tool without an audience is offered to no caller.
func (a Audience) Includes(tool Audience) bool {
	return tool.rank() > 0 && tool.rank() <= a.rank()
}
