// Answers with the slugs of texts, as gosimple/slug makes them with the settings of Argo CD's pull request generator. Questions on
// standard input, a JSON list of texts; answers on standard output, a JSON list of slugs.
package main

import (
	"encoding/json"
	"os"

	"github.com/gosimple/slug"
)

func main() {
	var asked []string
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	slug.MaxLength = 50
	slug.CustomSub = map[string]string{"_": "-"}
	answers := make([]string, 0, len(asked))
	for _, text := range asked {
		answers = append(answers, slug.Make(text))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
