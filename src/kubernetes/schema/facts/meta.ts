// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of meta.v1, one line each. */
export const meta = `# meta.v1
Condition type:s!#1 status:s!#2 observedGeneration:l?#3 lastTransitionTime:T!#4 reason:s!#5 message:s!#6
DeleteOptions kind:s? apiVersion:s? gracePeriodSeconds:l^?#1 preconditions:Preconditions^?#2 orphanDependents:b^?#3 propagationPolicy:s^?#4 dryRun:[s?#5 ignoreStoreReadErrorWithClusterBreakingPotential:b^?#6
FieldSelectorRequirement key:s!#1 operator:s!#2 values:[s?#3
LabelSelector@. matchLabels:{s?#1 matchExpressions:[LabelSelectorRequirement?#2
LabelSelectorRequirement key:s!#1 operator:s!#2 values:[s?#3
ListMeta selfLink:s?#1 resourceVersion:s?#2 continue:s?#3 remainingItemCount:l^?#4 shardInfo:ShardInfo^?#5
ManagedFieldsEntry manager:s?#1 operation:s?#2 apiVersion:s?#3 time:T^?#4 fieldsType:s?#6 fieldsV1:R^?#7 subresource:s?#8
ObjectMeta name:s?#1 generateName:s?#2 namespace:s?#3 selfLink:s?#4 uid:s?#5 resourceVersion:s?#6 generation:l?#7 creationTimestamp:T?#8 deletionTimestamp:T^?#9 deletionGracePeriodSeconds:l^?#10 labels:{s?#11 annotations:{s?#12 ownerReferences:[OwnerReference?#13@uid~uid finalizers:[s?#14@*~* managedFields:[ManagedFieldsEntry?#17
OwnerReference@. apiVersion:s!#5 kind:s!#1 name:s!#3 uid:s!#4 controller:b^?#6 blockOwnerDeletion:b^?#7
PartialObjectMetadata kind:s? apiVersion:s? metadata:ObjectMeta#1
Preconditions uid:s^?#1 resourceVersion:s^?#2
ShardInfo selector:s!#1
Status kind:s? apiVersion:s? metadata:ListMeta#1 status:s?#2 message:s?#3 reason:s?#4 details:StatusDetails^?#5 code:i?#6
StatusCause reason:s?#1 message:s?#2 field:s?#3
StatusDetails name:s?#1 group:s?#2 kind:s?#3 uid:s?#6 causes:[StatusCause?#4 retryAfterSeconds:i?#5
`;
