// Hello is the smallest Go program: it shows the cost of any process.
package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
