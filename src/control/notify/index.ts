/**
 * notify: who is to be notified of what. The configuration and an application in, messages that are due out; nothing is sent
 * here.
 *
 * `config` reads argocd-notifications-cm, `subscriptions` the annotations, `trigger` the conditions, `template` the texts,
 * `marks` what was sent before; `evaluate` puts them together for an application, `rollout-event` for an event of a Rollout.
 *
 * Promises
 * (1) One key that cannot be used disables nothing else; it is reported by its name.
 * (2) Marks are the peer's: an installation that changes over sends nothing twice.
 * (3) A condition that holds and has no mark is due; one that has a mark is not. Nothing else is kept here.
 * (4) A condition or template of a user ends within its budget, and cannot read more than it is given: the configuration of
 *     an application namespace sees no secrets of the control plane.
 * (5) No problem holds the value of a secret; `maskSecrets` removes them from texts of others.
 */
export { catalog } from './catalog.ts';
export {
  type NotificationConfig,
  type NotificationService,
  type NotificationTopic,
  notificationNames,
  readNotifications,
} from './config.ts';
export {
  type DueMessage,
  decideNotifications,
  isStatusCurrent,
  type NotificationSubject,
  renderNotification,
  runTrigger,
  type SentMark,
} from './evaluate.ts';
export type { CommitFacts } from './functions.ts';
export { groupedMessage, isGroupable } from './group.ts';
export { notifiedAnnotation, printMarks, readMarks } from './marks.ts';
export type { NotificationDestination, NotificationMessage, NotificationProblem } from './message.ts';
export { previewNotifications, previewTemplate, previewTrigger } from './preview.ts';
export { knownSomewhere } from './problems.ts';
export {
  type DueOfRollout,
  decideRolloutEvent,
  type RolloutEventSubject,
  renderRolloutEvent,
} from './rollout-event.ts';
export { maskSecrets } from './secret-references.ts';
