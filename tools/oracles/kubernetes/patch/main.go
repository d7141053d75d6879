// Answers what Kubernetes makes of patches. Questions on standard input, a JSON list of {way, …}; answers on standard output, a list of
// {result}, {patch, applied} or {failed}. The ways are those of `ways` below.
package main

import (
	"encoding/json"
	"os"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

type question struct {
	Way      string          `json:"way"`
	Target   json.RawMessage `json:"target"`
	Patch    json.RawMessage `json:"patch"`
	From     json.RawMessage `json:"from"`
	To       json.RawMessage `json:"to"`
	Original json.RawMessage `json:"original"`
	Modified json.RawMessage `json:"modified"`
	Current  json.RawMessage `json:"current"`
}

type answer struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Patch   json.RawMessage `json:"patch,omitempty"`
	Applied json.RawMessage `json:"applied,omitempty"`
	Failed  string          `json:"failed,omitempty"`
}

var scheme = runtime.NewScheme()

var ways = map[string]func(question) (answer, error){
	"json": func(q question) (answer, error) {
		patch, err := jsonpatch.DecodePatch(q.Patch)
		if err != nil {
			return answer{}, err
		}
		result, err := patch.Apply(q.Target)
		return answer{Result: result}, err
	},
	"merge": func(q question) (answer, error) {
		result, err := jsonpatch.MergePatch(q.Target, q.Patch)
		return answer{Result: result}, err
	},
	"three-way": func(q question) (answer, error) {
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(q.Original, q.Modified, q.Current)
		return answer{Patch: patch}, err
	},
	"strategic-apply": func(q question) (answer, error) {
		typed, err := typeOf(q.Target)
		if err != nil {
			return answer{}, err
		}
		result, err := strategicpatch.StrategicMergePatch(q.Target, q.Patch, typed)
		return answer{Result: result}, err
	},
	"strategic-create": func(q question) (answer, error) {
		typed, err := typeOf(q.From)
		if err != nil {
			return answer{}, err
		}
		patch, err := strategicpatch.CreateTwoWayMergePatch(q.From, q.To, typed)
		return answer{Patch: patch}, err
	},
	"strategic-three-way": func(q question) (answer, error) {
		typed, err := typeOf(q.Current)
		if err != nil {
			return answer{}, err
		}
		meta, err := strategicpatch.NewPatchMetaFromStruct(typed)
		if err != nil {
			return answer{}, err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(q.Original, q.Modified, q.Current, meta, true)
		if err != nil {
			return answer{}, err
		}
		applied, err := strategicpatch.StrategicMergePatch(q.Current, patch, typed)
		return answer{Patch: patch, Applied: applied}, err
	},
}

func main() {
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme} {
		must(add(scheme))
	}
	var asked []question
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	answers := make([]answer, 0, len(asked))
	for _, one := range asked {
		result, err := ways[one.Way](one)
		if err != nil {
			result = answer{Failed: err.Error()}
		}
		answers = append(answers, result)
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

func typeOf(object []byte) (runtime.Object, error) {
	var read unstructured.Unstructured
	if err := read.UnmarshalJSON(object); err != nil {
		return nil, err
	}
	return scheme.New(read.GroupVersionKind())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
