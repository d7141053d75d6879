package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The same for every run: a linear congruential generator.
var random uint32

func next(below uint32) int {
	random = random*1664525 + 1013904223
	return int(random >> 16 % below)
}

var texts = []string{"", "a", "héllo ✓", "line\nbreak", "https://git.example.com/shop.git"}
var numbers = []int64{0, 1, -1, 127, 128, 300, 1 << 31, -(1 << 40), 1<<53 - 1}

// Whether the message at hand has its maps sorted by key; gogo's own messages have them in any order.
var sorted bool

// fill gives a message values: all that its table names, messages in it to the given depth.
func fill(value reflect.Value, depth int) {
	outer := sorted
	sorted = strings.Contains(value.Type().PkgPath(), "/apis/")
	defer func() { sorted = outer }()
	for _, one := range messages[value.Type()] {
		target := value.Field(one.index)
		if one.oneof != nil {
			if target.IsNil() && depth > 0 {
				wrapper := reflect.New(one.oneof)
				set(wrapper.Elem().Field(0), depth-1)
				target.Set(wrapper)
			}
			continue
		}
		if one.flags == "!" && target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
			if target.Kind() == reflect.Struct { // with what it requires itself
				fill(target, max(depth-1, 0))
				continue
			}
		}
		set(target, depth)
	}
}

func set(target reflect.Value, depth int) {
	if special(target) {
		return
	}
	switch target.Kind() {
	case reflect.String:
		target.SetString(texts[next(uint32(len(texts)))])
	case reflect.Bool:
		target.SetBool(next(2) == 1)
	case reflect.Int32:
		target.SetInt(int64(next(1<<15)) - 100)
	case reflect.Int64, reflect.Int:
		target.SetInt(numbers[next(uint32(len(numbers)))])
	case reflect.Pointer:
		if next(4) == 0 || (depth == 0 && target.Type().Elem().Kind() == reflect.Struct) {
			return
		}
		made := reflect.New(target.Type().Elem())
		set(made.Elem(), depth)
		if zero, ok := made.Interface().(*meta.Time); ok && zero.IsZero() { // JSON has null for it, as for none
			return
		}
		target.Set(made)
	case reflect.Slice:
		setSlice(target, depth)
	case reflect.Map:
		if depth == 0 {
			return
		}
		made := reflect.MakeMap(target.Type())
		count := 1
		if sorted {
			count += next(3)
		}
		for i := range count {
			item := reflect.New(target.Type().Elem()).Elem()
			set(item, depth-1)
			made.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key-%d", i)), item)
		}
		target.Set(made)
	case reflect.Struct:
		if depth > 0 {
			fill(target, depth-1)
		}
	}
}

func setSlice(target reflect.Value, depth int) {
	if target.Type().Elem().Kind() == reflect.Uint8 {
		target.SetBytes([]byte{0, 1, 254, 255})
		return
	}
	count := 1 + next(2)
	if depth == 0 {
		count = 0
	}
	if kind := target.Type().Elem().Kind(); kind != reflect.Struct && kind != reflect.Pointer {
		count = 1 + next(3)
	}
	if count == 0 {
		return
	}
	made := reflect.MakeSlice(target.Type(), count, count)
	for i := range count {
		item := made.Index(i)
		if item.Kind() == reflect.Pointer { // no element of a list is absent
			item.Set(reflect.New(item.Type().Elem()))
			item = item.Elem()
		}
		set(item, depth-1)
	}
	target.Set(made)
}

var at = time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)

func special(target reflect.Value) bool {
	switch target.Addr().Interface().(type) {
	case *meta.Time:
		if next(3) > 0 {
			target.Set(reflect.ValueOf(meta.NewTime(at.Truncate(time.Second))))
		}
	case *meta.MicroTime:
		target.Set(reflect.ValueOf(meta.NewMicroTime(at)))
	case *meta.FieldsV1:
		target.Set(reflect.ValueOf(meta.FieldsV1{Raw: []byte(`{"f:spec":{}}`)}))
	case *runtime.RawExtension:
		target.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(`{"a":[1,"b",null]}`)}))
	case *apiextensions.JSON:
		target.Set(reflect.ValueOf(apiextensions.JSON{Raw: []byte(`["x",{"y":1.5}]`)}))
	case *intstr.IntOrString:
		target.Set(reflect.ValueOf([]intstr.IntOrString{intstr.FromInt32(7), intstr.FromString("25%")}[next(2)]))
	default:
		return false
	}
	return true
}
