{{/*
The part of a policy's metadata and the binding that are the same for all policies. Takes a list: the root, the name.
*/}}
{{- define "nodepool.policyMetadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
labels:
  {{- include "nodepool.labels" (list $root "admission") | nindent 2 }}
{{- end -}}

{{- define "nodepool.denyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  {{- include "nodepool.policyMetadata" . | nindent 2 }}
spec:
  policyName: {{ index . 1 }}
  validationActions: [Deny]
{{- end -}}

{{/* The user names that the API server gives to the accounts of the operator and of the data centre. */}}
{{- define "nodepool.operatorUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "nodepool.operatorAccount" . }}
{{- end -}}

{{- define "nodepool.dataCentreUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "nodepool.dataCentreAccount" . }}
{{- end -}}

{{/* JSON: the users of the fleets that may write what belongs to a fleet. */}}
{{- define "nodepool.fleetUsers" -}}
{{- $users := list (include "nodepool.dataCentreUser" .) }}
{{- if (default dict .Values.ironic).enabled }}
{{- $users = append $users (printf "system:serviceaccount:%s:%s" .Release.Namespace (include "nodepool.ironicAccount" .)) }}
{{- end }}
{{- toJson $users }}
{{- end -}}

{{/*
A CEL expression: each key that differs between two maps fulfils a condition over `key`. Objects count as maps too.
Takes a list: one map, the other, the condition.
*/}}
{{- define "nodepool.changesOnly" -}}
{{- $new := index . 0 -}}{{- $old := index . 1 -}}
({{ $new }}.filter(key, !(key in {{ $old }} && {{ $old }}[key] == {{ $new }}[key])) +
{{ $old }}.filter(key, !(key in {{ $new }}))).all(key, {{ index . 2 }})
{{- end -}}

{{/*
CEL over `key` and the variable labels: a label of a Node that the operator writes, by the pool's spec, by the Node's owner,
or while its machine is rebooted or stopped.
*/}}
{{- define "nodepool.ownNodeLabel" -}}
key in {{ include "nodepool.operatorNodeLabels" . }} ||
{{- include "nodepool.allowedReservedKeys" . }}
(key == 'node.coreweave.cloud/state' && variables.labels[?key].orValue('') in ['production', 'production-reboot',
'production-powerreset', 'production-reconfigure-powercycle-test', 'production-verification', 'zap', 'triage']) ||
!(key in {{ include "nodepool.otherNodeLabels" . }} ||
key.matches('^([^/]*[.])?coreweave[.](cloud|com)/'))
{{- end -}}

{{/* CEL over `key`, in a disjunction: a reserved key that NodePools may set. */}}
{{- define "nodepool.allowedReservedKeys" -}}
{{- with .Values.operator.allowedReservedKeys }}
key in {{ toJson . }} ||
{{- end }}
{{- end -}}

{{/* CEL over `key`: an annotation of a Node that the operator writes, by the pool's spec or as a record of its own. */}}
{{- define "nodepool.ownNodeAnnotation" -}}
key in {{ include "nodepool.operatorNodeAnnotations" . }} ||
{{- include "nodepool.allowedReservedKeys" . }}
!(key in ['node.alpha.kubernetes.io/ttl', 'volumes.kubernetes.io/controller-managed-attach-detach',
'csi.volume.kubernetes.io/nodeid', 'alpha.kubernetes.io/provided-node-ip', 'scheduler.alpha.kubernetes.io/taints',
'scheduler.alpha.kubernetes.io/preferAvoidPods'] ||
key.matches('(?i)^([^/]*[.])?(coreweave[.](cloud|com)|nodepool[.]io)/'))
{{- end -}}

{{/* CEL over `each`: a taint of a Node that another owner sets and removes. */}}
{{- define "nodepool.foreignTaint" -}}
each.key in ['ToBeDeletedByClusterAutoscaler', 'DeletionCandidateOfClusterAutoscaler'] ||
(each.key != 'node.coreweave.cloud/reserved' &&
each.key.matches('(?i)^([^/]*[.])?(coreweave[.](cloud|com)|nodepool[.]io|kubernetes[.]io|k8s[.]io)/'))
{{- end -}}
