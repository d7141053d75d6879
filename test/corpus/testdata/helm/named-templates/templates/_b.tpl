{{- define "named.twice" -}}b{{- end -}}
{{- define "named.args" -}}{{ .one }}+{{ .two | default "none" }}{{- end -}}
