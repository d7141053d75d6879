// Answers what Kubernetes makes of CEL expressions in the rules of a custom resource. Questions on standard input,
// {schema, self, expressions}; answers on standard output, a JSON list of {expr, issue} for one that does not compile, {expr, fault,
// cost} for one that fails, and {expr, value, cost}. The value is written as src/embedded/cel/kubernetes.test.ts writes it.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	crdcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type questions struct {
	Schema      apiextensionsv1.JSONSchemaProps `json:"schema"`
	Self        json.RawMessage                 `json:"self"`
	Expressions []string                        `json:"expressions"`
}

type answer struct {
	Expr  string  `json:"expr"`
	Issue string  `json:"issue,omitempty"`
	Fault string  `json:"fault,omitempty"`
	Value *string `json:"value,omitempty"`
	Cost  *uint64 `json:"cost,omitempty"`
}

func main() {
	var asked questions
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	var internal apiextensions.JSONSchemaProps
	must(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&asked.Schema, &internal, nil))
	structural, err := schema.NewStructural(&internal)
	must(err)
	declared := model.SchemaDeclType(structural, false).MaybeAssignTypeName("selfType")
	envSet, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", declared.CelType())},
		DeclTypes:         []*apiservercel.DeclType{declared},
	})
	must(err)
	env := envSet.StoredExpressionsEnv()
	var self any
	must(utiljson.Unmarshal(asked.Self, &self))
	value := crdcel.UnstructuredToVal(self, structural)
	answers := make([]answer, 0, len(asked.Expressions))
	for _, expression := range asked.Expressions {
		answers = append(answers, ask(env, value, expression))
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	must(out.Encode(answers))
}

func ask(env *cel.Env, self ref.Val, expression string) answer {
	ast, issues := env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		return answer{Expr: expression, Issue: issues.String()}
	}
	program, err := env.Program(ast,
		cel.CostLimit(celconfig.PerCallLimit),
		cel.CostTracking(&library.CostEstimator{}),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency),
	)
	if err != nil {
		return answer{Expr: expression, Fault: err.Error()}
	}
	value, details, err := program.Eval(map[string]any{"self": self})
	result := answer{Expr: expression}
	if details != nil {
		result.Cost = details.ActualCost()
	}
	if err != nil {
		result.Fault = err.Error()
		return result
	}
	text := show(value)
	result.Value = &text
	return result
}

func show(value ref.Val) string {
	switch typed := value.(type) {
	case types.String:
		return quoted(string(typed))
	case types.Bool:
		return fmt.Sprint(bool(typed))
	case types.Int:
		return fmt.Sprint(int64(typed))
	case types.Uint:
		return fmt.Sprintf("%du", uint64(typed))
	case types.Double:
		return fmt.Sprintf("double(%v)", float64(typed))
	case types.Bytes:
		return "b" + hex.EncodeToString([]byte(typed))
	case types.Null:
		return "null"
	case types.Timestamp:
		return fmt.Sprintf("timestamp(%s)", typed.Time.UTC().Format(time.RFC3339Nano))
	case types.Duration:
		return fmt.Sprintf("duration(%d)", typed.Duration.Nanoseconds())
	case *types.Type:
		return fmt.Sprintf("type(%s)", typed.TypeName())
	case *types.Optional:
		if !typed.HasValue() {
			return "none"
		}
		return fmt.Sprintf("some(%s)", show(typed.GetValue()))
	case apiservercel.IP:
		return fmt.Sprintf("ip(%s)", typed.Addr)
	case apiservercel.CIDR:
		return fmt.Sprintf("cidr(%s)", typed.Prefix)
	case apiservercel.URL:
		return fmt.Sprintf("url(%s)", typed.URL.String())
	case apiservercel.Semver:
		return fmt.Sprintf("semver(%s)", typed.Version.String())
	case traits.Mapper:
		return "{" + strings.Join(entries(typed), ", ") + "}"
	case traits.Lister:
		return "[" + strings.Join(items(typed), ", ") + "]"
	}
	return "object"
}

func items(list traits.Lister) []string {
	shown := []string{}
	for each := list.Iterator(); each.HasNext() == types.True; {
		shown = append(shown, show(each.Next()))
	}
	return shown
}

func entries(mapper traits.Mapper) []string {
	shown := []string{}
	for each := mapper.Iterator(); each.HasNext() == types.True; {
		key := each.Next()
		shown = append(shown, fmt.Sprintf("%s: %s", show(key), show(mapper.Get(key))))
	}
	sort.Strings(shown)
	return shown
}

func quoted(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(text))
	return strings.TrimSuffix(out.String(), "\n")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
