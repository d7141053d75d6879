// Answers when schedules tick, as robfig/cron does with its parser of five fields. Questions on standard input, {starts, schedules};
// answers on standard output, a JSON list of texts: the first tick after each start, `never`, or `refused`.
package main

import (
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

type questions struct {
	Starts    []string `json:"starts"`
	Schedules []string `json:"schedules"`
}

func main() {
	var asked questions
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	answers := make([]string, 0, len(asked.Schedules))
	for _, text := range asked.Schedules {
		answers = append(answers, ticks(parser, text, asked.Starts))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func ticks(parser cron.Parser, text string, starts []string) (result string) {
	defer func() {
		if recover() != nil {
			result = "refused"
		}
	}()
	schedule, err := parser.Parse(text)
	if err != nil {
		return "refused"
	}
	words := make([]string, 0, len(starts))
	for _, start := range starts {
		at, err := time.Parse(time.RFC3339, start)
		if err != nil {
			panic(err)
		}
		next := schedule.Next(at)
		if next.IsZero() {
			words = append(words, "never")
		} else {
			words = append(words, next.UTC().Format(time.RFC3339))
		}
	}
	return strings.Join(words, " ")
}
