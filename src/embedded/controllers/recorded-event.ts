/** An event that a controller records: something it did or ran into. */
export type RecordedEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The controller that reports it. */
  readonly component: string;
  /** The action of the reporter: such events are written in the events.k8s.io form, as the scheduler's are. */
  readonly action?: string;
  /** The part of the object that it is about. */
  readonly fieldPath?: string;
  /** The node on which it happened. */
  readonly host?: string | undefined;
};
