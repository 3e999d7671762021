// Package calendar has the tools of events and calendars. The packages below it have the tools of
// to-dos and free time, and the places where calendars are kept.
package calendar

import (
	"techo/tools"
	"techo/tools/calendar/free"
)

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Create, List, Get, Update, Move, Delete, free.Check, free.Suggest, Calendars}
}
