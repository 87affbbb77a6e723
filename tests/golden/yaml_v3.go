// Writes values as Go's yaml.v3 does, for make_yaml.py: one JSON value a line comes in, one JSON text (the YAML) a line
// goes out.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run yaml_v3.go < values.jsonl     (Debian: golang-go golang-gopkg-yaml.v3-dev)
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// numbers turns json.Number into the int64 or float64 that a Go program would hold.
func numbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if !strings.ContainsAny(value.String(), ".eE") {
			if integer, err := value.Int64(); err == nil {
				return integer
			}
		}
		float, _ := value.Float64()
		return float
	case []any:
		for index := range value {
			value[index] = numbers(value[index])
		}
	case map[string]any:
		for key := range value {
			value[key] = numbers(value[key])
		}
	}
	return value
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for row := 0; lines.Scan(); row++ {
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			panic(err)
		}
		var text bytes.Buffer
		encoder := yaml.NewEncoder(&text)
		encoder.SetIndent(2 + row%2*2)
		if err := encoder.Encode(numbers(value)); err != nil {
			panic(err)
		}
		encoder.Close()
		line, _ := json.Marshal(text.String())
		fmt.Println(string(line))
	}
}
