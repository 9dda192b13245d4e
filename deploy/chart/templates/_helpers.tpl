{{/* The start of every name: the release's, or the one that was given. */}}
{{- define "nodepool.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of what belongs to the data centre. */}}
{{- define "nodepool.dataCentre" -}}
{{ include "nodepool.fullname" . }}-data-centre
{{- end -}}

{{/* The names of the accounts. */}}
{{- define "nodepool.operatorAccount" -}}
{{ default (include "nodepool.fullname" .) (default dict .Values.operator.serviceAccount).name }}
{{- end -}}

{{- define "nodepool.dataCentreAccount" -}}
{{ default (include "nodepool.dataCentre" .) (default dict .Values.dataCentre.serviceAccount).name }}
{{- end -}}

{{- define "nodepool.ironic" -}}
{{ include "nodepool.fullname" . }}-ironic
{{- end -}}

{{- define "nodepool.ironicAccount" -}}
{{ default (include "nodepool.ironic" .) (default dict .Values.ironic.serviceAccount).name }}
{{- end -}}

{{/* Labels that select a component's Pods and never change. Takes a list: the root, the component. */}}
{{- define "nodepool.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* All labels of a component's objects. Takes a list: the root, the component. */}}
{{- define "nodepool.labels" -}}
{{- $root := index . 0 -}}
{{ include "nodepool.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "nodepool.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* What confines all Pods, and their containers. An upgrade that reuses the values of an earlier chart gives none. */}}
{{- define "nodepool.podSecurityContext" -}}
{{- $seccomp := dict "type" "RuntimeDefault" -}}
{{- $own := dict "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "seccompProfile" $seccomp -}}
{{- toYaml (default $own .Values.podSecurityContext) -}}
{{- end -}}

{{- define "nodepool.securityContext" -}}
{{- $own := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- toYaml (default $own .Values.securityContext) -}}
{{- end -}}

{{/*
The Pod of a component without its arguments. Takes a dict: root, component, account, values (of the component), args, and
ports beside that of the metrics and Secrets that are mounted below /etc/nodepool, both by their names in the Pod.
The image's entry point is the nodepool command; it needs no place to write.
*/}}
{{- define "nodepool.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "nodepool.labels" (list $root .component) | nindent 4 }}
    {{- with .values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ .account }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  # Longer than the command's orderly shutdown takes.
  terminationGracePeriodSeconds: 30
  securityContext:
    {{- include "nodepool.podSecurityContext" $root | nindent 4 }}
  {{- $affinity := dict }}
  {{- if $root.Values.keepOffPoolNodes }}
  {{- $offPools := dict "key" "compute.coreweave.com/node-pool" "operator" "DoesNotExist" }}
  {{- $terms := list (dict "matchExpressions" (list $offPools)) }}
  {{- $affinity = dict "nodeAffinity" (dict
      "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms)) }}
  {{- end }}
  {{- with mergeOverwrite $affinity (deepCopy (default dict .values.affinity)) }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- $spread := .values.topologySpreadConstraints }}
  {{- if kindIs "invalid" $spread }}
  {{- $spread = list (dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway") }}
  {{- end }}
  {{- $own := dict "labelSelector" (dict "matchLabels" (include "nodepool.selector" (list $root .component) | fromYaml)) }}
  {{- with $spread }}
  topologySpreadConstraints:
    {{- range . }}
    {{- toYaml (list (ternary . (merge (deepCopy .) $own) (hasKey . "labelSelector"))) | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "nodepool.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- range .args }}
        - {{ . | quote }}
        {{- end }}
      env:
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        {{- with .values.jvmOptions }}
        - name: JDK_JAVA_OPTIONS
          value: {{ join " " . | quote }}
        {{- end }}
        {{- with .values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: metrics
          containerPort: 8080
        {{- range $name, $port := .ports }}
        - name: {{ $name }}
          containerPort: {{ $port }}
        {{- end }}
      {{- with .secrets }}
      volumeMounts:
        {{- range $name, $secret := . }}
        - name: {{ $name }}
          mountPath: /etc/nodepool/{{ $name }}
          readOnly: true
        {{- end }}
      {{- end }}
      startupProbe:
        httpGet:
          path: /healthz
          port: metrics
        periodSeconds: 2
        failureThreshold: 30
      livenessProbe:
        httpGet:
          path: /healthz
          port: metrics
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet:
          path: /readyz
          port: metrics
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        {{- include "nodepool.securityContext" $root | nindent 8 }}
  {{- with .secrets }}
  volumes:
    {{- range $name, $secret := . }}
    - name: {{ $name }}
      secret:
        secretName: {{ $secret }}
    {{- end }}
  {{- end }}
{{- end -}}

{{/*
Whether a part must be rendered: a text if so, none if not. Takes a dict: root, enabled (true, false or "auto"), apis.
*/}}
{{- define "nodepool.served" -}}
{{- $root := .root -}}
{{- if eq (toString .enabled) "auto" -}}
{{- range .apis -}}
{{- if $root.Capabilities.APIVersions.Has . }}yes{{ end -}}
{{- end -}}
{{- else if .enabled -}}
yes
{{- end -}}
{{- end -}}
