// Answers jq expressions as gojq does, used as a library the way Argo CD uses it. Questions on standard input, a JSON list of
// [input, expression]; answers on standard output, a JSON list of {out, error}.
package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/itchyny/gojq"
)

type answer struct {
	Out   []json.RawMessage `json:"out"`
	Error string            `json:"error,omitempty"`
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	var questions [][2]json.RawMessage
	if err := decoder.Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, question := range questions {
		var input any
		var expression string
		if err := json.Unmarshal(question[0], &input); err != nil {
			panic(err)
		}
		if err := json.Unmarshal(question[1], &expression); err != nil {
			panic(err)
		}
		answers = append(answers, evaluate(expression, input))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func evaluate(expression string, input any) answer {
	result := answer{Out: []json.RawMessage{}}
	query, err := gojq.Parse(expression)
	if err != nil {
		result.Error = "compile"
		return result
	}
	code, err := gojq.Compile(query)
	if err != nil {
		result.Error = "compile"
		return result
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for iterator := code.RunWithContext(ctx, input); ; {
		value, more := iterator.Next()
		if !more {
			return result
		}
		if _, failed := value.(error); failed {
			result.Error = "run"
			return result
		}
		text, err := json.Marshal(value)
		if err != nil {
			result.Error = "run"
			return result
		}
		result.Out = append(result.Out, text)
	}
}
