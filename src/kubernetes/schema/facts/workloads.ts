// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of apps.v1, batch.v1, autoscaling.v1, autoscaling.v2, policy.v1, scheduling.v1, one line each. */
export const workloads = `# apps.v1
ControllerRevision kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 data:R#2 revision:l!#3
DaemonSet kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:DaemonSetSpec#2 status:DaemonSetStatus#3
DaemonSetCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
DaemonSetSpec selector:meta.v1.LabelSelector^!#1 template:core.v1.PodTemplateSpec!#2 updateStrategy:DaemonSetUpdateStrategy#3 minReadySeconds:i?#4 revisionHistoryLimit:i^?#6
DaemonSetStatus currentNumberScheduled:i!#1 numberMisscheduled:i!#2 desiredNumberScheduled:i!#3 numberReady:i!#4 observedGeneration:l?#5 updatedNumberScheduled:i?#6 numberAvailable:i?#7 numberUnavailable:i?#8 collisionCount:i^?#9 conditions:[DaemonSetCondition?#10@type~type
DaemonSetUpdateStrategy type:s?#1 rollingUpdate:RollingUpdateDaemonSet^?#2
Deployment kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:DeploymentSpec#2 status:DeploymentStatus#3
DeploymentCondition type:s!#1 status:s!#2 lastUpdateTime:T#6 lastTransitionTime:T#7 reason:s?#4 message:s?#5
DeploymentSpec replicas:i^?#1 selector:meta.v1.LabelSelector^!#2 template:core.v1.PodTemplateSpec!#3 strategy:DeploymentStrategy#4~% minReadySeconds:i?#5 revisionHistoryLimit:i^?#6 paused:b?#7 progressDeadlineSeconds:i^?#9
DeploymentStatus observedGeneration:l?#1 replicas:i?#2 updatedReplicas:i?#3 readyReplicas:i?#7 availableReplicas:i?#4 unavailableReplicas:i?#5 terminatingReplicas:i^?#9 conditions:[DeploymentCondition?#6@type~type collisionCount:i^?#8
DeploymentStrategy type:s?#1 rollingUpdate:RollingUpdateDeployment^?#2
ReplicaSet kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ReplicaSetSpec#2 status:ReplicaSetStatus#3
ReplicaSetCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
ReplicaSetSpec replicas:i^?#1 minReadySeconds:i?#4 selector:meta.v1.LabelSelector^!#2 template:core.v1.PodTemplateSpec#3
ReplicaSetStatus replicas:i!#1 fullyLabeledReplicas:i?#2 readyReplicas:i?#4 availableReplicas:i?#5 terminatingReplicas:i^?#7 observedGeneration:l?#3 conditions:[ReplicaSetCondition?#6@type~type
RollingUpdateDaemonSet maxUnavailable:X^?#1 maxSurge:X^?#2
RollingUpdateDeployment maxUnavailable:X^?#1 maxSurge:X^?#2
RollingUpdateStatefulSetStrategy partition:i^?#1 maxUnavailable:X^?#2
StatefulSet kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:StatefulSetSpec#2 status:StatefulSetStatus#3
StatefulSetCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
StatefulSetOrdinals start:i#1
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s?#1 whenScaled:s?#2
StatefulSetSpec replicas:i^?#1 selector:meta.v1.LabelSelector^!#2 template:core.v1.PodTemplateSpec!#3 volumeClaimTemplates:[core.v1.PersistentVolumeClaim?#4 serviceName:s#5 podManagementPolicy:s?#6 updateStrategy:StatefulSetUpdateStrategy#7 revisionHistoryLimit:i^?#8 minReadySeconds:i?#9 persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy^?#10 ordinals:StatefulSetOrdinals^?#11
StatefulSetStatus observedGeneration:l?#1 replicas:i!#2 readyReplicas:i?#3 currentReplicas:i?#4 updatedReplicas:i?#5 currentRevision:s?#6 updateRevision:s?#7 collisionCount:i^?#9 conditions:[StatefulSetCondition?#10@type~type availableReplicas:i#11
StatefulSetUpdateStrategy type:s?#1 rollingUpdate:RollingUpdateStatefulSetStrategy^?#2
# batch.v1
CronJob kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:CronJobSpec!#2 status:CronJobStatus#3
CronJobSpec schedule:s!#1 timeZone:s^?#8 startingDeadlineSeconds:l^?#2 concurrencyPolicy:s?#3 suspend:b^?#4 jobTemplate:JobTemplateSpec!#5 successfulJobsHistoryLimit:i^?#6 failedJobsHistoryLimit:i^?#7
CronJobStatus active:[core.v1.ObjectReference?#1 lastScheduleTime:T^?#4 lastSuccessfulTime:T^?#5
Job kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:JobSpec#2 status:JobStatus#3
JobCondition type:s!#1 status:s!#2 lastProbeTime:T#3 lastTransitionTime:T#4 reason:s?#5 message:s?#6
JobSpec parallelism:i^?#1 completions:i^?#2 activeDeadlineSeconds:l^?#3 podFailurePolicy:PodFailurePolicy^?#11 successPolicy:SuccessPolicy^?#16 backoffLimit:i^?#7 backoffLimitPerIndex:i^?#12 maxFailedIndexes:i^?#13 selector:meta.v1.LabelSelector^?#4 manualSelector:b^?#5 template:core.v1.PodTemplateSpec!#6 ttlSecondsAfterFinished:i^?#8 completionMode:s^?#9 suspend:b^?#10 podReplacementPolicy:s^?#14 managedBy:s^?#15
JobStatus conditions:[JobCondition?#1~type startTime:T^?#2 completionTime:T^?#3 active:i?#4 succeeded:i?#5 failed:i?#6 terminating:i^?#11 completedIndexes:s?#7 failedIndexes:s^?#10 uncountedTerminatedPods:UncountedTerminatedPods^?#8 ready:i^?#9
JobTemplateSpec metadata:meta.v1.ObjectMeta#1 spec:JobSpec#2
PodFailurePolicy rules:[PodFailurePolicyRule!#1
PodFailurePolicyOnExitCodesRequirement containerName:s^?#1 operator:s!#2 values:[i!#3@*
PodFailurePolicyOnPodConditionsPattern type:s!#1 status:s#2
PodFailurePolicyRule action:s!#1 onExitCodes:PodFailurePolicyOnExitCodesRequirement^?#2 onPodConditions:[PodFailurePolicyOnPodConditionsPattern?#3
SuccessPolicy rules:[SuccessPolicyRule!#1
SuccessPolicyRule succeededIndexes:s^?#1 succeededCount:i^?#2
UncountedTerminatedPods succeeded:[s?#1@* failed:[s?#2@*
# autoscaling.v1
CrossVersionObjectReference@. kind:s!#1 name:s!#2 apiVersion:s?#3
HorizontalPodAutoscaler kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:HorizontalPodAutoscalerSpec!#2 status:HorizontalPodAutoscalerStatus#3
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference!#1 minReplicas:i^?#2 maxReplicas:i!#3 targetCPUUtilizationPercentage:i^?#4
HorizontalPodAutoscalerStatus observedGeneration:l^?#1 lastScaleTime:T^?#2 currentReplicas:i!#3 desiredReplicas:i!#4 currentCPUUtilizationPercentage:i^?#5
Scale kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ScaleSpec#2 status:ScaleStatus#3
ScaleSpec replicas:i?#1=0
ScaleStatus replicas:i!#1 selector:s?#2
# autoscaling.v2
ContainerResourceMetricSource name:s!#1 target:MetricTarget!#2 container:s!#3
ContainerResourceMetricStatus name:s!#1 current:MetricValueStatus!#2 container:s!#3
CrossVersionObjectReference kind:s!#1 name:s!#2 apiVersion:s?#3
ExternalMetricSource metric:MetricIdentifier!#1 target:MetricTarget!#2
ExternalMetricStatus metric:MetricIdentifier!#1 current:MetricValueStatus!#2
HPAScalingPolicy type:s!#1 value:i!#2 periodSeconds:i!#3
HPAScalingRules stabilizationWindowSeconds:i^?#3 selectPolicy:s^?#1 policies:[HPAScalingPolicy?#2 tolerance:Q^?#4
HorizontalPodAutoscaler kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:HorizontalPodAutoscalerSpec!#2 status:HorizontalPodAutoscalerStatus#3
HorizontalPodAutoscalerBehavior scaleUp:HPAScalingRules^?#1 scaleDown:HPAScalingRules^?#2
HorizontalPodAutoscalerCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference!#1 minReplicas:i^?#2 maxReplicas:i!#3 metrics:[MetricSpec?#4 behavior:HorizontalPodAutoscalerBehavior^?#5
HorizontalPodAutoscalerStatus observedGeneration:l^?#1 lastScaleTime:T^?#2 currentReplicas:i?#3 desiredReplicas:i!#4 currentMetrics:[MetricStatus#5 conditions:[HorizontalPodAutoscalerCondition?#6@type~type
MetricIdentifier name:s!#1 selector:meta.v1.LabelSelector^?#2
MetricSpec type:s!#1 object:ObjectMetricSource^?#2 pods:PodsMetricSource^?#3 resource:ResourceMetricSource^?#4 containerResource:ContainerResourceMetricSource^?#7 external:ExternalMetricSource^?#5
MetricStatus type:s!#1 object:ObjectMetricStatus^?#2 pods:PodsMetricStatus^?#3 resource:ResourceMetricStatus^?#4 containerResource:ContainerResourceMetricStatus^?#7 external:ExternalMetricStatus^?#5
MetricTarget type:s!#1 value:Q^?#2 averageValue:Q^?#3 averageUtilization:i^?#4
MetricValueStatus value:Q^?#1 averageValue:Q^?#2 averageUtilization:i^?#3
ObjectMetricSource describedObject:CrossVersionObjectReference!#1 target:MetricTarget!#2 metric:MetricIdentifier!#3
ObjectMetricStatus metric:MetricIdentifier!#1 current:MetricValueStatus!#2 describedObject:CrossVersionObjectReference!#3
PodsMetricSource metric:MetricIdentifier!#1 target:MetricTarget!#2
PodsMetricStatus metric:MetricIdentifier!#1 current:MetricValueStatus!#2
ResourceMetricSource name:s!#1 target:MetricTarget!#2
ResourceMetricStatus name:s!#1 current:MetricValueStatus!#2
# policy.v1
Eviction kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 deleteOptions:meta.v1.DeleteOptions^?#2
PodDisruptionBudget kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:PodDisruptionBudgetSpec#2 status:PodDisruptionBudgetStatus#3
PodDisruptionBudgetSpec minAvailable:X^?#1 selector:meta.v1.LabelSelector^?#2~! maxUnavailable:X^?#3 unhealthyPodEvictionPolicy:s^?#4
PodDisruptionBudgetStatus observedGeneration:l?#1 disruptedPods:{T?#2 disruptionsAllowed:i#3 currentHealthy:i#4 desiredHealthy:i#5 expectedPods:i#6 conditions:[meta.v1.Condition?#7@type~type
# scheduling.v1
PriorityClass kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 value:i#2 globalDefault:b?#3 description:s?#4 preemptionPolicy:s^?#5
`;
