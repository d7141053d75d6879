// Answers what Go's regexp package makes of a pattern, a text and a template. Questions on standard input, a JSON list of
// {pattern, text, template}; answers on standard output, with offsets in UTF-16 units.
package main

import (
	"encoding/json"
	"os"
	"regexp"
	"unicode/utf16"
)

type question struct {
	Pattern  string `json:"pattern"`
	Text     string `json:"text"`
	Template string `json:"template"`
}

type answer struct {
	Refused  bool     `json:"refused,omitempty"`
	Test     bool     `json:"test"`
	Full     bool     `json:"full"`
	All      [][]int  `json:"all,omitempty"`
	Replaced string   `json:"replaced"`
	Split    []string `json:"split,omitempty"`
	Split2   []string `json:"split2,omitempty"`
	Names    []string `json:"names,omitempty"`
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, one := range questions {
		answers = append(answers, match(one))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func match(one question) answer {
	compiled, err := regexp.Compile(one.Pattern)
	if err != nil {
		return answer{Refused: true}
	}
	full := regexp.MustCompile(`\A(?:` + one.Pattern + `)\z`)
	var all [][]int
	for _, found := range compiled.FindAllStringSubmatchIndex(one.Text, -1) {
		offsets := make([]int, len(found))
		for i, at := range found {
			offsets[i] = units(one.Text, at)
		}
		all = append(all, offsets)
	}
	return answer{
		Test: compiled.MatchString(one.Text), Full: full.MatchString(one.Text), All: all,
		Replaced: compiled.ReplaceAllString(one.Text, one.Template),
		Split:    compiled.Split(one.Text, -1), Split2: compiled.Split(one.Text, 2),
		Names: compiled.SubexpNames()[1:],
	}
}

// units turns a byte offset into one in UTF-16 units; -1 stays.
func units(text string, at int) int {
	if at < 0 {
		return at
	}
	return len(utf16.Encode([]rune(text[:at])))
}
