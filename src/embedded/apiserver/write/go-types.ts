/**
 * The Go names of string types, which Go's errors contain: package, type, and the fields of that type. Read only
 * when an object is refused.
 */
const facts = `
admissionregistration.v1 v1.FailurePolicyType MutatingAdmissionPolicySpec.failurePolicy
admissionregistration.v1 v1.FailurePolicyType MutatingWebhook.failurePolicy
admissionregistration.v1 v1.FailurePolicyType ValidatingAdmissionPolicySpec.failurePolicy
admissionregistration.v1 v1.FailurePolicyType ValidatingWebhook.failurePolicy
admissionregistration.v1 v1.MatchPolicyType MatchResources.matchPolicy MutatingWebhook.matchPolicy
admissionregistration.v1 v1.MatchPolicyType ValidatingWebhook.matchPolicy
admissionregistration.v1 v1.OperationType RuleWithOperations.operations
admissionregistration.v1 v1.ParameterNotFoundActionType ParamRef.parameterNotFoundAction
admissionregistration.v1 v1.PatchType Mutation.patchType
admissionregistration.v1 v1.ReinvocationPolicyType MutatingAdmissionPolicySpec.reinvocationPolicy
admissionregistration.v1 v1.ReinvocationPolicyType MutatingWebhook.reinvocationPolicy
admissionregistration.v1 v1.ScopeType Rule.scope
admissionregistration.v1 v1.SideEffectClass MutatingWebhook.sideEffects ValidatingWebhook.sideEffects
admissionregistration.v1 v1.ValidationAction ValidatingAdmissionPolicyBindingSpec.validationActions
apps.v1 v1.ConditionStatus DaemonSetCondition.status DeploymentCondition.status ReplicaSetCondition.status
apps.v1 v1.ConditionStatus StatefulSetCondition.status
apps.v1 v1.DaemonSetConditionType DaemonSetCondition.type
apps.v1 v1.DaemonSetUpdateStrategyType DaemonSetUpdateStrategy.type
apps.v1 v1.DeploymentConditionType DeploymentCondition.type
apps.v1 v1.DeploymentStrategyType DeploymentStrategy.type
apps.v1 v1.PersistentVolumeClaimRetentionPolicyType StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted
apps.v1 v1.PersistentVolumeClaimRetentionPolicyType StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
apps.v1 v1.PodManagementPolicyType StatefulSetSpec.podManagementPolicy
apps.v1 v1.ReplicaSetConditionType ReplicaSetCondition.type
apps.v1 v1.StatefulSetConditionType StatefulSetCondition.type
apps.v1 v1.StatefulSetUpdateStrategyType StatefulSetUpdateStrategy.type
autoscaling.v1 v1.ConditionStatus HorizontalPodAutoscalerCondition.status
autoscaling.v1 v1.HorizontalPodAutoscalerConditionType HorizontalPodAutoscalerCondition.type
autoscaling.v1 v1.MetricSourceType MetricSpec.type MetricStatus.type
autoscaling.v1 v1.ResourceName ContainerResourceMetricSource.name ContainerResourceMetricStatus.name
autoscaling.v1 v1.ResourceName ResourceMetricSource.name ResourceMetricStatus.name
autoscaling.v2 v1.ConditionStatus HorizontalPodAutoscalerCondition.status
autoscaling.v2 v1.ResourceName ContainerResourceMetricSource.name ContainerResourceMetricStatus.name
autoscaling.v2 v1.ResourceName ResourceMetricSource.name ResourceMetricStatus.name
autoscaling.v2 v2.HPAScalingPolicyType HPAScalingPolicy.type
autoscaling.v2 v2.HorizontalPodAutoscalerConditionType HorizontalPodAutoscalerCondition.type
autoscaling.v2 v2.MetricSourceType MetricSpec.type MetricStatus.type
autoscaling.v2 v2.MetricTargetType MetricTarget.type
autoscaling.v2 v2.ScalingPolicySelect HPAScalingRules.selectPolicy
batch.v1 types.UID UncountedTerminatedPods.failed UncountedTerminatedPods.succeeded
batch.v1 v1.CompletionMode JobSpec.completionMode
batch.v1 v1.ConcurrencyPolicy CronJobSpec.concurrencyPolicy
batch.v1 v1.ConditionStatus JobCondition.status PodFailurePolicyOnPodConditionsPattern.status
batch.v1 v1.JobConditionType JobCondition.type
batch.v1 v1.PodConditionType PodFailurePolicyOnPodConditionsPattern.type
batch.v1 v1.PodFailurePolicyAction PodFailurePolicyRule.action
batch.v1 v1.PodFailurePolicyOnExitCodesOperator PodFailurePolicyOnExitCodesRequirement.operator
batch.v1 v1.PodReplacementPolicy JobSpec.podReplacementPolicy
certificates.v1 v1.ConditionStatus CertificateSigningRequestCondition.status
certificates.v1 v1.KeyUsage CertificateSigningRequestSpec.usages
certificates.v1 v1.RequestConditionType CertificateSigningRequestCondition.type
coordination.v1 v1.CoordinatedLeaseStrategy LeaseSpec.strategy
core.v1 types.UID ConfigMapNodeConfigSource.uid ObjectReference.uid Preconditions.uid
core.v1 v1.AppArmorProfileType AppArmorProfile.type
core.v1 v1.AzureDataDiskCachingMode AzureDiskVolumeSource.cachingMode
core.v1 v1.AzureDataDiskKind AzureDiskVolumeSource.kind
core.v1 v1.Capability Capabilities.add Capabilities.drop
core.v1 v1.ComponentConditionType ComponentCondition.type
core.v1 v1.ConditionStatus ComponentCondition.status NamespaceCondition.status NodeCondition.status
core.v1 v1.ConditionStatus PersistentVolumeClaimCondition.status PodCondition.status
core.v1 v1.ConditionStatus ReplicationControllerCondition.status
core.v1 v1.ContainerRestartPolicy Container.restartPolicy EphemeralContainerCommon.restartPolicy
core.v1 v1.ContainerRestartRuleAction ContainerRestartRule.action
core.v1 v1.ContainerRestartRuleOnExitCodesOperator ContainerRestartRuleOnExitCodes.operator
core.v1 v1.DNSPolicy PodSpec.dnsPolicy
core.v1 v1.FinalizerName NamespaceSpec.finalizers
core.v1 v1.HostPathType HostPathVolumeSource.type
core.v1 v1.IPFamily ServiceSpec.ipFamilies
core.v1 v1.IPFamilyPolicy ServiceSpec.ipFamilyPolicy
core.v1 v1.LimitType LimitRangeItem.type
core.v1 v1.LoadBalancerIPMode LoadBalancerIngress.ipMode
core.v1 v1.MountPropagationMode VolumeMount.mountPropagation
core.v1 v1.NamespaceConditionType NamespaceCondition.type
core.v1 v1.NamespacePhase NamespaceStatus.phase
core.v1 v1.NodeAddressType NodeAddress.type
core.v1 v1.NodeConditionType NodeCondition.type
core.v1 v1.NodeInclusionPolicy TopologySpreadConstraint.nodeAffinityPolicy
core.v1 v1.NodeInclusionPolicy TopologySpreadConstraint.nodeTaintsPolicy
core.v1 v1.NodePhase NodeStatus.phase
core.v1 v1.NodeSelectorOperator NodeSelectorRequirement.operator
core.v1 v1.OSName PodOS.name
core.v1 v1.PersistentVolumeAccessMode PersistentVolumeClaimSpec.accessModes
core.v1 v1.PersistentVolumeAccessMode PersistentVolumeClaimStatus.accessModes PersistentVolumeSpec.accessModes
core.v1 v1.PersistentVolumeClaimConditionType PersistentVolumeClaimCondition.type
core.v1 v1.PersistentVolumeClaimModifyVolumeStatus ModifyVolumeStatus.status
core.v1 v1.PersistentVolumeClaimPhase PersistentVolumeClaimStatus.phase
core.v1 v1.PersistentVolumeMode PersistentVolumeClaimSpec.volumeMode PersistentVolumeSpec.volumeMode
core.v1 v1.PersistentVolumePhase PersistentVolumeStatus.phase
core.v1 v1.PersistentVolumeReclaimPolicy PersistentVolumeSpec.persistentVolumeReclaimPolicy
core.v1 v1.PodConditionType PodCondition.type PodReadinessGate.conditionType
core.v1 v1.PodFSGroupChangePolicy PodSecurityContext.fsGroupChangePolicy
core.v1 v1.PodPhase PodStatus.phase
core.v1 v1.PodQOSClass PodStatus.qosClass
core.v1 v1.PodResizeStatus PodStatus.resize
core.v1 v1.PodSELinuxChangePolicy PodSecurityContext.seLinuxChangePolicy
core.v1 v1.PreemptionPolicy PodSpec.preemptionPolicy
core.v1 v1.ProcMountType SecurityContext.procMount
core.v1 v1.Protocol ContainerPort.protocol EndpointPort.protocol PortStatus.protocol ServicePort.protocol
core.v1 v1.PullPolicy Container.imagePullPolicy EphemeralContainerCommon.imagePullPolicy
core.v1 v1.PullPolicy ImageVolumeSource.pullPolicy
core.v1 v1.RecursiveReadOnlyMode VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
core.v1 v1.ReplicationControllerConditionType ReplicationControllerCondition.type
core.v1 v1.ResourceHealthStatus ResourceHealth.health
core.v1 v1.ResourceID ResourceHealth.resourceID
core.v1 v1.ResourceName ContainerResizePolicy.resourceName ResourceStatus.name
core.v1 v1.ResourceQuotaScope ResourceQuotaSpec.scopes ScopedResourceSelectorRequirement.scopeName
core.v1 v1.ResourceResizeRestartPolicy ContainerResizePolicy.restartPolicy
core.v1 v1.RestartPolicy PodSpec.restartPolicy
core.v1 v1.ScopeSelectorOperator ScopedResourceSelectorRequirement.operator
core.v1 v1.SeccompProfileType SeccompProfile.type
core.v1 v1.SecretType Secret.type
core.v1 v1.ServiceAffinity ServiceSpec.sessionAffinity
core.v1 v1.ServiceExternalTrafficPolicy ServiceSpec.externalTrafficPolicy
core.v1 v1.ServiceInternalTrafficPolicy ServiceSpec.internalTrafficPolicy
core.v1 v1.ServiceType ServiceSpec.type
core.v1 v1.Signal ContainerStatus.stopSignal Lifecycle.stopSignal
core.v1 v1.StorageMedium EmptyDirVolumeSource.medium
core.v1 v1.SupplementalGroupsPolicy PodSecurityContext.supplementalGroupsPolicy
core.v1 v1.TaintEffect Taint.effect Toleration.effect
core.v1 v1.TerminationMessagePolicy Container.terminationMessagePolicy
core.v1 v1.TerminationMessagePolicy EphemeralContainerCommon.terminationMessagePolicy
core.v1 v1.TolerationOperator Toleration.operator
core.v1 v1.URIScheme HTTPGetAction.scheme
core.v1 v1.UniqueVolumeName AttachedVolume.name NodeStatus.volumesInUse
core.v1 v1.UnsatisfiableConstraintAction TopologySpreadConstraint.whenUnsatisfiable
discovery.v1 v1.AddressType EndpointSlice.addressType
discovery.v1 v1.Protocol EndpointPort.protocol
flowcontrol.v1 v1.ConditionStatus FlowSchemaCondition.status PriorityLevelConfigurationCondition.status
flowcontrol.v1 v1.FlowDistinguisherMethodType FlowDistinguisherMethod.type
flowcontrol.v1 v1.FlowSchemaConditionType FlowSchemaCondition.type
flowcontrol.v1 v1.LimitResponseType LimitResponse.type
flowcontrol.v1 v1.PriorityLevelConfigurationConditionType PriorityLevelConfigurationCondition.type
flowcontrol.v1 v1.PriorityLevelEnablement PriorityLevelConfigurationSpec.type
flowcontrol.v1 v1.SubjectKind Subject.kind
meta.v1 types.UID ObjectMeta.uid OwnerReference.uid Preconditions.uid StatusDetails.uid
meta.v1 v1.CauseType StatusCause.reason
meta.v1 v1.ConditionStatus Condition.status TableRowCondition.status
meta.v1 v1.DeletionPropagation DeleteOptions.propagationPolicy
meta.v1 v1.FieldSelectorOperator FieldSelectorRequirement.operator
meta.v1 v1.IncludeObjectPolicy TableOptions.includeObject
meta.v1 v1.LabelSelectorOperator LabelSelectorRequirement.operator
meta.v1 v1.ManagedFieldsOperationType ManagedFieldsEntry.operation
meta.v1 v1.ResourceVersionMatch ListOptions.resourceVersionMatch
meta.v1 v1.RowConditionType TableRowCondition.type
meta.v1 v1.StatusReason Status.reason
meta.v1 v1.Verbs APIResource.verbs
networking.v1 v1.PathType HTTPIngressPath.pathType
networking.v1 v1.PolicyType NetworkPolicySpec.policyTypes
networking.v1 v1.Protocol IngressPortStatus.protocol NetworkPolicyPort.protocol
policy.v1 v1.UnhealthyPodEvictionPolicyType PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
resource.v1 types.UID DeviceRequestAllocationResult.shareID ResourceClaimConsumerReference.uid
resource.v1 v1.AllocationConfigSource DeviceAllocationConfiguration.source
resource.v1 v1.DeviceAllocationMode DeviceSubRequest.allocationMode ExactDeviceRequest.allocationMode
resource.v1 v1.DeviceTaintEffect DeviceTaint.effect DeviceToleration.effect
resource.v1 v1.DeviceTolerationOperator DeviceToleration.operator
resource.v1 v1.FullyQualifiedName DeviceConstraint.distinctAttribute DeviceConstraint.matchAttribute
resource.v1 v1.QualifiedName NodeAllocatableResourceMapping.capacityKey
storage.v1 v1.FSGroupPolicy CSIDriverSpec.fsGroupPolicy
storage.v1 v1.PersistentVolumeReclaimPolicy StorageClass.reclaimPolicy
storage.v1 v1.VolumeBindingMode StorageClass.volumeBindingMode
storage.v1 v1.VolumeLifecycleMode CSIDriverSpec.volumeLifecycleModes
`;

/** Structs that Go embeds without showing them in JSON: package, outer, inner, and its fields. */
const embedded = `
admissionregistration.v1 RuleWithOperations Rule apiGroups apiVersions resources scope
admissionregistration.v1 NamedRuleWithOperations RuleWithOperations operations
core.v1 Volume VolumeSource *name
core.v1 PersistentVolumeSpec PersistentVolumeSource *capacity *accessModes *claimRef *persistentVolumeReclaimPolicy *storageClassName *mountOptions *volumeMode *nodeAffinity *volumeAttributesClassName
core.v1 SecretProjection LocalObjectReference name
core.v1 ConfigMapVolumeSource LocalObjectReference name
core.v1 ConfigMapProjection LocalObjectReference name
core.v1 ConfigMapKeySelector LocalObjectReference name
core.v1 SecretKeySelector LocalObjectReference name
core.v1 ConfigMapEnvSource LocalObjectReference name
core.v1 SecretEnvSource LocalObjectReference name
core.v1 Probe ProbeHandler exec grpc httpGet tcpSocket
core.v1 EphemeralContainer EphemeralContainerCommon *targetContainerName
networking.v1 IngressRule IngressRuleValue http
`;

type Names = {
  readonly types: ReadonlyMap<string, string>;
  readonly inner: ReadonlyMap<string, { readonly name: string; readonly has: (field: string) => boolean }>;
};

let known: Names | undefined;

function names(): Names {
  known ??= { types: new Map(readTypes()), inner: new Map(readEmbedded()) };
  return known;
}

const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

const readTypes = (): [string, string][] =>
  rowsOf(facts).flatMap(([place, type = '', ...fields]) =>
    fields.map((field): [string, string] => [`${place}.${field}`, type]),
  );

const readEmbedded = () =>
  rowsOf(embedded).map(([place, outer, name = '', ...fields]) => {
    const isOutside = fields[0]?.startsWith('*') ?? false;
    const listed = new Set(fields.map((field) => field.replace('*', '')));
    return [`${place}.${outer}`, { name, has: (field: string) => listed.has(field) !== isOutside }] as const;
  });

/** `io.k8s.api.core.v1.Secret` is `core.v1.Secret` here. */
const short = (struct: string): string => struct.split('.').slice(-3).join('.');

/** The named Go type of a field, such as `v1.SecretType`. */
export const goTypeOfField = (struct: string, field: string): string | undefined =>
  names().types.get(`${short(struct)}.${field}`);

/** The embedded Go struct that declares the field, if it is not the one JSON shows. */
export function innerStruct(struct: string, field: string): string | undefined {
  const inner = names().inner.get(short(struct));
  return inner?.has(field) ? inner.name : undefined;
}
