{{- define "named.twice" -}}child{{- end -}}
