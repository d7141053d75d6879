{{- define "inner.word" -}}inner{{- end -}}
