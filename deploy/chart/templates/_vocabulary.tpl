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
['node.coreweave.cloud/cordonReason', 'nodepool.io/applied-metadata', 'nodepool.io/reboot-policy', 'nodepool.io/reboot-failed', 'nodepool.io/removal', 'node.coreweave.cloud/dra-gpu-enabled', 'cks.coreweave.cloud/system-critical']
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
