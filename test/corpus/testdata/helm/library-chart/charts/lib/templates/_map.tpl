{{- define "lib.labels" -}}
app: {{ .Chart.Name }}
managed: {{ .Release.Service }}
{{- end -}}
{{- define "lib.map" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
  labels: {{- include "lib.labels" . | nindent 4 }}
{{- end -}}
