// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of storage.v1, resource.v1, node.v1, one line each. */
export const storage = `# storage.v1
CSIDriver kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:CSIDriverSpec!#2
CSIDriverSpec attachRequired:b^?#1 podInfoOnMount:b^?#2 volumeLifecycleModes:[s?#3@* storageCapacity:b^?#4 fsGroupPolicy:s^?#5 tokenRequests:[TokenRequest?#6 requiresRepublish:b^?#7 seLinuxMount:b^?#8 nodeAllocatableUpdatePeriodSeconds:l^?#9 serviceAccountTokenInSecrets:b^?#10 preventPodSchedulingIfMissing:b^?#11
CSINode kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:CSINodeSpec!#2
CSINodeDriver name:s!#1 nodeID:s!#2 topologyKeys:[s#3 allocatable:VolumeNodeResources^?#4
CSINodeSpec drivers:[CSINodeDriver!#1@name~name
CSIStorageCapacity kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 nodeTopology:meta.v1.LabelSelector^?#2 storageClassName:s!#3 capacity:Q^?#4 maximumVolumeSize:Q^?#5
StorageClass kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 provisioner:s!#2 parameters:{s?#3 reclaimPolicy:s^?#4 mountOptions:[s?#5 allowVolumeExpansion:b^?#6 volumeBindingMode:s^?#7 allowedTopologies:[core.v1.TopologySelectorTerm?#8
TokenRequest audience:s!#1 expirationSeconds:l^?#2
VolumeAttachment kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:VolumeAttachmentSpec!#2 status:VolumeAttachmentStatus#3
VolumeAttachmentSource persistentVolumeName:s^?#1 inlineVolumeSpec:core.v1.PersistentVolumeSpec^?#2
VolumeAttachmentSpec attacher:s!#1 source:VolumeAttachmentSource!#2 nodeName:s!#3
VolumeAttachmentStatus attached:b!#1 attachmentMetadata:{s?#2 attachError:VolumeError^?#3 detachError:VolumeError^?#4
VolumeAttributesClass kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 driverName:s!#2 parameters:{s?#3
VolumeError time:T#1 message:s?#2 errorCode:i^?#3
VolumeNodeResources count:i^?#1
# resource.v1
AllocatedDeviceStatus driver:s!#1 pool:s!#2 device:s!#3 shareID:s^?#7 conditions:[meta.v1.Condition#4@type data:R^?#5 networkData:NetworkDeviceData^?#6
AllocationResult devices:DeviceAllocationResult#1 nodeSelector:core.v1.NodeSelector^?#3 allocationTimestamp:T^?#5
CELDeviceSelector expression:s!#1
CapacityRequestPolicy default:Q^#1 validValues:[Q?#3 validRange:CapacityRequestPolicyRange^?#4
CapacityRequestPolicyRange min:Q^?!#1 max:Q^?#2 step:Q^?#3
CapacityRequirements requests:{Q?#1
Counter value:Q!#1
CounterSet name:s!#1 counters:{Counter?!#2
Device name:s!#1 attributes:{DeviceAttribute?#2 capacity:{DeviceCapacity?#3 consumesCounters:[DeviceCounterConsumption?#4 nodeName:s^?#5 nodeSelector:core.v1.NodeSelector^?#6 allNodes:b^?#7 taints:[DeviceTaint?#8 bindsToNode:b^?#9 bindingConditions:[s?#10 bindingFailureConditions:[s?#11 allowMultipleAllocations:b^?#12 nodeAllocatableResourceMappings:{NodeAllocatableResourceMapping?#13
DeviceAllocationConfiguration source:s!#1 requests:[s?#2 opaque:OpaqueDeviceConfiguration^?#3.1
DeviceAllocationResult results:[DeviceRequestAllocationResult?#1 config:[DeviceAllocationConfiguration?#2
DeviceAttribute int:l^?#2 bool:b^?#3 string:s^?#4 version:s^?#5 ints:[l?#6 bools:[b?#7 strings:[s?#8 versions:[s?#9
DeviceCapacity value:Q!#1 requestPolicy:CapacityRequestPolicy^?#2
DeviceClaim requests:[DeviceRequest#1 constraints:[DeviceConstraint?#2 config:[DeviceClaimConfiguration?#3
DeviceClaimConfiguration requests:[s?#1 opaque:OpaqueDeviceConfiguration^?#2.1
DeviceClass kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:DeviceClassSpec!#2
DeviceClassConfiguration opaque:OpaqueDeviceConfiguration^?#1.1
DeviceClassSpec selectors:[DeviceSelector?#1 config:[DeviceClassConfiguration?#2 extendedResourceName:s^?#4
DeviceConstraint requests:[s?#1 matchAttribute:s^?#2 distinctAttribute:s^?#3
DeviceCounterConsumption counterSet:s!#1 counters:{Counter?!#2
DeviceRequest name:s!#1 exactly:ExactDeviceRequest^?#2 firstAvailable:[DeviceSubRequest?#3
DeviceRequestAllocationResult request:s!#1 driver:s!#2 pool:s!#3 device:s!#4 adminAccess:b^?#5 tolerations:[DeviceToleration?#6 bindingConditions:[s?#7 bindingFailureConditions:[s?#8 shareID:s^?#9 consumedCapacity:{Q?#10
DeviceSelector cel:CELDeviceSelector^?#1
DeviceSubRequest name:s!#1 deviceClassName:s!#2 selectors:[DeviceSelector?#3 allocationMode:s?#4 count:l?#5 tolerations:[DeviceToleration?#6 capacity:CapacityRequirements^?#7
DeviceTaint key:s!#1 value:s?#2 effect:s!#3 timeAdded:T^?#4
DeviceToleration key:s?#1 operator:s?#2=Equal value:s?#3 effect:s?#4 tolerationSeconds:l^?#5
ExactDeviceRequest deviceClassName:s!#1 selectors:[DeviceSelector?#2 allocationMode:s?#3 count:l?#4 adminAccess:b^?#5 tolerations:[DeviceToleration?#6 capacity:CapacityRequirements^?#7
NetworkDeviceData interfaceName:s?#1 ips:[s?#2 hardwareAddress:s?#3
NodeAllocatableResourceMapping capacityKey:s^?#1 allocationMultiplier:Q^?#2
OpaqueDeviceConfiguration driver:s!#1 parameters:R!#2
ResourceClaim kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ResourceClaimSpec!#2 status:ResourceClaimStatus#3
ResourceClaimConsumerReference apiGroup:s?#1 resource:s!#3 name:s!#4 uid:s!#5
ResourceClaimSpec devices:DeviceClaim#1
ResourceClaimStatus allocation:AllocationResult^?#1 reservedFor:[ResourceClaimConsumerReference?#2@uid~uid devices:[AllocatedDeviceStatus?#4@driver,device,pool,shareID
ResourceClaimTemplate kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ResourceClaimTemplateSpec!#2
ResourceClaimTemplateSpec metadata:meta.v1.ObjectMeta#1 spec:ResourceClaimSpec!#2
ResourcePool name:s!#1 generation:l!#2 resourceSliceCount:l!#3
ResourceSlice kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ResourceSliceSpec!#2
ResourceSliceSpec driver:s!#1 pool:ResourcePool!#2 nodeName:s^?#3 nodeSelector:core.v1.NodeSelector^?#4 allNodes:b^?#5 devices:[Device?#6 perDeviceNodeSelection:b^?#7 sharedCounters:[CounterSet?#8
# node.v1
Overhead podFixed:{Q?#1
RuntimeClass kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 handler:s!#2 overhead:Overhead^?#3 scheduling:Scheduling^?#4
Scheduling nodeSelector:{s?#1@. tolerations:[core.v1.Toleration?#2
`;
