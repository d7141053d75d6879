/** Something a controller did or met with, as it tells people. */
export type Happening = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Which controller tells it. */
  readonly component: string;
  /** What was being done: such events are written in the newer form, as the scheduler's are. */
  readonly action?: string;
  /** Which part of the object it is about. */
  readonly fieldPath?: string;
  /** On which node it happened. */
  readonly host?: string | undefined;
};
