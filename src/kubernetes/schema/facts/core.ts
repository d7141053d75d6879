// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of core.v1, one line each. */
export const core = `# core.v1
AWSElasticBlockStoreVolumeSource volumeID:s!#1 fsType:s?#2 partition:i?#3 readOnly:b?#4
Affinity nodeAffinity:NodeAffinity^?#1 podAffinity:PodAffinity^?#2 podAntiAffinity:PodAntiAffinity^?#3
AppArmorProfile type:s!#1 localhostProfile:s^?#2
AttachedVolume name:s!#1 devicePath:s!#2
AzureDiskVolumeSource diskName:s!#1 diskURI:s!#2 cachingMode:s^?#3=ReadWrite fsType:s^?#4=ext4 readOnly:b^?#5=false kind:s^?#6=Shared
AzureFilePersistentVolumeSource secretName:s!#1 shareName:s!#2 readOnly:b?#3 secretNamespace:s^#4
AzureFileVolumeSource secretName:s!#1 shareName:s!#2 readOnly:b?#3
Binding kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 target:ObjectReference!#2
CSIPersistentVolumeSource driver:s!#1 volumeHandle:s!#2 readOnly:b?#3 fsType:s?#4 volumeAttributes:{s?#5 controllerPublishSecretRef:SecretReference^?#6 nodeStageSecretRef:SecretReference^?#7 nodePublishSecretRef:SecretReference^?#8 controllerExpandSecretRef:SecretReference^?#9 nodeExpandSecretRef:SecretReference^?#10
CSIVolumeSource driver:s!#1 readOnly:b^?#2 fsType:s^?#3 volumeAttributes:{s?#4 nodePublishSecretRef:LocalObjectReference^?#5
Capabilities add:[s?#1 drop:[s?#2
CephFSPersistentVolumeSource monitors:[s!#1 path:s?#2 user:s?#3 secretFile:s?#4 secretRef:SecretReference^?#5 readOnly:b?#6
CephFSVolumeSource monitors:[s!#1 path:s?#2 user:s?#3 secretFile:s?#4 secretRef:LocalObjectReference^?#5 readOnly:b?#6
CinderPersistentVolumeSource volumeID:s!#1 fsType:s?#2 readOnly:b?#3 secretRef:SecretReference^?#4
CinderVolumeSource volumeID:s!#1 fsType:s?#2 readOnly:b?#3 secretRef:LocalObjectReference^?#4
ClientIPConfig timeoutSeconds:i^?#1
ClusterTrustBundleProjection name:s^?#1 signerName:s^?#2 labelSelector:meta.v1.LabelSelector^?#3 optional:b^?#5 path:s!#4
ComponentCondition type:s!#1 status:s!#2 message:s?#3 error:s?#4
ComponentStatus kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 conditions:[ComponentCondition?#2@type~type
ConfigMap kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 immutable:b^?#4 data:{s?#2 binaryData:{B?#3
ConfigMapEnvSource name:s?#1.1= optional:b^?#2
ConfigMapKeySelector@. name:s?#1.1= key:s!#2 optional:b^?#3
ConfigMapNodeConfigSource namespace:s!#1 name:s!#2 uid:s?#3 resourceVersion:s?#4 kubeletConfigKey:s!#5
ConfigMapProjection name:s?#1.1= items:[KeyToPath?#2 optional:b^?#4
ConfigMapVolumeSource name:s?#1.1= items:[KeyToPath?#2 defaultMode:i^?#3 optional:b^?#4
Container name:s!#1 image:s?#2 command:[s?#3 args:[s?#4 workingDir:s?#5 ports:[ContainerPort?#6@containerPort,protocol~containerPort envFrom:[EnvFromSource?#19 env:[EnvVar?#7@name~name resources:ResourceRequirements#8 resizePolicy:[ContainerResizePolicy?#23 restartPolicy:s^?#24 restartPolicyRules:[ContainerRestartRule?#25 volumeMounts:[VolumeMount?#9@mountPath~mountPath volumeDevices:[VolumeDevice?#21@devicePath~devicePath livenessProbe:Probe^?#10 readinessProbe:Probe^?#11 startupProbe:Probe^?#22 lifecycle:Lifecycle^?#12 terminationMessagePath:s?#13 terminationMessagePolicy:s?#20 imagePullPolicy:s?#14 securityContext:SecurityContext^?#15 stdin:b?#16 stdinOnce:b?#17 tty:b?#18
ContainerExtendedResourceRequest containerName:s!#1 resourceName:s!#2 requestName:s!#3
ContainerImage names:[s#1 sizeBytes:l?#2
ContainerPort name:s?#1 hostPort:i?#2 containerPort:i!#3 protocol:s?#4=TCP hostIP:s?#5
ContainerResizePolicy resourceName:s!#1 restartPolicy:s!#2
ContainerRestartRule action:s?!#1 exitCodes:ContainerRestartRuleOnExitCodes^?#2
ContainerRestartRuleOnExitCodes operator:s?!#1 values:[i?#2@*
ContainerState waiting:ContainerStateWaiting^?#1 running:ContainerStateRunning^?#2 terminated:ContainerStateTerminated^?#3
ContainerStateRunning startedAt:T#1
ContainerStateTerminated exitCode:i!#1 signal:i?#2 reason:s?#3 message:s?#4 startedAt:T#5 finishedAt:T#6 containerID:s?#7
ContainerStateWaiting reason:s?#1 message:s?#2
ContainerStatus name:s!#1 state:ContainerState#2 lastState:ContainerState#3 ready:b!#4 restartCount:i!#5 image:s!#6 imageID:s!#7 containerID:s?#8 started:b^?#9 allocatedResources:{Q?#10 resources:ResourceRequirements^?#11 volumeMounts:[VolumeMountStatus?#12@mountPath~mountPath user:ContainerUser^?#13 allocatedResourcesStatus:[ResourceStatus?#14@name~name stopSignal:s^?#15
ContainerUser linux:LinuxContainerUser^?#1
DaemonEndpoint Port:i!#1
DownwardAPIProjection items:[DownwardAPIVolumeFile?#1
DownwardAPIVolumeFile path:s!#1 fieldRef:ObjectFieldSelector^?#2 resourceFieldRef:ResourceFieldSelector^?#3 mode:i^?#4
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile?#1 defaultMode:i^?#2
EmptyDirVolumeSource medium:s?#1 sizeLimit:Q^?#2
EndpointAddress@. ip:s!#1 hostname:s?#3 nodeName:s^?#4 targetRef:ObjectReference^?#2
EndpointPort@. name:s?#1 port:i!#2 protocol:s?#3 appProtocol:s^?#4
EndpointSubset addresses:[EndpointAddress?#1 notReadyAddresses:[EndpointAddress?#2 ports:[EndpointPort?#3
Endpoints kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 subsets:[EndpointSubset?#2
EnvFromSource prefix:s?#1 configMapRef:ConfigMapEnvSource^?#2 secretRef:SecretEnvSource^?#3
EnvVar name:s!#1 value:s?#2 valueFrom:EnvVarSource^?#3
EnvVarSource fieldRef:ObjectFieldSelector^?#1 resourceFieldRef:ResourceFieldSelector^?#2 configMapKeyRef:ConfigMapKeySelector^?#3 secretKeyRef:SecretKeySelector^?#4 fileKeyRef:FileKeySelector^?#5
EphemeralContainer name:s!#1.1 image:s?#1.2 command:[s?#1.3 args:[s?#1.4 workingDir:s?#1.5 ports:[ContainerPort?#1.6@containerPort,protocol~containerPort envFrom:[EnvFromSource?#1.19 env:[EnvVar?#1.7@name~name resources:ResourceRequirements#1.8 resizePolicy:[ContainerResizePolicy?#1.23 restartPolicy:s^?#1.24 restartPolicyRules:[ContainerRestartRule?#1.25 volumeMounts:[VolumeMount?#1.9@mountPath~mountPath volumeDevices:[VolumeDevice?#1.21@devicePath~devicePath livenessProbe:Probe^?#1.10 readinessProbe:Probe^?#1.11 startupProbe:Probe^?#1.22 lifecycle:Lifecycle^?#1.12 terminationMessagePath:s?#1.13 terminationMessagePolicy:s?#1.20 imagePullPolicy:s?#1.14 securityContext:SecurityContext^?#1.15 stdin:b?#1.16 stdinOnce:b?#1.17 tty:b?#1.18 targetContainerName:s?#2
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate^?#1
Event kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta!#1 involvedObject:ObjectReference!#2 reason:s?#3 message:s?#4 source:EventSource#5 firstTimestamp:T#6 lastTimestamp:T#7 count:i?#8 type:s?#9 eventTime:M#10 series:EventSeries^?#11 action:s?#12 related:ObjectReference^?#13 reportingComponent:s#14 reportingInstance:s#15
EventSeries count:i?#1 lastObservedTime:M#2
EventSource component:s?#1 host:s?#2
ExecAction command:[s?#1
FCVolumeSource targetWWNs:[s?#1 lun:i^?#2 fsType:s?#3 readOnly:b?#4 wwids:[s?#5
FileKeySelector@. volumeName:s!#1 path:s!#2 key:s!#3 optional:b^?#4=false
FlexPersistentVolumeSource driver:s!#1 fsType:s?#2 secretRef:SecretReference^?#3 readOnly:b?#4 options:{s?#5
FlexVolumeSource driver:s!#1 fsType:s?#2 secretRef:LocalObjectReference^?#3 readOnly:b?#4 options:{s?#5
FlockerVolumeSource datasetName:s?#1 datasetUUID:s?#2
GCEPersistentDiskVolumeSource pdName:s!#1 fsType:s?#2 partition:i?#3 readOnly:b?#4
GRPCAction port:i!#1 service:s^#2=
GitRepoVolumeSource repository:s!#1 revision:s?#2 directory:s?#3
GlusterfsPersistentVolumeSource endpoints:s!#1 path:s!#2 readOnly:b?#3 endpointsNamespace:s^?#4
GlusterfsVolumeSource endpoints:s!#1 path:s!#2 readOnly:b?#3
HTTPGetAction path:s?#1 port:X!#2 host:s?#3 scheme:s?#4 httpHeaders:[HTTPHeader?#5
HTTPHeader name:s!#1 value:s!#2
HostAlias ip:s!#1 hostnames:[s?#2
HostIP ip:s!#1
HostPathVolumeSource path:s!#1 type:s^?#2
ISCSIPersistentVolumeSource targetPortal:s!#1 iqn:s!#2 lun:i!#3 iscsiInterface:s?#4=default fsType:s?#5 readOnly:b?#6 portals:[s?#7 chapAuthDiscovery:b?#8 chapAuthSession:b?#11 secretRef:SecretReference^?#10 initiatorName:s^?#12
ISCSIVolumeSource targetPortal:s!#1 iqn:s!#2 lun:i!#3 iscsiInterface:s?#4=default fsType:s?#5 readOnly:b?#6 portals:[s?#7 chapAuthDiscovery:b?#8 chapAuthSession:b?#11 secretRef:LocalObjectReference^?#10 initiatorName:s^?#12
ImageVolumeSource reference:s?#1 pullPolicy:s?#2
ImageVolumeStatus imageRef:s?!#1
KeyToPath key:s!#1 path:s!#2 mode:i^?#3
Lifecycle postStart:LifecycleHandler^?#1 preStop:LifecycleHandler^?#2 stopSignal:s^?#3
LifecycleHandler exec:ExecAction^?#1 httpGet:HTTPGetAction^?#2 tcpSocket:TCPSocketAction^?#3 sleep:SleepAction^?#4
LimitRange kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:LimitRangeSpec#2
LimitRangeItem type:s!#1 max:{Q?#2 min:{Q?#3 default:{Q?#4 defaultRequest:{Q?#5 maxLimitRequestRatio:{Q?#6
LimitRangeSpec limits:[LimitRangeItem!#1
LinuxContainerUser uid:l!#1 gid:l!#2 supplementalGroups:[l?#3
List kind:s? apiVersion:s? metadata:meta.v1.ListMeta#1 items:[R!#2
LoadBalancerIngress ip:s?#1 hostname:s?#2 ipMode:s^?#3 ports:[PortStatus?#4
LoadBalancerStatus ingress:[LoadBalancerIngress?#1
LocalObjectReference@. name:s?#1=
LocalVolumeSource path:s!#1 fsType:s^?#2
ModifyVolumeStatus targetVolumeAttributesClassName:s?#1 status:s!#2
NFSVolumeSource server:s!#1 path:s!#2 readOnly:b?#3
Namespace kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:NamespaceSpec#2 status:NamespaceStatus#3
NamespaceCondition type:s!#1 status:s!#2 lastTransitionTime:T#4 reason:s?#5 message:s?#6
NamespaceSpec finalizers:[s?#1
NamespaceStatus phase:s?#1 conditions:[NamespaceCondition?#2@type~type
Node kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:NodeSpec#2 status:NodeStatus#3
NodeAddress type:s!#1 address:s!#2
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector^?#1 preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm?#2
NodeAllocatableResourceClaimStatus resourceClaimName:s!#1 containers:[s?#2@* resources:{Q!#3
NodeCondition type:s!#1 status:s!#2 lastHeartbeatTime:T#3 lastTransitionTime:T#4 reason:s?#5 message:s?#6
NodeConfigSource configMap:ConfigMapNodeConfigSource^?#2
NodeConfigStatus assigned:NodeConfigSource^?#1 active:NodeConfigSource^?#2 lastKnownGood:NodeConfigSource^?#3 error:s?#4
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint#1
NodeFeatures supplementalGroupsPolicy:b^?#1
NodeRuntimeHandler name:s#1 features:NodeRuntimeHandlerFeatures^?#2
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b^?#1 userNamespaces:b^?#2
NodeSelector@. nodeSelectorTerms:[NodeSelectorTerm!#1
NodeSelectorRequirement key:s!#1 operator:s!#2 values:[s?#3
NodeSelectorTerm@. matchExpressions:[NodeSelectorRequirement?#1 matchFields:[NodeSelectorRequirement?#2
NodeSpec podCIDR:s?#1 podCIDRs:[s?#7@*~* providerID:s?#3 unschedulable:b?#4 taints:[Taint?#5 configSource:NodeConfigSource^?#6 externalID:s?#2
NodeStatus capacity:{Q?#1 allocatable:{Q?#2 phase:s?#3 conditions:[NodeCondition?#4@type~type addresses:[NodeAddress?#5@type~type daemonEndpoints:NodeDaemonEndpoints#6 nodeInfo:NodeSystemInfo#7 images:[ContainerImage?#8 volumesInUse:[s?#9 volumesAttached:[AttachedVolume?#10 config:NodeConfigStatus^?#11 runtimeHandlers:[NodeRuntimeHandler?#12 features:NodeFeatures^?#13 declaredFeatures:[s?#14
NodeSwapStatus capacity:l^?#1
NodeSystemInfo machineID:s!#1 systemUUID:s!#2 bootID:s!#3 kernelVersion:s!#4 osImage:s!#5 containerRuntimeVersion:s!#6 kubeletVersion:s!#7 kubeProxyVersion:s!#8 operatingSystem:s!#9 architecture:s!#10 swap:NodeSwapStatus^?#11
ObjectFieldSelector@. apiVersion:s?#1 fieldPath:s!#2
ObjectReference@. kind:s?#1 namespace:s?#2 name:s?#3 uid:s?#4 apiVersion:s?#5 resourceVersion:s?#6 fieldPath:s?#7
PersistentVolume kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:PersistentVolumeSpec#2 status:PersistentVolumeStatus#3
PersistentVolumeClaim kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:PersistentVolumeClaimSpec#2 status:PersistentVolumeClaimStatus#3
PersistentVolumeClaimCondition type:s!#1 status:s!#2 lastProbeTime:T#3 lastTransitionTime:T#4 reason:s?#5 message:s?#6
PersistentVolumeClaimSpec accessModes:[s?#1 selector:meta.v1.LabelSelector^?#4 resources:VolumeResourceRequirements#2 volumeName:s?#3 storageClassName:s^?#5 volumeMode:s^?#6 dataSource:TypedLocalObjectReference^?#7 dataSourceRef:TypedObjectReference^?#8 volumeAttributesClassName:s^?#9
PersistentVolumeClaimStatus phase:s?#1 accessModes:[s?#2 capacity:{Q?#3 conditions:[PersistentVolumeClaimCondition?#4@type~type allocatedResources:{Q?#5 allocatedResourceStatuses:{s?#7 currentVolumeAttributesClassName:s^?#8 modifyVolumeStatus:ModifyVolumeStatus^?#9
PersistentVolumeClaimTemplate metadata:meta.v1.ObjectMeta#1 spec:PersistentVolumeClaimSpec!#2
PersistentVolumeClaimVolumeSource claimName:s!#1 readOnly:b?#2
PersistentVolumeSpec capacity:{Q?#1 gcePersistentDisk:GCEPersistentDiskVolumeSource^?#2.1 awsElasticBlockStore:AWSElasticBlockStoreVolumeSource^?#2.2 hostPath:HostPathVolumeSource^?#2.3 glusterfs:GlusterfsPersistentVolumeSource^?#2.4 nfs:NFSVolumeSource^?#2.5 rbd:RBDPersistentVolumeSource^?#2.6 iscsi:ISCSIPersistentVolumeSource^?#2.7 cinder:CinderPersistentVolumeSource^?#2.8 cephfs:CephFSPersistentVolumeSource^?#2.9 fc:FCVolumeSource^?#2.10 flocker:FlockerVolumeSource^?#2.11 flexVolume:FlexPersistentVolumeSource^?#2.12 azureFile:AzureFilePersistentVolumeSource^?#2.13 vsphereVolume:VsphereVirtualDiskVolumeSource^?#2.14 quobyte:QuobyteVolumeSource^?#2.15 azureDisk:AzureDiskVolumeSource^?#2.16 photonPersistentDisk:PhotonPersistentDiskVolumeSource^?#2.17 portworxVolume:PortworxVolumeSource^?#2.18 scaleIO:ScaleIOPersistentVolumeSource^?#2.19 local:LocalVolumeSource^?#2.20 storageos:StorageOSPersistentVolumeSource^?#2.21 csi:CSIPersistentVolumeSource^?#2.22 accessModes:[s?#3 claimRef:ObjectReference^?#4@+ persistentVolumeReclaimPolicy:s?#5 storageClassName:s?#6 mountOptions:[s?#7 volumeMode:s^?#8 nodeAffinity:VolumeNodeAffinity^?#9 volumeAttributesClassName:s^?#10
PersistentVolumeStatus phase:s?#1 message:s?#2 reason:s?#3 lastPhaseTransitionTime:T^?#4
PhotonPersistentDiskVolumeSource pdID:s!#1 fsType:s?#2
Pod kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:PodSpec#2 status:PodStatus#3
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm?#1 preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm?#2
PodAffinityTerm labelSelector:meta.v1.LabelSelector^?#1 namespaces:[s?#2 topologyKey:s!#3 namespaceSelector:meta.v1.LabelSelector^?#4 matchLabelKeys:[s?#5 mismatchLabelKeys:[s?#6
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm?#1 preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm?#2
PodCertificateProjection signerName:s?!#1 keyType:s?!#2 maxExpirationSeconds:i^?#3 credentialBundlePath:s?#4 keyPath:s?#5 certificateChainPath:s?#6 userAnnotations:{s?#7
PodCondition type:s!#1 observedGeneration:l?#7 status:s!#2 lastProbeTime:T#3 lastTransitionTime:T#4 reason:s?#5 message:s?#6
PodDNSConfig nameservers:[s?#1 searches:[s?#2 options:[PodDNSConfigOption?#3
PodDNSConfigOption name:s?#1 value:s^?#2
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest!#1 resourceClaimName:s!#2
PodIP ip:s!#1
PodOS name:s!#1
PodReadinessGate conditionType:s!#1
PodResourceClaim name:s!#1 resourceClaimName:s^?#3 resourceClaimTemplateName:s^?#4
PodResourceClaimStatus name:s!#1 resourceClaimName:s^?#2
PodSchedulingGate name:s!#1
PodSchedulingGroup podGroupName:s^?#1
PodSecurityContext seLinuxOptions:SELinuxOptions^?#1 windowsOptions:WindowsSecurityContextOptions^?#8 runAsUser:l^?#2 runAsGroup:l^?#6 runAsNonRoot:b^?#3 supplementalGroups:[l?#4 supplementalGroupsPolicy:s^?#12 fsGroup:l^?#5 sysctls:[Sysctl?#7 fsGroupChangePolicy:s^?#9 seccompProfile:SeccompProfile^?#10 appArmorProfile:AppArmorProfile^?#11 seLinuxChangePolicy:s^?#13
PodSpec volumes:[Volume?#1@name~%name initContainers:[Container?#20@name~name containers:[Container!#2@name~name ephemeralContainers:[EphemeralContainer?#34@name~name restartPolicy:s?#3 terminationGracePeriodSeconds:l^?#4 activeDeadlineSeconds:l^?#5 dnsPolicy:s?#6 nodeSelector:{s?#7@. serviceAccountName:s?#8 serviceAccount:s?#9 automountServiceAccountToken:b^?#21 nodeName:s?#10 hostNetwork:b?#11 hostPID:b?#12 hostIPC:b?#13 shareProcessNamespace:b^?#27 securityContext:PodSecurityContext^?#14 imagePullSecrets:[LocalObjectReference?#15@name~name hostname:s?#16 subdomain:s?#17 affinity:Affinity^?#18 schedulerName:s?#19 tolerations:[Toleration?#22 hostAliases:[HostAlias?#23@ip~ip priorityClassName:s?#24 priority:i^?#25 dnsConfig:PodDNSConfig^?#26 readinessGates:[PodReadinessGate?#28 runtimeClassName:s^?#29 enableServiceLinks:b^?#30 preemptionPolicy:s^?#31 overhead:{Q?#32 topologySpreadConstraints:[TopologySpreadConstraint?#33@topologyKey,whenUnsatisfiable~topologyKey setHostnameAsFQDN:b^?#35 os:PodOS^?#36 hostUsers:b^?#37 schedulingGates:[PodSchedulingGate?#38@name~name resourceClaims:[PodResourceClaim?#39@name~%name resources:ResourceRequirements^?#40 hostnameOverride:s^?#41 schedulingGroup:PodSchedulingGroup^?#43
PodStatus observedGeneration:l?#17 phase:s?#1 conditions:[PodCondition?#2@type~type message:s?#3 reason:s?#4 nominatedNodeName:s?#11 hostIP:s?#5 hostIPs:[HostIP?#16~ip podIP:s?#6 podIPs:[PodIP?#12@ip~ip startTime:T^?#7 initContainerStatuses:[ContainerStatus?#10 containerStatuses:[ContainerStatus?#8 qosClass:s?#9 ephemeralContainerStatuses:[ContainerStatus?#13 resize:s?#14 resourceClaimStatuses:[PodResourceClaimStatus?#15@name~%name extendedResourceClaimStatus:PodExtendedResourceClaimStatus^?#18 allocatedResources:{Q?#19 resources:ResourceRequirements^?#20 nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus?#21
PodTemplate kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 template:PodTemplateSpec#2
PodTemplateSpec metadata:meta.v1.ObjectMeta#1 spec:PodSpec#2
PortStatus port:i!#1 protocol:s!#2 error:s^?#3
PortworxVolumeSource volumeID:s!#1 fsType:s?#2 readOnly:b?#3
PreferredSchedulingTerm weight:i!#1 preference:NodeSelectorTerm!#2
Probe exec:ExecAction^?#1.1 httpGet:HTTPGetAction^?#1.2 tcpSocket:TCPSocketAction^?#1.3 grpc:GRPCAction^?#1.4 initialDelaySeconds:i?#2 timeoutSeconds:i?#3 periodSeconds:i?#4 successThreshold:i?#5 failureThreshold:i?#6 terminationGracePeriodSeconds:l^?#7
ProjectedVolumeSource sources:[VolumeProjection#1 defaultMode:i^?#2
QuobyteVolumeSource registry:s!#1 volume:s!#2 readOnly:b?#3 user:s?#4 group:s?#5 tenant:s?#6
RBDPersistentVolumeSource monitors:[s!#1 image:s!#2 fsType:s?#3 pool:s?#4=rbd user:s?#5=admin keyring:s?#6=/etc/ceph/keyring secretRef:SecretReference^?#7 readOnly:b?#8
RBDVolumeSource monitors:[s!#1 image:s!#2 fsType:s?#3 pool:s?#4=rbd user:s?#5=admin keyring:s?#6=/etc/ceph/keyring secretRef:LocalObjectReference^?#7 readOnly:b?#8
ReplicationController kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ReplicationControllerSpec#2 status:ReplicationControllerStatus#3
ReplicationControllerCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
ReplicationControllerSpec replicas:i^?#1=1 minReadySeconds:i?#4=0 selector:{s?#2@. template:PodTemplateSpec^?#3
ReplicationControllerStatus replicas:i!#1 fullyLabeledReplicas:i?#2 readyReplicas:i?#4 availableReplicas:i?#5 observedGeneration:l?#3 conditions:[ReplicationControllerCondition?#6@type~type
ResourceClaim name:s!#1 request:s?#2
ResourceFieldSelector@. containerName:s?#1 resource:s!#2 divisor:Q#3
ResourceHealth resourceID:s!#1 health:s?#2 message:s^?#6
ResourceQuota kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ResourceQuotaSpec#2 status:ResourceQuotaStatus#3
ResourceQuotaSpec hard:{Q?#1 scopes:[s?#2 scopeSelector:ScopeSelector^?#3
ResourceQuotaStatus hard:{Q?#1 used:{Q?#2
ResourceRequirements limits:{Q?#1 requests:{Q?#2 claims:[ResourceClaim?#3@name
ResourceStatus name:s!#1 resources:[ResourceHealth?#2@resourceID
SELinuxOptions user:s?#1 role:s?#2 type:s?#3 level:s?#4
ScaleIOPersistentVolumeSource gateway:s!#1 system:s!#2 secretRef:SecretReference^!#3 sslEnabled:b?#4 protectionDomain:s?#5 storagePool:s?#6 storageMode:s?#7=ThinProvisioned volumeName:s?#8 fsType:s?#9=xfs readOnly:b?#10
ScaleIOVolumeSource gateway:s!#1 system:s!#2 secretRef:LocalObjectReference^!#3 sslEnabled:b?#4 protectionDomain:s?#5 storagePool:s?#6 storageMode:s?#7=ThinProvisioned volumeName:s?#8 fsType:s?#9=xfs readOnly:b?#10
ScopeSelector@. matchExpressions:[ScopedResourceSelectorRequirement?#1
ScopedResourceSelectorRequirement scopeName:s!#1 operator:s!#2 values:[s?#3
SeccompProfile type:s!#1 localhostProfile:s^?#2
Secret kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 immutable:b^?#5 data:{B?#2 stringData:{s?#4 type:s?#3
SecretEnvSource name:s?#1.1= optional:b^?#2
SecretKeySelector@. name:s?#1.1= key:s!#2 optional:b^?#3
SecretProjection name:s?#1.1= items:[KeyToPath?#2 optional:b^?#4
SecretReference@. name:s?#1 namespace:s?#2
SecretVolumeSource secretName:s?#1 items:[KeyToPath?#2 defaultMode:i^?#3 optional:b^?#4
SecurityContext capabilities:Capabilities^?#1 privileged:b^?#2 seLinuxOptions:SELinuxOptions^?#3 windowsOptions:WindowsSecurityContextOptions^?#10 runAsUser:l^?#4 runAsGroup:l^?#8 runAsNonRoot:b^?#5 readOnlyRootFilesystem:b^?#6 allowPrivilegeEscalation:b^?#7 procMount:s^?#9 seccompProfile:SeccompProfile^?#11 appArmorProfile:AppArmorProfile^?#12
Service kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ServiceSpec#2 status:ServiceStatus#3
ServiceAccount kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 secrets:[ObjectReference?#2@name~name imagePullSecrets:[LocalObjectReference?#3 automountServiceAccountToken:b^?#4
ServiceAccountTokenProjection audience:s?#1 expirationSeconds:l^?#2 path:s!#3
ServicePort name:s?#1 protocol:s?#2=TCP appProtocol:s^?#6 port:i!#3 targetPort:X#4 nodePort:i?#5
ServiceSpec ports:[ServicePort?#1@port,protocol~port selector:{s?#2@. clusterIP:s?#3 clusterIPs:[s?#18 type:s?#4 externalIPs:[s?#5 sessionAffinity:s?#7 loadBalancerIP:s?#8 loadBalancerSourceRanges:[s?#9 externalName:s?#10 externalTrafficPolicy:s?#11 healthCheckNodePort:i?#12 publishNotReadyAddresses:b?#13 sessionAffinityConfig:SessionAffinityConfig^?#14 ipFamilies:[s?#19 ipFamilyPolicy:s^?#17 allocateLoadBalancerNodePorts:b^?#20 loadBalancerClass:s^?#21 internalTrafficPolicy:s^?#22 trafficDistribution:s^?#23
ServiceStatus loadBalancer:LoadBalancerStatus#1 conditions:[meta.v1.Condition?#2@type~type
SessionAffinityConfig clientIP:ClientIPConfig^?#1
SleepAction seconds:l!#1
StorageOSPersistentVolumeSource volumeName:s?#1 volumeNamespace:s?#2 fsType:s?#3 readOnly:b?#4 secretRef:ObjectReference^?#5
StorageOSVolumeSource volumeName:s?#1 volumeNamespace:s?#2 fsType:s?#3 readOnly:b?#4 secretRef:LocalObjectReference^?#5
Sysctl name:s!#1 value:s!#2
TCPSocketAction port:X!#1 host:s?#2
Taint key:s!#1 value:s?#2 effect:s!#3 timeAdded:T^?#4
Toleration key:s?#1 operator:s?#2 value:s?#3 effect:s?#4 tolerationSeconds:l^?#5
TopologySelectorLabelRequirement key:s!#1 values:[s!#2
TopologySelectorTerm@. matchLabelExpressions:[TopologySelectorLabelRequirement?#1
TopologySpreadConstraint maxSkew:i!#1 topologyKey:s!#2 whenUnsatisfiable:s!#3 labelSelector:meta.v1.LabelSelector^?#4 minDomains:i^?#5 nodeAffinityPolicy:s^?#6 nodeTaintsPolicy:s^?#7 matchLabelKeys:[s?#8
TypedLocalObjectReference@. apiGroup:s^#1 kind:s!#2 name:s!#3
TypedObjectReference apiGroup:s^#1 kind:s!#2 name:s!#3 namespace:s^?#4
Volume name:s!#1 hostPath:HostPathVolumeSource^?#2.1 emptyDir:EmptyDirVolumeSource^?#2.2 gcePersistentDisk:GCEPersistentDiskVolumeSource^?#2.3 awsElasticBlockStore:AWSElasticBlockStoreVolumeSource^?#2.4 gitRepo:GitRepoVolumeSource^?#2.5 secret:SecretVolumeSource^?#2.6 nfs:NFSVolumeSource^?#2.7 iscsi:ISCSIVolumeSource^?#2.8 glusterfs:GlusterfsVolumeSource^?#2.9 persistentVolumeClaim:PersistentVolumeClaimVolumeSource^?#2.10 rbd:RBDVolumeSource^?#2.11 flexVolume:FlexVolumeSource^?#2.12 cinder:CinderVolumeSource^?#2.13 cephfs:CephFSVolumeSource^?#2.14 flocker:FlockerVolumeSource^?#2.15 downwardAPI:DownwardAPIVolumeSource^?#2.16 fc:FCVolumeSource^?#2.17 azureFile:AzureFileVolumeSource^?#2.18 configMap:ConfigMapVolumeSource^?#2.19 vsphereVolume:VsphereVirtualDiskVolumeSource^?#2.20 quobyte:QuobyteVolumeSource^?#2.21 azureDisk:AzureDiskVolumeSource^?#2.22 photonPersistentDisk:PhotonPersistentDiskVolumeSource^?#2.23 projected:ProjectedVolumeSource^?#2.26 portworxVolume:PortworxVolumeSource^?#2.24 scaleIO:ScaleIOVolumeSource^?#2.25 storageos:StorageOSVolumeSource^?#2.27 csi:CSIVolumeSource^?#2.28 ephemeral:EphemeralVolumeSource^?#2.29 image:ImageVolumeSource^?#2.30
VolumeDevice name:s!#1 devicePath:s!#2
VolumeMount name:s!#1 readOnly:b?#2 recursiveReadOnly:s^?#7 mountPath:s!#3 subPath:s?#4 mountPropagation:s^?#5 subPathExpr:s?#6
VolumeMountStatus name:s!#1 mountPath:s!#2 readOnly:b?#3 recursiveReadOnly:s^?#4 volumeStatus:VolumeStatus^?#5
VolumeNodeAffinity required:NodeSelector^?#1
VolumeProjection secret:SecretProjection^?#1 downwardAPI:DownwardAPIProjection^?#2 configMap:ConfigMapProjection^?#3 serviceAccountToken:ServiceAccountTokenProjection^?#4 clusterTrustBundle:ClusterTrustBundleProjection^?#5 podCertificate:PodCertificateProjection^?#6
VolumeResourceRequirements limits:{Q?#1 requests:{Q?#2
VolumeStatus image:ImageVolumeStatus^?#1
VsphereVirtualDiskVolumeSource volumePath:s!#1 fsType:s?#2 storagePolicyName:s?#3 storagePolicyID:s?#4
WeightedPodAffinityTerm weight:i!#1 podAffinityTerm:PodAffinityTerm!#2
WindowsSecurityContextOptions gmsaCredentialSpecName:s^?#1 gmsaCredentialSpec:s^?#2 runAsUserName:s^?#3 hostProcess:b^?#4
`;
