{{- define "lib.map" -}}{{- end -}}
