// Generated from the Go types of Kubernetes 1.36.3; not edited by hand. notation.ts says how to read it.
/** Types of admissionregistration.v1, apiextensions.v1, apiregistration.v1, flowcontrol.v1, one line each. */
export const extension = `# admissionregistration.v1
ApplyConfiguration expression:s?#1
AuditAnnotation key:s!#1 valueExpression:s!#2
ExpressionWarning fieldRef:s!#2 warning:s!#3
JSONPatch expression:s?#1
MatchCondition name:s!#1 expression:s!#2
MatchResources@. namespaceSelector:meta.v1.LabelSelector^?#1 objectSelector:meta.v1.LabelSelector^?#2 resourceRules:[NamedRuleWithOperations?#3 excludeResourceRules:[NamedRuleWithOperations?#4 matchPolicy:s^?#7
MutatingAdmissionPolicy kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:MutatingAdmissionPolicySpec#2
MutatingAdmissionPolicyBinding kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:MutatingAdmissionPolicyBindingSpec#2
MutatingAdmissionPolicyBindingSpec policyName:s?#1 paramRef:ParamRef^?#2 matchResources:MatchResources^?#3
MutatingAdmissionPolicySpec paramKind:ParamKind^?#1 matchConstraints:MatchResources^?#2 variables:[Variable?#3 mutations:[Mutation?#4 failurePolicy:s^?#5 matchConditions:[MatchCondition?#6@name~name reinvocationPolicy:s?#7
MutatingWebhook name:s!#1 clientConfig:WebhookClientConfig!#2 rules:[RuleWithOperations?#3 failurePolicy:s^?#4 matchPolicy:s^?#9 namespaceSelector:meta.v1.LabelSelector^?#5 objectSelector:meta.v1.LabelSelector^?#11 sideEffects:s^!#6 timeoutSeconds:i^?#7 admissionReviewVersions:[s!#8 reinvocationPolicy:s^?#10 matchConditions:[MatchCondition?#12@name~name
MutatingWebhookConfiguration kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 webhooks:[MutatingWebhook?#2@name~name
Mutation patchType:s!#2 applyConfiguration:ApplyConfiguration^?#3 jsonPatch:JSONPatch^?#4
NamedRuleWithOperations@. resourceNames:[s?#1 operations:[s?#2.1 apiGroups:[s?#2.2.1 apiVersions:[s?#2.2.2 resources:[s?#2.2.3 scope:s^?#2.2.4
ParamKind@. apiVersion:s?#1 kind:s?#2
ParamRef@. name:s?#1 namespace:s?#2 selector:meta.v1.LabelSelector^?#3 parameterNotFoundAction:s^?#4
RuleWithOperations operations:[s?#1 apiGroups:[s?#2.1 apiVersions:[s?#2.2 resources:[s?#2.3 scope:s^?#2.4
ServiceReference namespace:s!#1 name:s!#2 path:s^?#3 port:i^?#4
TypeChecking expressionWarnings:[ExpressionWarning?#1
ValidatingAdmissionPolicy kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ValidatingAdmissionPolicySpec#2 status:ValidatingAdmissionPolicyStatus#3
ValidatingAdmissionPolicyBinding kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:ValidatingAdmissionPolicyBindingSpec!#2
ValidatingAdmissionPolicyBindingSpec policyName:s?!#1 paramRef:ParamRef^?#2 matchResources:MatchResources^?#3 validationActions:[s?!#4@*
ValidatingAdmissionPolicySpec paramKind:ParamKind^?#1 matchConstraints:MatchResources^?#2 validations:[Validation?#3 failurePolicy:s^?#4 auditAnnotations:[AuditAnnotation?#5 matchConditions:[MatchCondition?#6@name~name variables:[Variable?#7@name~name
ValidatingAdmissionPolicyStatus observedGeneration:l?#1 typeChecking:TypeChecking^?#2 conditions:[meta.v1.Condition?#3@type
ValidatingWebhook name:s!#1 clientConfig:WebhookClientConfig!#2 rules:[RuleWithOperations?#3 failurePolicy:s^?#4 matchPolicy:s^?#9 namespaceSelector:meta.v1.LabelSelector^?#5 objectSelector:meta.v1.LabelSelector^?#10 sideEffects:s^!#6 timeoutSeconds:i^?#7 admissionReviewVersions:[s!#8 matchConditions:[MatchCondition?#11@name~name
ValidatingWebhookConfiguration kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 webhooks:[ValidatingWebhook?#2@name~name
Validation expression:s!#1 message:s?#2 reason:s^?#3 messageExpression:s?#4
Variable@. name:s!#1 expression:s!#2
WebhookClientConfig url:s^?#3 service:ServiceReference^?#1 caBundle:B?#2
# apiextensions.v1
CustomResourceColumnDefinition name:s!#1 type:s!#2 format:s?#3 description:s?#4 priority:i?#5 jsonPath:s!#6
CustomResourceConversion strategy:s!#1 webhook:WebhookConversion^?#2
CustomResourceDefinition kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:CustomResourceDefinitionSpec!#2 status:CustomResourceDefinitionStatus#3
CustomResourceDefinitionCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5 observedGeneration:l?#6
CustomResourceDefinitionNames plural:s!#1 singular:s?#2 shortNames:[s?#3 kind:s!#4 listKind:s?#5 categories:[s?#6
CustomResourceDefinitionSpec group:s!#1 names:CustomResourceDefinitionNames!#3 scope:s!#4 versions:[CustomResourceDefinitionVersion!#7 conversion:CustomResourceConversion^?#9 preserveUnknownFields:b?#10
CustomResourceDefinitionStatus conditions:[CustomResourceDefinitionCondition#1@type acceptedNames:CustomResourceDefinitionNames#2 storedVersions:[s#3 observedGeneration:l?#4
CustomResourceDefinitionVersion name:s!#1 served:b!#2 storage:b!#3 deprecated:b?#7 deprecationWarning:s^?#8 schema:CustomResourceValidation^?#4 subresources:CustomResourceSubresources^?#5 additionalPrinterColumns:[CustomResourceColumnDefinition?#6 selectableFields:[SelectableField?#9
CustomResourceSubresourceScale specReplicasPath:s!#1 statusReplicasPath:s!#2 labelSelectorPath:s^?#3
CustomResourceSubresourceStatus
CustomResourceSubresources status:CustomResourceSubresourceStatus^?#1 scale:CustomResourceSubresourceScale^?#2
CustomResourceValidation openAPIV3Schema:JSONSchemaProps^?#1
ExternalDocumentation description:s?#1 url:s?#2
JSONSchemaProps id:s?#1 $schema:s?#2 $ref:s^?#3 description:s?#4 type:s?#5 format:s?#6 title:s?#7 default:J^?#8 maximum:d^?#9 exclusiveMaximum:b?#10 minimum:d^?#11 exclusiveMinimum:b?#12 maxLength:l^?#13 minLength:l^?#14 pattern:s?#15 maxItems:l^?#16 minItems:l^?#17 uniqueItems:b?#18 multipleOf:d^?#19 enum:[J?#20 maxProperties:l^?#21 minProperties:l^?#22 required:[s?#23 items:Ja^?#24 allOf:[JSONSchemaProps?#25 oneOf:[JSONSchemaProps?#26 anyOf:[JSONSchemaProps?#27 not:JSONSchemaProps^?#28 properties:{JSONSchemaProps?#29 additionalProperties:Jb^?#30 patternProperties:{JSONSchemaProps?#31 dependencies:{Js?#32 additionalItems:Jb^?#33 definitions:{JSONSchemaProps?#34 externalDocs:ExternalDocumentation^?#35 example:J^?#36 nullable:b?#37 x-kubernetes-preserve-unknown-fields:b^?#38 x-kubernetes-embedded-resource:b?#39 x-kubernetes-int-or-string:b?#40 x-kubernetes-list-map-keys:[s?#41 x-kubernetes-list-type:s^?#42 x-kubernetes-map-type:s^?#43 x-kubernetes-validations:[ValidationRule?#44@rule~rule
SelectableField jsonPath:s!#1
ServiceReference namespace:s!#1 name:s!#2 path:s^?#3 port:i^?#4
ValidationRule rule:s!#1 message:s?#2 messageExpression:s?#3 reason:s^?#4 fieldPath:s?#5 optionalOldSelf:b^?#6
WebhookClientConfig url:s^?#3 service:ServiceReference^?#1 caBundle:B?#2
WebhookConversion clientConfig:WebhookClientConfig^?#2 conversionReviewVersions:[s!#3
# apiregistration.v1
APIService kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:APIServiceSpec#2 status:APIServiceStatus#3
APIServiceCondition type:s!#1 status:s!#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
APIServiceSpec service:ServiceReference^?#1 group:s?#2 version:s?#3 insecureSkipTLSVerify:b?#4 caBundle:B?#5 groupPriorityMinimum:i!#7 versionPriority:i!#8
APIServiceStatus conditions:[APIServiceCondition?#1@type~type
ServiceReference namespace:s?#1 name:s?#2 port:i^?#3
# flowcontrol.v1
ExemptPriorityLevelConfiguration nominalConcurrencyShares:i^?#1 lendablePercent:i^?#2
FlowDistinguisherMethod type:s!#1
FlowSchema kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:FlowSchemaSpec#2 status:FlowSchemaStatus#3
FlowSchemaCondition type:s?#1 status:s?#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
FlowSchemaSpec priorityLevelConfiguration:PriorityLevelConfigurationReference!#1 matchingPrecedence:i#2 distinguisherMethod:FlowDistinguisherMethod^?#3 rules:[PolicyRulesWithSubjects?#4
FlowSchemaStatus conditions:[FlowSchemaCondition?#1@type~type
GroupSubject name:s!#1
LimitResponse type:s!#1 queuing:QueuingConfiguration^?#2
LimitedPriorityLevelConfiguration nominalConcurrencyShares:i^#1 limitResponse:LimitResponse#2 lendablePercent:i^?#3 borrowingLimitPercent:i^?#4
NonResourcePolicyRule verbs:[s!#1@* nonResourceURLs:[s!#6@*
PolicyRulesWithSubjects subjects:[Subject!#1 resourceRules:[ResourcePolicyRule?#2 nonResourceRules:[NonResourcePolicyRule?#3
PriorityLevelConfiguration kind:s? apiVersion:s? metadata:meta.v1.ObjectMeta#1 spec:PriorityLevelConfigurationSpec#2 status:PriorityLevelConfigurationStatus#3
PriorityLevelConfigurationCondition type:s?#1 status:s?#2 lastTransitionTime:T#3 reason:s?#4 message:s?#5
PriorityLevelConfigurationReference name:s!#1
PriorityLevelConfigurationSpec type:s!#1 limited:LimitedPriorityLevelConfiguration^?#2 exempt:ExemptPriorityLevelConfiguration^?#3
PriorityLevelConfigurationStatus conditions:[PriorityLevelConfigurationCondition?#1@type~type
QueuingConfiguration queues:i#1 handSize:i#2 queueLengthLimit:i#3
ResourcePolicyRule verbs:[s!#1@* apiGroups:[s!#2@* resources:[s!#3@* clusterScope:b?#4 namespaces:[s#5@*
ServiceAccountSubject namespace:s!#1 name:s!#2
Subject kind:s!#1 user:UserSubject^?#2 group:GroupSubject^?#3 serviceAccount:ServiceAccountSubject^?#4
UserSubject name:s!#1
`;
