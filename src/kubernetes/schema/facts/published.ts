// Generated from the published schemas of Kubernetes 1.36.3; not edited by hand. published.ts says how to read it.
/** What only the published schemas say: allowed values, defaults, unions; one line each. */
export const published = `# admissionregistration.v1
MatchResources matchPolicy Equivalent|Exact
MutatingAdmissionPolicySpec failurePolicy Fail|Ignore
MutatingAdmissionPolicySpec reinvocationPolicy IfNeeded|Never
MutatingWebhook failurePolicy Fail|Ignore
MutatingWebhook matchPolicy Equivalent|Exact
MutatingWebhook reinvocationPolicy IfNeeded|Never
MutatingWebhook sideEffects None|NoneOnDryRun|Some|Unknown
Mutation patchType ApplyConfiguration|JSONPatch
NamedRuleWithOperations operations *|CONNECT|CREATE|DELETE|UPDATE
NamedRuleWithOperations scope *|Cluster|Namespaced
RuleWithOperations operations *|CONNECT|CREATE|DELETE|UPDATE
RuleWithOperations scope *|Cluster|Namespaced
ValidatingAdmissionPolicyBindingSpec validationActions Audit|Deny|Warn
ValidatingAdmissionPolicySpec failurePolicy Fail|Ignore
ValidatingWebhook failurePolicy Fail|Ignore
ValidatingWebhook matchPolicy Equivalent|Exact
ValidatingWebhook sideEffects None|NoneOnDryRun|Some|Unknown
# apiextensions.v1
ValidationRule reason FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired
# apps.v1
DaemonSetUpdateStrategy type OnDelete|RollingUpdate
DeploymentStrategy type Recreate|RollingUpdate
StatefulSetSpec podManagementPolicy OrderedReady|Parallel
StatefulSetUpdateStrategy type OnDelete|RollingUpdate
# batch.v1
CronJobSpec concurrencyPolicy Allow|Forbid|Replace
JobSpec completionMode Indexed|NonIndexed
JobSpec podReplacementPolicy Failed|TerminatingOrFailed
PodFailurePolicyOnExitCodesRequirement operator In|NotIn
PodFailurePolicyRule action Count|FailIndex|FailJob|Ignore
# certificates.v1
CertificateSigningRequestSpec usages any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping
# core.v1
AzureDiskVolumeSource readOnly =false
ConfigMapEnvSource name =""
ConfigMapKeySelector name =""
ConfigMapProjection name =""
ConfigMapVolumeSource name =""
FileKeySelector optional =false
GRPCAction service =""
LocalObjectReference name =""
ReplicationControllerSpec minReadySeconds =0
SecretEnvSource name =""
SecretKeySelector name =""
SecretProjection name =""
AppArmorProfile type Localhost|RuntimeDefault|Unconfined
AppArmorProfile type ?localhostProfile:LocalhostProfile
AzureDiskVolumeSource cachingMode None|ReadOnly|ReadWrite
AzureDiskVolumeSource kind Dedicated|Managed|Shared
AzureDiskVolumeSource cachingMode ="ReadWrite"
AzureDiskVolumeSource fsType ="ext4"
AzureDiskVolumeSource kind ="Shared"
Container imagePullPolicy Always|IfNotPresent|Never
Container terminationMessagePolicy FallbackToLogsOnError|File
ContainerPort protocol SCTP|TCP|UDP
ContainerPort protocol ="TCP"
ContainerStatus stopSignal SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ
EndpointPort protocol SCTP|TCP|UDP
EphemeralContainer imagePullPolicy Always|IfNotPresent|Never
EphemeralContainer terminationMessagePolicy FallbackToLogsOnError|File
HTTPGetAction scheme HTTP|HTTPS
HostPathVolumeSource type |BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket
ISCSIPersistentVolumeSource iscsiInterface ="default"
ISCSIVolumeSource iscsiInterface ="default"
ImageVolumeSource pullPolicy Always|IfNotPresent|Never
Lifecycle stopSignal SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ
ModifyVolumeStatus status InProgress|Infeasible|Pending
NamespaceStatus phase Active|Terminating
NodeSelectorRequirement operator DoesNotExist|Exists|Gt|In|Lt|NotIn
NodeStatus phase Pending|Running|Terminated
PersistentVolumeClaimSpec accessModes ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
PersistentVolumeClaimSpec volumeMode Block|Filesystem
PersistentVolumeClaimStatus accessModes ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
PersistentVolumeClaimStatus allocatedResourceStatuses ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending
PersistentVolumeClaimStatus phase Bound|Lost|Pending
PersistentVolumeSpec accessModes ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
PersistentVolumeSpec persistentVolumeReclaimPolicy Delete|Recycle|Retain
PersistentVolumeSpec volumeMode Block|Filesystem
PersistentVolumeStatus phase Available|Bound|Failed|Pending|Released
PodSchedulingGroup - ?podGroupName:PodGroupName
PodSecurityContext fsGroupChangePolicy Always|OnRootMismatch
PodSecurityContext supplementalGroupsPolicy Merge|Strict
PodSpec dnsPolicy ClusterFirst|ClusterFirstWithHostNet|Default|None
PodSpec preemptionPolicy Never|PreemptLowerPriority
PodSpec restartPolicy Always|Never|OnFailure
PodStatus phase Failed|Pending|Running|Succeeded|Unknown
PodStatus qosClass BestEffort|Burstable|Guaranteed
PortStatus protocol SCTP|TCP|UDP
RBDPersistentVolumeSource keyring ="/etc/ceph/keyring"
RBDPersistentVolumeSource pool ="rbd"
RBDPersistentVolumeSource user ="admin"
RBDVolumeSource keyring ="/etc/ceph/keyring"
RBDVolumeSource pool ="rbd"
RBDVolumeSource user ="admin"
ReplicationControllerSpec replicas =1
ResourceQuotaSpec scopes BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass
ScaleIOPersistentVolumeSource fsType ="xfs"
ScaleIOPersistentVolumeSource storageMode ="ThinProvisioned"
ScaleIOVolumeSource fsType ="xfs"
ScaleIOVolumeSource storageMode ="ThinProvisioned"
ScopedResourceSelectorRequirement operator DoesNotExist|Exists|In|NotIn
ScopedResourceSelectorRequirement scopeName BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass
SeccompProfile type Localhost|RuntimeDefault|Unconfined
SeccompProfile type ?localhostProfile:LocalhostProfile
SecurityContext procMount Default|Unmasked
ServicePort protocol SCTP|TCP|UDP
ServicePort protocol ="TCP"
ServiceSpec externalTrafficPolicy Cluster|Local
ServiceSpec internalTrafficPolicy Cluster|Local
ServiceSpec ipFamilies |IPv4|IPv6
ServiceSpec ipFamilyPolicy PreferDualStack|RequireDualStack|SingleStack
ServiceSpec sessionAffinity ClientIP|None
ServiceSpec type ClusterIP|ExternalName|LoadBalancer|NodePort
Taint effect NoExecute|NoSchedule|PreferNoSchedule
Toleration effect NoExecute|NoSchedule|PreferNoSchedule
Toleration operator Equal|Exists|Gt|Lt
TopologySpreadConstraint nodeAffinityPolicy Honor|Ignore
TopologySpreadConstraint nodeTaintsPolicy Honor|Ignore
TopologySpreadConstraint whenUnsatisfiable DoNotSchedule|ScheduleAnyway
VolumeMount mountPropagation Bidirectional|HostToContainer|None
# discovery.v1
EndpointPort protocol SCTP|TCP|UDP
EndpointSlice addressType FQDN|IPv4|IPv6
# flowcontrol.v1
LimitResponse type ?queuing:Queuing
PriorityLevelConfigurationSpec type ?exempt:Exempt|limited:Limited
Subject kind ?group:Group|serviceAccount:ServiceAccount|user:User
# networking.v1
HTTPIngressPath pathType Exact|ImplementationSpecific|Prefix
IngressPortStatus protocol SCTP|TCP|UDP
NetworkPolicyPort protocol SCTP|TCP|UDP
NetworkPolicySpec policyTypes Egress|Ingress
# policy.v1
PodDisruptionBudgetSpec unhealthyPodEvictionPolicy AlwaysAllow|IfHealthyBudget
# resource.v1
DeviceAllocationConfiguration source FromClaim|FromClass
DeviceSubRequest allocationMode All|ExactCount
DeviceTaint effect NoExecute|NoSchedule|None
DeviceToleration effect NoExecute|NoSchedule|None
DeviceToleration operator Equal|Exists
DeviceToleration operator ="Equal"
ExactDeviceRequest allocationMode All|ExactCount
# scheduling.v1
PriorityClass preemptionPolicy Never|PreemptLowerPriority
# storage.v1
StorageClass reclaimPolicy Delete|Recycle|Retain
StorageClass volumeBindingMode Immediate|WaitForFirstConsumer
# autoscaling.v1
ScaleSpec replicas =0
`;
