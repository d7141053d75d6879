{{- define "sub.name" -}}{{ .Release.Name }}-{{ .Chart.Name }}{{- end -}}
