// Prints the Go types of the Kubernetes API in the notation of src/kubernetes/schema/facts/notation.ts: a line per struct, under a line
// per package. Standard input is a JSON list of package names such as apps.v1. The facts are in the source: types, tags and markers.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"

	// their sources are read, at the versions of go.mod
	_ "k8s.io/api/core/v1"
	_ "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Packages that are not k8s.io/api/<group>/<version>.
var elsewhere = map[string]string{
	"meta.v1":            "k8s.io/apimachinery/pkg/apis/meta/v1",
	"apiextensions.v1":   "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	"apiregistration.v1": "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1",
}

// Types with a letter of their own; those of the package itself carry its name.
var letters = map[string]string{
	"meta.v1.Time": "T", "meta.v1.MicroTime": "M", "meta.v1.Duration": "D", "meta.v1.FieldsV1": "R",
	"resource.Quantity": "Q", "intstr.IntOrString": "X", "runtime.RawExtension": "R", "types.UID": "s", "types.NodeName": "s",
	"apiextensions.v1.JSON": "J", "apiextensions.v1.JSONSchemaPropsOrArray": "Ja",
	"apiextensions.v1.JSONSchemaPropsOrBool": "Jb", "apiextensions.v1.JSONSchemaPropsOrStringArray": "Js",
	"string": "s", "bool": "b", "int32": "i", "int64": "l", "int": "l", "float64": "d", "any": "J",
}

type declaration struct {
	spec *ast.TypeSpec
	doc  string
	file *ast.File
}

type goPackage struct {
	name  string
	types map[string]declaration
	// string constants, which markers refer to
	constants map[string]string
}

var packages = map[string]*goPackage{}

func main() {
	var names []string
	must(json.NewDecoder(os.Stdin).Decode(&names))
	for _, name := range names {
		fmt.Printf("# %s\n", name)
		loaded := load(name)
		structs := []string{}
		for typeName, found := range loaded.types {
			if _, ok := found.spec.Type.(*ast.StructType); ok {
				structs = append(structs, typeName)
			}
		}
		sort.Strings(structs)
		for _, typeName := range structs {
			fmt.Println(line(loaded, typeName))
		}
	}
}

func line(in *goPackage, name string) string {
	found := in.types[name]
	words := []string{name}
	if marker(found.doc, "structType") == "atomic" {
		words[0] += "@."
	}
	return strings.Join(append(words, fieldsOf(in, found, "")...), " ")
}

func fieldsOf(in *goPackage, of declaration, prefix string) []string {
	fields := []string{}
	for _, field := range of.spec.Type.(*ast.StructType).Fields.List {
		tags := tagsOf(field)
		name, options, _ := strings.Cut(tags.Get("json"), ",")
		if name == "" && (len(field.Names) == 0 || strings.Contains(options, "inline")) {
			fields = append(fields, inlined(in, of, field, prefix)...)
		} else if name != "-" && name != "" {
			fields = append(fields, fieldToken(in, of, field, prefix))
		}
	}
	return fields
}

func inlined(in *goPackage, of declaration, field *ast.Field, prefix string) []string {
	token, home := typeToken(in, of.file, field.Type)
	if token == "TypeMeta" || token == "meta.v1.TypeMeta" {
		return []string{"kind:s?", "apiVersion:s?"}
	}
	from, typeName := home, token[strings.LastIndex(token, ".")+1:]
	found, ok := from.types[typeName]
	if !ok {
		return nil
	}
	if number := protoNumber(tagsOf(field)); number != "" {
		prefix += number + "."
	}
	return fieldsOf(from, found, prefix)
}

func fieldToken(in *goPackage, of declaration, field *ast.Field, prefix string) string {
	tags := tagsOf(field)
	doc := rawComments(field.Doc)
	name, options, _ := strings.Cut(tags.Get("json"), ",")
	token, _ := typeToken(in, of.file, field.Type)
	out := name + ":" + token
	_, isPointer := field.Type.(*ast.StarExpr)
	if isPointer {
		out += "^"
	}
	omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	// a struct is never empty to Go, whatever the tag says
	if strings.Contains(options, "omitzero") || omitted && (isPointer || !isStruct(token)) {
		out += "?"
	}
	if has(doc, "required") || has(doc, "k8s:required") && !has(doc, "optional") || !omitted && !has(doc, "optional") && !has(doc, "k8s:optional") {
		out += "!"
	}
	if number := protoNumber(tags); number != "" {
		out += "#" + prefix + number
	}
	return out + topology(doc) + patch(tags) + defaultOf(in, doc)
}

func isStruct(token string) bool {
	return !strings.HasPrefix(token, "[") && !strings.HasPrefix(token, "{") && !strings.Contains("s b i l d B", token)
}

func topology(doc string) string {
	switch marker(doc, "listType") {
	case "map":
		keys := []string{}
		for _, found := range markerPattern("listMapKey").FindAllStringSubmatch(doc, -1) {
			keys = append(keys, found[1])
		}
		return "@" + strings.Join(keys, ",")
	case "set":
		return "@*"
	}
	if marker(doc, "mapType") == "atomic" || marker(doc, "structType") == "atomic" {
		return "@."
	}
	if marker(doc, "structType") == "granular" {
		return "@+"
	}
	return ""
}

func patch(tags reflect.StructTag) string {
	strategies, key := tags.Get("patchStrategy"), tags.Get("patchMergeKey")
	retains, merges := "", strings.Contains(strategies, "merge")
	if strings.Contains(strategies, "retainKeys") {
		retains = "%"
	}
	switch {
	case strategies == "":
		return ""
	case strategies == "replace":
		return "~!"
	case merges && key == "" && retains == "":
		return "~*"
	}
	return "~" + retains + key
}

func defaultOf(in *goPackage, doc string) string {
	found := markerPattern("default").FindStringSubmatch(doc)
	if found == nil {
		return ""
	}
	if constant, ok := strings.CutPrefix(found[1], "ref("); ok {
		constant = strings.TrimSuffix(constant, ")")
		return "=" + in.constants[constant[strings.LastIndex(constant, ".")+1:]]
	}
	var value any
	if json.Unmarshal([]byte(found[1]), &value) != nil {
		return ""
	}
	switch value.(type) {
	case string, bool, float64:
		return fmt.Sprintf("=%v", value)
	}
	return ""
}

// typeToken returns the notation of a type and the package where it is declared.
func typeToken(in *goPackage, file *ast.File, of ast.Expr) (string, *goPackage) {
	switch typed := of.(type) {
	case *ast.StarExpr:
		return typeToken(in, file, typed.X)
	case *ast.ArrayType:
		if item, ok := typed.Elt.(*ast.Ident); ok && item.Name == "byte" {
			return "B", in
		}
		token, home := typeToken(in, file, typed.Elt)
		return "[" + token, home
	case *ast.MapType:
		token, home := typeToken(in, file, typed.Value)
		return "{" + token, home
	case *ast.Ident:
		return named(in, in, typed.Name)
	case *ast.SelectorExpr:
		return imported(in, file, typed)
	}
	return "J", in
}

func imported(in *goPackage, file *ast.File, of *ast.SelectorExpr) (string, *goPackage) {
	alias := of.X.(*ast.Ident).Name
	path := importPath(file, alias)
	if letter, ok := letters[filepath.Base(path)+"."+of.Sel.Name]; ok {
		return letter, in
	}
	parts := strings.Split(path, "/")
	if len(parts) < 3 {
		return "J", in
	}
	return named(in, load(strings.Join(parts[len(parts)-2:], ".")), of.Sel.Name)
}

// named resolves a type name: a struct keeps its name, anything else is what it stands for.
func named(in, home *goPackage, name string) (string, *goPackage) {
	if letter, ok := letters[home.name+"."+name]; ok {
		return letter, home
	}
	found, ok := home.types[name]
	if !ok {
		if letter, isBasic := letters[name]; isBasic {
			return letter, home
		}
		return name, home
	}
	if _, isStruct := found.spec.Type.(*ast.StructType); !isStruct {
		return typeToken(home, found.file, found.spec.Type)
	}
	if home == in {
		return name, home
	}
	return home.name + "." + name, home
}

func importPath(file *ast.File, alias string) string {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		must(err)
		if spec.Name != nil && spec.Name.Name == alias || spec.Name == nil && filepath.Base(path) == alias {
			return path
		}
	}
	return ""
}

func load(name string) *goPackage {
	if known, ok := packages[name]; ok {
		return known
	}
	loaded := &goPackage{name: name, types: map[string]declaration{}, constants: map[string]string{}}
	packages[name] = loaded
	path, ok := elsewhere[name]
	if !ok {
		group, version, _ := strings.Cut(name, ".")
		path = "k8s.io/api/" + group + "/" + version
	}
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		return loaded
	}
	isSource := func(info fs.FileInfo) bool {
		return !strings.HasSuffix(info.Name(), "_test.go") && !strings.HasPrefix(info.Name(), "zz_generated")
	}
	parsed, err := parser.ParseDir(token.NewFileSet(), strings.TrimSpace(string(out)), isSource, parser.ParseComments)
	must(err)
	for _, one := range parsed {
		for _, file := range one.Files {
			collect(loaded, file)
		}
	}
	return loaded
}

func collect(into *goPackage, file *ast.File) {
	for _, part := range file.Decls {
		general, ok := part.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok {
				collectConstants(into, value)
			}
			if general.Tok != token.TYPE {
				continue
			}
			typeSpec := spec.(*ast.TypeSpec)
			doc := rawComments(general.Doc) + rawComments(typeSpec.Doc)
			into.types[typeSpec.Name.Name] = declaration{spec: typeSpec, doc: doc, file: file}
		}
	}
}

func collectConstants(into *goPackage, spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal.Value)
		must(err)
		into.constants[spec.Names[i].Name] = text
	}
}

func tagsOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(field.Tag.Value)
	must(err)
	return reflect.StructTag(text)
}

func protoNumber(tags reflect.StructTag) string {
	parts := strings.Split(tags.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func rawComments(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	lines := []string{}
	for _, comment := range group.List {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")))
	}
	return strings.Join(lines, "\n") + "\n"
}

func markerPattern(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\+` + regexp.QuoteMeta(name) + `=(\S*)`)
}

func marker(doc, name string) string {
	found := markerPattern(name).FindStringSubmatch(doc)
	if found == nil {
		return ""
	}
	return found[1]
}

func has(doc, name string) bool {
	return regexp.MustCompile(`(?m)^\+` + regexp.QuoteMeta(name) + `\b`).MatchString(doc)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
