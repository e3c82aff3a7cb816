// A program with a test.
package main

import "fmt"

func double(number int) int { return 2 * number }

func main() { fmt.Println("doubled:", double(2)) }
