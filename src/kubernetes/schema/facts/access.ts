// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of rbac.v1, authentication.v1, authorization.v1, certificates.v1, one line each. */
export const access = `# rbac.v1
AggregationRule clusterRoleSelectors:[meta.v1.LabelSelector?#1
ClusterRole kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 rules:[PolicyRule#2 aggregationRule:AggregationRule^?#3
ClusterRoleBinding kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 subjects:[Subject?#2 roleRef:RoleRef!#3
PolicyRule verbs:[s!#1 apiGroups:[s?#2 resources:[s?#3 resourceNames:[s?#4 nonResourceURLs:[s?#5
Role kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 rules:[PolicyRule#2
RoleBinding kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 subjects:[Subject?#2 roleRef:RoleRef!#3
RoleRef@. apiGroup:s#1 kind:s!#2 name:s!#3
Subject@. kind:s!#1 apiGroup:s?#2 name:s!#3 namespace:s?#4
# authentication.v1
BoundObjectReference kind:s?#1 apiVersion:s?#2 name:s?#3 uid:s?#4
SelfSubjectReview kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 status:SelfSubjectReviewStatus#2
SelfSubjectReviewStatus userInfo:UserInfo#1
TokenRequest kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:TokenRequestSpec#2 status:TokenRequestStatus#3
TokenRequestSpec audiences:[s#1 expirationSeconds:l^#4 boundObjectRef:BoundObjectReference^#3
TokenRequestStatus token:s#1 expirationTimestamp:T#2
TokenReview kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:TokenReviewSpec!#2 status:TokenReviewStatus#3
TokenReviewSpec token:s?!#1 audiences:[s?#2
TokenReviewStatus authenticated:b?#1 user:UserInfo#2 audiences:[s?#4 error:s?#3
UserInfo username:s?#1 uid:s?#2 groups:[s?#3 extra:{[s?#4
# authorization.v1
FieldSelectorAttributes rawSelector:s?#1 requirements:[meta.v1.FieldSelectorRequirement?#2
LabelSelectorAttributes rawSelector:s?#1 requirements:[meta.v1.LabelSelectorRequirement?#2
LocalSubjectAccessReview kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:SubjectAccessReviewSpec!#2 status:SubjectAccessReviewStatus#3
NonResourceAttributes path:s?#1 verb:s?#2
NonResourceRule verbs:[s!#1 nonResourceURLs:[s?#2
ResourceAttributes namespace:s?#1 verb:s?#2 group:s?#3 version:s?#4 resource:s?#5 subresource:s?#6 name:s?#7 fieldSelector:FieldSelectorAttributes^?#8 labelSelector:LabelSelectorAttributes^?#9
ResourceRule verbs:[s!#1 apiGroups:[s?#2 resources:[s?#3 resourceNames:[s?#4
SelfSubjectAccessReview kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:SelfSubjectAccessReviewSpec!#2 status:SubjectAccessReviewStatus#3
SelfSubjectAccessReviewSpec resourceAttributes:ResourceAttributes^?#1 nonResourceAttributes:NonResourceAttributes^?#2
SelfSubjectRulesReview kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:SelfSubjectRulesReviewSpec!#2 status:SubjectRulesReviewStatus#3
SelfSubjectRulesReviewSpec namespace:s?#1
SubjectAccessReview kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:SubjectAccessReviewSpec!#2 status:SubjectAccessReviewStatus#3
SubjectAccessReviewSpec resourceAttributes:ResourceAttributes^?#1 nonResourceAttributes:NonResourceAttributes^?#2 user:s?#3 groups:[s?#4 extra:{[s?#5 uid:s?#6
SubjectAccessReviewStatus allowed:b!#1 denied:b?#4 reason:s?#2 evaluationError:s?#3
SubjectRulesReviewStatus resourceRules:[ResourceRule!#1 nonResourceRules:[NonResourceRule!#2 incomplete:b!#3 evaluationError:s?#4
# certificates.v1
CertificateSigningRequest kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:CertificateSigningRequestSpec!#2 status:CertificateSigningRequestStatus#3
CertificateSigningRequestCondition type:s!#1 status:s!#6 reason:s?#2 message:s?#3 lastUpdateTime:T#4 lastTransitionTime:T#5
CertificateSigningRequestSpec request:B!#1 signerName:s!#7 expirationSeconds:i^?#8 usages:[s?#5 username:s?#2 uid:s?#3 groups:[s?#4 extra:{[s?#6
CertificateSigningRequestStatus conditions:[CertificateSigningRequestCondition?#1@type certificate:B?#2
`;
