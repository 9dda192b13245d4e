{{/*
CEL lists of what the vocabulary defines, for the policies about the operator's account. Generated:
./mvnw test -Pquick -Dtest=AdmissionManifestTest -Dadmission.write=true
*/}}
{{- define "nodepool.operatorNodeLabels" -}}
['compute.coreweave.com/node-pool', 'compute.coreweave.com/node-pool-uid', 'compute.coreweave.com/compute-class', 'node.coreweave.cloud/pending-state', 'node.coreweave.cloud/reserved', 'qos.coreweave.cloud/pending-preemption', 'qos.coreweave.cloud/evicted-at', 'cks.coreweave.cloud/system-critical', 'node.coreweave.cloud/dra-gpu-enabled']
{{- end -}}
{{- define "nodepool.otherNodeLabels" -}}
['node.kubernetes.io/instance-type', 'node.kubernetes.io/type', 'kubernetes.io/arch', 'kubernetes.io/os', 'kubernetes.io/hostname', 'beta.kubernetes.io/arch', 'beta.kubernetes.io/os', 'topology.kubernetes.io/region', 'topology.kubernetes.io/zone', 'gpu.nvidia.com/count', 'gpu.nvidia.com/class', 'gpu.nvidia.com/model', 'gpu.nvidia.com/vram']
{{- end -}}
{{- define "nodepool.operatorNodeAnnotations" -}}
['node.coreweave.cloud/cordonReason', 'nodepool.io/applied-metadata', 'nodepool.io/reboot-policy', 'nodepool.io/reboot-failed', 'nodepool.io/removal', 'cks.coreweave.cloud/system-critical', 'node.coreweave.cloud/dra-gpu-enabled']
{{- end -}}
{{- define "nodepool.poolAnnotations" -}}
['nodepool.io/node-affinity', 'nodepool.io/paused', 'nodepool.io/release-failed-reboots', 'nodepool.io/release', 'nodepool.io/release-suspects', 'nodepool.io/repair', 'nodepool.io/verification-job', 'nodepool.io/repair-max-unavailable', 'nodepool.io/repair-max-at-once', 'nodepool.io/preserve', 'nodepool.io/promote', 'nodepool.io/rollback', 'nodepool.io/rollout', 'nodepool.io/accepted-command', 'nodepool.io/rollout-max-unavailable', 'nodepool.io/rollout-canary', 'nodepool.io/rollout-soak', 'nodepool.io/rollout-evict']
{{- end -}}
{{- define "nodepool.poolAnnotationNames" -}}
nodepool.io/node-affinity, nodepool.io/paused, nodepool.io/release-failed-reboots, nodepool.io/release, nodepool.io/release-suspects, nodepool.io/repair, nodepool.io/verification-job, nodepool.io/repair-max-unavailable, nodepool.io/repair-max-at-once, nodepool.io/preserve, nodepool.io/promote, nodepool.io/rollback, nodepool.io/rollout, nodepool.io/accepted-command, nodepool.io/rollout-max-unavailable, nodepool.io/rollout-canary, nodepool.io/rollout-soak and nodepool.io/rollout-evict
{{- end -}}
{{- define "nodepool.reservedSignals" -}}
^(conditions|fleet|operator|published)[.]
{{- end -}}
{{- define "nodepool.kubernetesNodeConditions" -}}
['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable', 'DrainInProgress', 'Drained', 'MaintenancePlanned', 'MaintenanceInProgress']
{{- end -}}
{{- define "nodepool.operatorNodeConditions" -}}
['CWActive', 'CWRegistered', 'CWNodeRemoval', 'PhaseState', 'PendingPhaseState', 'NLCCImmediateReboot']
{{- end -}}
{{- define "nodepool.operatorNodeConditionNames" -}}
CWActive, CWRegistered, CWNodeRemoval, PhaseState, PendingPhaseState and NLCCImmediateReboot
{{- end -}}
