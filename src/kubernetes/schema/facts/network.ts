// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of networking.v1, discovery.v1, coordination.v1, events.v1, one line each. */
export const network = `# networking.v1
HTTPIngressPath path:s?#1 pathType:s^!#3 backend:IngressBackend!#2
HTTPIngressRuleValue paths:[HTTPIngressPath!#1
IPAddress kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:IPAddressSpec!#2
IPAddressSpec parentRef:ParentReference^?!#1
IPBlock cidr:s!#1 except:[s?#2
Ingress kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:IngressSpec#2 status:IngressStatus#3
IngressBackend service:IngressServiceBackend^?#4 resource:core.v1.TypedLocalObjectReference^?#3
IngressClass kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:IngressClassSpec#2
IngressClassParametersReference apiGroup:s^?#1 kind:s!#2 name:s!#3 scope:s^#4 namespace:s^?#5
IngressClassSpec controller:s?#1 parameters:IngressClassParametersReference^?#2
IngressLoadBalancerIngress ip:s?#1 hostname:s?#2 ports:[IngressPortStatus?#4
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress?#1
IngressPortStatus port:i!#1 protocol:s!#2 error:s^?#3
IngressRule host:s?#1 http:HTTPIngressRuleValue^?#2.1
IngressServiceBackend name:s!#1 port:ServiceBackendPort#2
IngressSpec ingressClassName:s^?#4 defaultBackend:IngressBackend^?#1 tls:[IngressTLS?#2 rules:[IngressRule?#3
IngressStatus loadBalancer:IngressLoadBalancerStatus#1
IngressTLS hosts:[s?#1 secretName:s?#2
NetworkPolicy kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:NetworkPolicySpec#2
NetworkPolicyEgressRule ports:[NetworkPolicyPort?#1 to:[NetworkPolicyPeer?#2
NetworkPolicyIngressRule ports:[NetworkPolicyPort?#1 from:[NetworkPolicyPeer?#2
NetworkPolicyPeer podSelector:meta.v1.LabelSelector^?#1 namespaceSelector:meta.v1.LabelSelector^?#2 ipBlock:IPBlock^?#3
NetworkPolicyPort protocol:s^?#1 port:X^?#2 endPort:i^?#3
NetworkPolicySpec podSelector:meta.v1.LabelSelector#1 ingress:[NetworkPolicyIngressRule?#2 egress:[NetworkPolicyEgressRule?#3 policyTypes:[s?#4
ParentReference group:s?#1 resource:s?!#2 namespace:s?#3 name:s?!#4
ServiceBackendPort@. name:s?#1 number:i?#2
ServiceCIDR kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ServiceCIDRSpec#2 status:ServiceCIDRStatus#3
ServiceCIDRSpec cidrs:[s?#1
ServiceCIDRStatus conditions:[meta.v1.Condition?#1@type~type
# discovery.v1
Endpoint addresses:[s!#1@* conditions:EndpointConditions#2 hostname:s^?#3 targetRef:core.v1.ObjectReference^?#4 deprecatedTopology:{s?#5 nodeName:s^?#6 zone:s^?#7 hints:EndpointHints^?#8
EndpointConditions ready:b^?#1 serving:b^?#2 terminating:b^?#3
EndpointHints forZones:[ForZone?#1 forNodes:[ForNode?#2
EndpointPort@. name:s^?#1 protocol:s^?#2 port:i^?#3 appProtocol:s^?#4
EndpointSlice kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 addressType:s!#4 endpoints:[Endpoint#2 ports:[EndpointPort#3
ForNode name:s!#1
ForZone name:s!#1
# coordination.v1
Lease kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:LeaseSpec#2
LeaseSpec holderIdentity:s^?#1 leaseDurationSeconds:i^?#2 acquireTime:M^?#3 renewTime:M^?#4 leaseTransitions:i^?#5 strategy:s^?#6 preferredHolder:s^?#7
# events.v1
Event kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 eventTime:M!#2 series:EventSeries^?#3 reportingController:s?#4 reportingInstance:s?#5 action:s?#6 reason:s?#7 regarding:core.v1.ObjectReference#8 related:core.v1.ObjectReference^?#9 note:s?#10 type:s?#11 deprecatedSource:core.v1.EventSource#12 deprecatedFirstTimestamp:T#13 deprecatedLastTimestamp:T#14 deprecatedCount:i?#15
EventSeries count:i!#1 lastObservedTime:M!#2
`;
