{{- define "named.own" -}}own a{{- end -}}
{{- define "named.twice" -}}a{{- end -}}
