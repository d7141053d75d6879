// Generated from the discovery of Kubernetes 1.36.3; not edited by hand. resources.ts says how to read it.
/** Served resources, one line each, in the order a server announces them. */
export const served = `# v1
bindings Binding n c - -
componentstatuses ComponentStatus c gl cs -
configmaps ConfigMap n * cm -
endpoints Endpoints n * ep -
events Event n * ev -
limitranges LimitRange n * limits -
namespaces Namespace c cdglpuw ns - finalize:u status:gpu
nodes Node c * no - proxy:cdgpu:NodeProxyOptions status:gpu
persistentvolumeclaims PersistentVolumeClaim n * pvc - status:gpu
persistentvolumes PersistentVolume c * pv - status:gpu
pods Pod ng * po all attach:cg:PodAttachOptions binding:c:Binding ephemeralcontainers:gpu eviction:c:policy/v1/Eviction exec:cg:PodExecOptions log:g portforward:cg:PodPortForwardOptions proxy:cdgpu:PodProxyOptions resize:gpu status:gpu
podtemplates PodTemplate ng * - -
replicationcontrollers ReplicationController ng * rc all scale:gpu:autoscaling/v1/Scale status:gpu
resourcequotas ResourceQuota n * quota - status:gpu
secrets Secret n * - -
serviceaccounts ServiceAccount n * sa - token:c:authentication.k8s.io/v1/TokenRequest
services Service n * svc all proxy:cdgpu:ServiceProxyOptions status:gpu
# apiregistration.k8s.io/v1
apiservices APIService c * - api-extensions status:gpu
# apps/v1
controllerrevisions ControllerRevision n * - -
daemonsets DaemonSet ng * ds all status:gpu
deployments Deployment ng * deploy all scale:gpu:autoscaling/v1/Scale status:gpu
replicasets ReplicaSet ng * rs all scale:gpu:autoscaling/v1/Scale status:gpu
statefulsets StatefulSet ng * sts all scale:gpu:autoscaling/v1/Scale status:gpu
# events.k8s.io/v1
events Event n * ev -
# authentication.k8s.io/v1
selfsubjectreviews SelfSubjectReview c c - -
tokenreviews TokenReview c c - -
# authorization.k8s.io/v1
localsubjectaccessreviews LocalSubjectAccessReview n c - -
selfsubjectaccessreviews SelfSubjectAccessReview c c - -
selfsubjectrulesreviews SelfSubjectRulesReview c c - -
subjectaccessreviews SubjectAccessReview c c - -
# autoscaling/v2
horizontalpodautoscalers HorizontalPodAutoscaler n * hpa all status:gpu
# autoscaling/v1
horizontalpodautoscalers HorizontalPodAutoscaler n * hpa all status:gpu
# batch/v1
cronjobs CronJob ng * cj all status:gpu
jobs Job ng * - all status:gpu
# certificates.k8s.io/v1
certificatesigningrequests CertificateSigningRequest c * csr - approval:gpu status:gpu
# networking.k8s.io/v1
ingressclasses IngressClass cg * - -
ingresses Ingress ng * ing - status:gpu
ipaddresses IPAddress c * ip -
networkpolicies NetworkPolicy ng * netpol -
servicecidrs ServiceCIDR c * - - status:gpu
# policy/v1
poddisruptionbudgets PodDisruptionBudget ng * pdb - status:gpu
# rbac.authorization.k8s.io/v1
clusterrolebindings ClusterRoleBinding c * - -
clusterroles ClusterRole c * - -
rolebindings RoleBinding n * - -
roles Role n * - -
# storage.k8s.io/v1
csidrivers CSIDriver c * - -
csinodes CSINode c * - -
csistoragecapacities CSIStorageCapacity n * - -
storageclasses StorageClass c * sc -
volumeattachments VolumeAttachment c * - - status:gpu
volumeattributesclasses VolumeAttributesClass c * vac -
# admissionregistration.k8s.io/v1
mutatingadmissionpolicies MutatingAdmissionPolicy cg * - api-extensions
mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cg * - api-extensions
mutatingwebhookconfigurations MutatingWebhookConfiguration cg * - api-extensions
validatingadmissionpolicies ValidatingAdmissionPolicy cg * - api-extensions status:gpu
validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cg * - api-extensions
validatingwebhookconfigurations ValidatingWebhookConfiguration cg * - api-extensions
# apiextensions.k8s.io/v1
customresourcedefinitions CustomResourceDefinition cg * crd,crds api-extensions status:gpu
# scheduling.k8s.io/v1
priorityclasses PriorityClass cg * pc -
# coordination.k8s.io/v1
leases Lease n * - -
# node.k8s.io/v1
runtimeclasses RuntimeClass c * - -
# discovery.k8s.io/v1
endpointslices EndpointSlice ng * - -
# resource.k8s.io/v1
deviceclasses DeviceClass cg * - -
resourceclaims ResourceClaim n * - - status:gpu
resourceclaimtemplates ResourceClaimTemplate n * - -
resourceslices ResourceSlice c * - -
# flowcontrol.apiserver.k8s.io/v1
flowschemas FlowSchema cg * - - status:gpu
prioritylevelconfigurations PriorityLevelConfiguration cg * - - status:gpu
`;
