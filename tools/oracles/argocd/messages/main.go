// Prints the messages and the services of Argo CD's API as src/serve/grpc/facts/ holds them: "table" prints a line per message under a line
// per package, "services" a line per method, "golden" random messages as JSON and as bytes. The facts are those of the Go types that the
// public .proto files generate, with their tags, and of the descriptors registered beside them.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"sort"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apiclient/account"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/application"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/applicationset"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/certificate"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/cluster"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/gpgkey"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/notification"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/project"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/repocreds"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/repository"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/session"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/settings"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/version"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	gogo "github.com/gogo/protobuf/proto"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/emptypb"
)

type served struct {
	handler any
	file    string
}

var all = []served{
	{(*version.VersionServiceServer)(nil), "server/version/version.proto"},
	{(*session.SessionServiceServer)(nil), "server/session/session.proto"},
	{(*settings.SettingsServiceServer)(nil), "server/settings/settings.proto"},
	{(*application.ApplicationServiceServer)(nil), "server/application/application.proto"},
	{(*applicationset.ApplicationSetServiceServer)(nil), "server/applicationset/applicationset.proto"},
	{(*project.ProjectServiceServer)(nil), "server/project/project.proto"},
	{(*cluster.ClusterServiceServer)(nil), "server/cluster/cluster.proto"},
	{(*repository.RepositoryServiceServer)(nil), "server/repository/repository.proto"},
	{(*repocreds.RepoCredsServiceServer)(nil), "server/repocreds/repocreds.proto"},
	{(*account.AccountServiceServer)(nil), "server/account/account.proto"},
	{(*certificate.CertificateServiceServer)(nil), "server/certificate/certificate.proto"},
	{(*gpgkey.GPGKeyServiceServer)(nil), "server/gpgkey/gpgkey.proto"},
	{(*notification.NotificationServiceServer)(nil), "server/notification/notification.proto"},
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := services()
	walkAll()
	switch os.Args[1] {
	case "table":
		printTable(out)
	case "services":
		fmt.Fprintln(out, strings.Join(lines, "\n"))
	case "golden":
		printGolden(out)
	}
}

// Types of the requests and responses, in the order of the services.
var roots []reflect.Type

func services() []string {
	var lines []string
	for _, one := range all {
		file := descriptor(one.file)
		handler := reflect.TypeOf(one.handler).Elem()
		for _, service := range file.Service {
			for _, method := range service.Method {
				goMethod, ok := handler.MethodByName(method.GetName())
				if !ok {
					panic(method.GetName())
				}
				request, response := messagesOf(goMethod.Type)
				roots = append(roots, request, response)
				arrow := ">"
				if method.GetServerStreaming() {
					arrow = ">>"
				}
				if method.GetClientStreaming() {
					arrow = ">" + "<"
				}
				lines = append(lines, fmt.Sprintf("%s.%s/%s %s %s %s %s", file.GetPackage(), service.GetName(), method.GetName(),
					nameOf(request), arrow, nameOf(response), ruleOf(method)))
			}
		}
	}
	return lines
}

func descriptor(name string) *descriptorpb.FileDescriptorProto {
	packed, err := gzip.NewReader(bytes.NewReader(gogo.FileDescriptor(name)))
	must(err)
	raw, err := io.ReadAll(packed)
	must(err)
	file := &descriptorpb.FileDescriptorProto{}
	must(proto.Unmarshal(raw, file))
	return file
}

func ruleOf(method *descriptorpb.MethodDescriptorProto) string {
	rule := proto.GetExtension(method.Options, annotations.E_Http).(*annotations.HttpRule)
	text := bindingOf(rule)
	for _, more := range rule.AdditionalBindings {
		text += " | " + bindingOf(more)
	}
	return text
}

func bindingOf(rule *annotations.HttpRule) string {
	verb, path := "", ""
	switch pattern := rule.Pattern.(type) {
	case *annotations.HttpRule_Get:
		verb, path = "GET", pattern.Get
	case *annotations.HttpRule_Put:
		verb, path = "PUT", pattern.Put
	case *annotations.HttpRule_Post:
		verb, path = "POST", pattern.Post
	case *annotations.HttpRule_Delete:
		verb, path = "DELETE", pattern.Delete
	case *annotations.HttpRule_Patch:
		verb, path = "PATCH", pattern.Patch
	}
	if rule.Body != "" {
		return verb + " " + path + " " + rule.Body
	}
	return verb + " " + path
}

func messagesOf(method reflect.Type) (reflect.Type, reflect.Type) {
	if method.NumOut() == 2 {
		return method.In(1).Elem(), method.Out(0).Elem()
	}
	stream := method.In(method.NumIn() - 1)
	if method.NumIn() == 2 {
		send, _ := stream.MethodByName("Send")
		return method.In(0).Elem(), send.Type.In(0).Elem()
	}
	receive, _ := stream.MethodByName("Recv")
	send, _ := stream.MethodByName("SendAndClose")
	return receive.Type.Out(0).Elem(), send.Type.In(0).Elem()
}

// How the packages of the messages are called in the table.
var aliases = map[string]string{
	"github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1": "v1alpha1",
	"k8s.io.apimachinery.pkg.apis.meta.v1":                         "meta",
	"k8s.io.api.core.v1":                                           "core",
	"github.com.argoproj.argo_cd.server.settings.oidc":             "oidc",
	"google.protobuf":                                              "google",
}

var packagesOf = map[string]string{}

func packageOf(t reflect.Type) string {
	if t == reflect.TypeOf(emptypb.Empty{}) {
		return "google.protobuf"
	}
	if message, ok := reflect.New(t).Interface().(gogo.Message); ok {
		if name := gogo.MessageName(message); name != "" {
			return strings.TrimSuffix(name, "."+t.Name())
		}
	}
	return strings.NewReplacer("/", ".", "-", "_").Replace(t.PkgPath())
}

func nameOf(t reflect.Type) string {
	full := packageOf(t)
	alias := aliases[full]
	if alias == "" {
		alias = full
	}
	packagesOf[alias] = full
	return alias + "." + t.Name()
}

type field struct {
	json, proto, kind, flags string
	number                   int
	index                    int
	goType                   reflect.Type
	oneof                    reflect.Type
}

func (f field) String() string {
	text := f.json
	if f.proto != f.json {
		text += "=" + f.proto
	}
	return fmt.Sprintf("%s:%s%s#%d", text, f.kind, f.flags, f.number)
}

var messages = map[reflect.Type][]field{}

func walkAll() {
	for _, root := range roots {
		walk(root)
	}
}

func walk(t reflect.Type) {
	if _, known := messages[t]; known {
		return
	}
	messages[t] = nil
	fields := fieldsOf(t)
	sort.Slice(fields, func(i, j int) bool { return fields[i].number < fields[j].number })
	messages[t] = fields
}

// Types with a letter of their own: what JSON has for them is no object of the same fields.
var letters = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "T",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                "M",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 "R",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "R",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "R",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "X",
}

// Of ResourceOverride, which has a marshaller of its own.
var untagged = map[string]string{
	"HealthLua": "health.lua", "UseOpenLibs": "health.lua.useOpenLibs", "Actions": "actions", "IgnoreDifferences": "ignoreDifferences",
	"IgnoreResourceUpdates": "ignoreResourceUpdates", "KnownTypeFields": "knownTypeFields",
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		one := t.Field(i)
		if one.Tag.Get("protobuf_oneof") != "" {
			fields = append(fields, oneofFields(t, i)...)
			continue
		}
		if tag := one.Tag.Get("protobuf"); tag != "" {
			fields = append(fields, fieldOf(one, tag, i))
		}
	}
	return fields
}

func oneofFields(t reflect.Type, index int) []field {
	wrapped := reflect.New(t).Interface().(interface{ XXX_OneofWrappers() []any }).XXX_OneofWrappers()
	var fields []field
	for _, wrapper := range wrapped {
		inner := reflect.TypeOf(wrapper).Elem()
		made := fieldOf(inner.Field(0), inner.Field(0).Tag.Get("protobuf"), index)
		made.json, made.flags, made.oneof = made.proto, "^", inner
		fields = append(fields, made)
	}
	return fields
}

func fieldOf(one reflect.StructField, tag string, index int) field {
	made := field{index: index, goType: one.Type}
	words := strings.Split(tag, ",")
	fmt.Sscan(words[1], &made.number)
	isNew, isRequired := false, false
	for _, word := range words {
		if name, ok := strings.CutPrefix(word, "name="); ok {
			made.proto = name
		}
		isNew = isNew || word == "proto3"
		isRequired = isRequired || word == "req"
	}
	jsonTag, has := one.Tag.Lookup("json")
	made.json = strings.Split(jsonTag, ",")[0]
	if !has {
		made.json = one.Name
		if name := untagged[one.Name]; name != "" {
			made.json = name
		}
	} else if made.json == "" && !one.Anonymous {
		made.json = one.Name
	}
	t := one.Type
	isPointer := t.Kind() == reflect.Pointer
	if isPointer {
		t = t.Elem()
	}
	made.kind = kindOf(t)
	isScalar := len(made.kind) == 1 && strings.Contains("sbilB", made.kind)
	switch {
	case isRequired:
		made.flags = "!"
	case isPointer:
		made.flags = "^"
	case isNew && isScalar, made.kind == "B":
		made.flags = "?"
	}
	return made
}

func kindOf(t reflect.Type) string {
	if letter := letters[t.PkgPath()+"."+t.Name()]; letter != "" {
		return letter
	}
	switch t.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32:
		return "i"
	case reflect.Int64, reflect.Int:
		return "l"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "B"
		}
		return "[" + kindOf(t.Elem())
	case reflect.Map:
		return "{" + kindOf(t.Elem())
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Struct:
		walk(t)
		return nameOf(t)
	}
	panic(t.String())
}

func printTable(out io.Writer) {
	byPackage := map[string][]string{}
	for t, fields := range messages {
		name := nameOf(t)
		home := strings.TrimSuffix(name, "."+t.Name())
		words := []string{t.Name()}
		for _, one := range fields {
			text := one.String()
			words = append(words, strings.Replace(text, home+".", "", 1))
		}
		byPackage[home] = append(byPackage[home], strings.Join(words, " "))
	}
	var homes []string
	for home := range byPackage {
		homes = append(homes, home)
	}
	sort.Strings(homes)
	for _, home := range homes {
		fmt.Fprintf(out, "# %s %s\n", home, packagesOf[home])
		sort.Strings(byPackage[home])
		for _, line := range byPackage[home] {
			fmt.Fprintln(out, line)
		}
	}
}

func printGolden(out io.Writer) {
	var types []reflect.Type
	for t := range messages {
		if t != reflect.TypeOf(emptypb.Empty{}) {
			types = append(types, t)
		}
	}
	sort.Slice(types, func(i, j int) bool { return nameOf(types[i]) < nameOf(types[j]) })
	for i, t := range types {
		for _, depth := range []int{0, 2} {
			value := reflect.New(t)
			random = uint32(i*7919 + depth)
			fill(value.Elem(), depth)
			raw, err := value.Interface().(interface{ Marshal() ([]byte, error) }).Marshal()
			must(err)
			text, err := json.Marshal(value.Interface())
			must(err)
			switch t {
			case reflect.TypeOf(v1alpha1.ResourceOverride{}), reflect.TypeOf(settings.Settings{}):
				text = []byte("null") // its marshaller writes one field as YAML
			case reflect.TypeOf(application.ApplicationManifestQueryWithFilesWrapper{}):
				text = []byte("null") // the JSON of Go has the names of its own wrappers
			}
			line, err := json.Marshal([]any{nameOf(t), json.RawMessage(text), base64.StdEncoding.EncodeToString(raw)})
			must(err)
			fmt.Fprintln(out, string(line)+",")
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
