// Hello is what the least Go program costs.
package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
