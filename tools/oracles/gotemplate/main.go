// Answers Go templates as text/template does with sprig's functions, less those that Argo CD removes and with those that it adds to
// ApplicationSets. Questions on standard input, a JSON list of [data, template, option...]; answers on standard output, a JSON list of
// {out} or {error}. Data is decoded by encoding/json, so numbers are float64.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/gosimple/slug"
	"sigs.k8s.io/yaml"
)

// limited is output that ends at a million bytes: a template may count to ten billion.
type limited struct{ bytes.Buffer }

func (l *limited) Write(data []byte) (int, error) {
	if l.Len()+len(data) > 1_000_000 {
		return 0, errors.New("output limit")
	}
	return l.Buffer.Write(data)
}

type answer struct {
	Out   *string `json:"out,omitempty"`
	Error string  `json:"error,omitempty"`
}

func main() {
	var questions [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	functions := table()
	answers := make([]answer, 0, len(questions))
	for _, question := range questions {
		var data any
		var text string
		var options []string
		decode(question[0], &data)
		decode(question[1], &text)
		for _, raw := range question[2:] {
			var option string
			decode(raw, &option)
			options = append(options, option)
		}
		answers = append(answers, execute(functions, data, text, options))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answers); err != nil {
		panic(err)
	}
}

func decode(raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic(err)
	}
}

func execute(functions template.FuncMap, data any, text string, options []string) (result answer) {
	defer func() {
		if thrown := recover(); thrown != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", thrown)}
		}
	}()
	parsed, err := template.New("t").Funcs(functions).Option(options...).Parse(text)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var out limited
	if err := parsed.Execute(&out, data); err != nil {
		return answer{Error: err.Error()}
	}
	printed := strings.ToValidUTF8(out.String(), "\uFFFD")
	if !strings.Contains(out.String(), "\uFFFD") && printed != out.String() {
		// every stray byte is one replacement character
		printed = string([]rune(out.String()))
	}
	return answer{Out: &printed}
}

func table() template.FuncMap {
	functions := sprig.TxtFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(functions, name)
	}
	functions["normalize"] = normalize
	functions["slugify"] = slugify
	functions["toYaml"] = func(value any) (string, error) {
		data, err := yaml.Marshal(value)
		if err != nil {
			return "", err
		}
		return strings.TrimSuffix(string(data), "\n"), nil
	}
	functions["fromYaml"] = func(text string) (map[string]any, error) {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return nil, err
		}
		return object, nil
	}
	functions["fromYamlArray"] = func(text string) ([]any, error) {
		list := []any{}
		if err := yaml.Unmarshal([]byte(text), &list); err != nil {
			return nil, err
		}
		return list, nil
	}
	return functions
}

var notAllowed = regexp.MustCompile(`[^-a-z0-9.]`)

// The contract's words (sources AST-8): lower case, other characters to dashes, 253 bytes, no dash or dot at either end.
func normalize(name string) string {
	name = notAllowed.ReplaceAllString(strings.ToLower(name), "-")
	if len(name) > 253 {
		name = name[:253]
	}
	return strings.Trim(name, "-.")
}

// The contract's words (sources AST-8): [max=50 [smartTruncate=true]] name; another type is a failed assertion.
func slugify(args ...any) string {
	slug.MaxLength, slug.EnableSmartTruncate = 50, true
	name := ""
	for i, arg := range args {
		switch {
		case i == len(args)-1:
			name = arg.(string)
		case i == 0:
			slug.MaxLength = arg.(int)
		case i == 1:
			slug.EnableSmartTruncate = arg.(bool)
		}
	}
	return slug.Make(normalize(name))
}
