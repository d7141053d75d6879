/**
 * traffic: the split of a Knative Service as something that people decide and Git declares.
 *
 * A request such as "roll back" becomes a list of Revisions by name (`resolveTraffic`), and that list becomes an edit of the text
 * of one file (`editTraffic`), or a recorded override of what Git declares (`TrafficOverride`). The template of an earlier Revision
 * becomes an edit in the same way (`restoredTemplate`, `editTemplate`), or a record on the Rollout that moves the traffic
 * (`ManualTraffic`).
 *
 * Promises
 * (1) What is written names Revisions: words such as `previous-ready` are resolved first, and recorded beside the names.
 * (2) An edit changes `spec.traffic` or `spec.template` of one document and nothing else: the result is read again and compared, and comments and
 *     layout of everything else stay. Where that is impossible it throws, and nothing is edited.
 * (3) Names and tags from Git, from clusters and from users are checked before they are written anywhere.
 * (4) An override that cannot be read has no effect, and says so.
 */
export { type DeclaredService, editTraffic, servicesInText } from './edit.ts';
export { editTemplate } from './edit-template.ts';
export {
  describeManualTraffic,
  type ManualTraffic,
  manualTrafficAnnotation,
  manualTrafficMessage,
  manualTrafficOf,
  printManualTraffic,
} from './manual-traffic.ts';
export {
  describeOverride,
  endedOverrides,
  isCaughtUp,
  isSameService,
  keyOfOverride,
  overridden,
  overrideAnnotation,
  overridesOf,
  printOverrides,
  type TrafficOverride,
} from './override.ts';
export {
  previousReady,
  resolveTraffic,
  type TrafficIntent,
  type TrafficResolution,
} from './resolve.ts';
export {
  generationOf,
  knativeServicesIn,
  type ServiceFacts,
  serviceFacts,
} from './revisions.ts';
export { isKnativeService, isSameTraffic, printTraffic, type RevisionShare, trafficOf } from './targets.ts';
export {
  currentRevision,
  isReady,
  restoredTemplate,
  revisionToRestore,
  templateOf,
  type UndoBase,
} from './template.ts';
