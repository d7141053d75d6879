// Evaluates Jsonnet programs with go-jsonnet. Questions on standard input, a JSON list of programs; answers on standard output, a JSON
// list of {result} with the result as compact JSON, or {fails: true}.
package main

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/google/go-jsonnet"
)

type answer struct {
	Result string `json:"result,omitempty"`
	Fails  bool   `json:"fails,omitempty"`
}

func main() {
	var programs []string
	if err := json.NewDecoder(os.Stdin).Decode(&programs); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(programs))
	for _, program := range programs {
		answers = append(answers, evaluate(program))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func evaluate(program string) (result answer) {
	defer func() {
		if recover() != nil {
			result = answer{Fails: true}
		}
	}()
	text, err := jsonnet.MakeVM().EvaluateAnonymousSnippet("a.jsonnet", program)
	if err != nil {
		return answer{Fails: true}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return answer{Fails: true}
	}
	return answer{Result: compact.String()}
}
