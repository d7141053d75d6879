// Evaluates expressions as expr does in an environment of unknown types, which is how Argo CD uses it. Questions on standard
// input, a JSON list of [environment, expression]; answers on standard output, a JSON list of {out, type} or {error}. Whole numbers
// of an environment are ints, as in an object of Kubernetes.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
)

type answer struct {
	Out   any    `json:"out"`
	Type  string `json:"type,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	var questions [][2]any
	if err := decoder.Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, question := range questions {
		answers = append(answers, evaluate(question[1].(string), typed(question[0])))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

// The optimizer of the original panics on some texts.
func evaluate(text string, environment any) (result answer) {
	defer func() {
		if problem := recover(); problem != nil {
			result = answer{Error: fmt.Sprint("panic: ", problem)}
		}
	}()
	program, err := expr.Compile(text)
	if err != nil {
		return answer{Error: "compile: " + firstLine(err)}
	}
	out, err := expr.Run(program, environment)
	if err != nil {
		return answer{Error: "run: " + firstLine(err)}
	}
	return answer{Out: plain(out), Type: fmt.Sprintf("%T", out)}
}

func firstLine(err error) string {
	return strings.SplitN(err.Error(), "\n", 2)[0]
}

func typed(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		float, _ := value.Float64()
		return float
	case []any:
		for i := range value {
			value[i] = typed(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = typed(value[key])
		}
	}
	return value
}

// What JSON cannot hold is text.
func plain(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Sprint(value)
		}
		return value
	case fmt.Stringer:
		return value.String()
	}
	reflected := reflect.ValueOf(value)
	switch reflected.Kind() {
	case reflect.Slice, reflect.Array:
		out := make([]any, reflected.Len())
		for i := range out {
			out[i] = plain(reflected.Index(i).Interface())
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, key := range reflected.MapKeys() {
			out[fmt.Sprint(key.Interface())] = plain(reflected.MapIndex(key).Interface())
		}
		return out
	}
	return value
}
