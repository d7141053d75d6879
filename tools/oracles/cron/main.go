// Answers when schedules tick, as robfig/cron does. Questions on standard input, {starts, schedules} or {starts, jobs}; answers on
// standard output, a JSON list of texts. A schedule is read by the parser of five fields, as Argo CD does: the first tick after each
// start, `never`, or `refused`. A job is a schedule and a zone, read as Kubernetes reads those of a CronJob: the first two ticks after
// each start, or `refused: ` and why.
package main

import (
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

type questions struct {
	Starts    []string    `json:"starts"`
	Schedules []string    `json:"schedules"`
	Jobs      [][2]string `json:"jobs"`
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
	for _, job := range asked.Jobs {
		answers = append(answers, jobTicks(job[0], job[1], asked.Starts))
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

func jobTicks(text, zone string, starts []string) string {
	if _, err := cron.ParseStandard(text); err != nil {
		return "refused: " + err.Error()
	}
	if zone != "" {
		text = "TZ=" + zone + " " + text
	}
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		panic(err)
	}
	words := make([]string, 0, 2*len(starts))
	for _, start := range starts {
		at, err := time.Parse(time.RFC3339, start)
		if err != nil {
			panic(err)
		}
		for range 2 {
			if at = schedule.Next(at); at.IsZero() {
				words = append(words, "never")
				break
			}
			at = at.UTC()
			words = append(words, at.Format(time.RFC3339))
		}
	}
	return strings.Join(words, " ")
}
