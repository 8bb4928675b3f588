{{- define "malipo.name" -}}
{{- if contains "malipo" .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-malipo" (.Release.Name | trunc 33 | trimSuffix "-") }}{{- end -}}
{{- end }}

{{- define "malipo.selector" -}}
app.kubernetes.io/name: malipo
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "malipo.labels" -}}
{{ include "malipo.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "malipo.tag" -}}
{{- required "image.tag: the version that is rolled out" .Values.image.tag -}}
{{- end }}

{{- define "malipo.image" -}}
{{- if .Values.image.digest -}}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}{{- else -}}{{ printf "%s:%s" .Values.image.repository (include "malipo.tag" .) }}{{- end -}}
{{- end }}

{{- define "malipo.buildId" -}}
{{- .Values.buildId | default (include "malipo.tag" .) -}}
{{- end }}

{{/* A build id as part of a name: two ids that look alike in it differ by their digest. */}}
{{- define "malipo.buildName" -}}
{{- printf "%s-%s" (regexReplaceAll "[^a-z0-9]+" (lower .) "-" | trunc 30 | trimAll "-") (sha256sum . | trunc 6) -}}
{{- end }}

{{- define "malipo.channelsConfigMap" -}}
{{- if .Values.channelsConfigMap -}}{{ .Values.channelsConfigMap }}{{- else -}}{{ include "malipo.name" . }}-channels{{- end -}}
{{- end }}

{{/* The variables of every process. Hooks run before a ConfigMap of this release exists, so they are written out. */}}
{{- define "malipo.environment" -}}
- { name: MALIPO_ENV, value: production }
- { name: API_HOST, value: 0.0.0.0 }
- { name: MANAGEMENT_HOST, value: 0.0.0.0 }
{{- range $name, $value := .Values.environment }}
{{- if ne (toString $value) "" }}
- { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{- define "malipo.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "malipo.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "malipo.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "malipo.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: channels, mountPath: /etc/malipo, readOnly: true }
{{- range .Values.secretFiles }}
- { name: secret-{{ . }}, mountPath: /run/secrets/{{ . }}, readOnly: true }
{{- end }}
{{- end }}

{{- define "malipo.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 128Mi }
- name: channels
  configMap: { name: {{ include "malipo.channelsConfigMap" . }} }
{{- range .Values.secretFiles }}
- name: secret-{{ . }}
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- end }}

{{- define "malipo.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: management }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: management }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: management }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
