import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';

/** One thing a person may do to an object. Disabled is advice for the screen, not a lock (engine H-33). */
export type OfferedAction = {
  readonly name: string;
  readonly disabled: boolean;
  readonly displayName?: string;
  readonly iconClass?: string;
  readonly params?: readonly ActionParameter[];
};
export type ActionParameter = { readonly name: string; readonly default?: string };

/**
 * One change of an action: an object to create, or the patched form of the object that the action runs on.
 */
export type ActionChange = { readonly operation: 'create' | 'patch'; readonly resource: KubeObject };

export type ActionInput = {
  readonly parameters: Readonly<Record<string, string>>;
  readonly now: Date;
};

/** A built-in action. `run` gets a copy it may change and returns it, or a list of changes. */
export type BuiltIn = {
  readonly offer: (object: KubeObject) => Partial<OfferedAction> | undefined;
  readonly run: (object: KubeObject, input: ActionInput) => KubeObject | readonly ActionChange[];
};

/** Actions by name; those whose offer is undefined are not shown, yet can be run (engine H-32). */
export type BuiltIns = Readonly<Record<string, BuiltIn>>;

const largest = 2_147_483_647;

/** A number of replicas from a form: an integer that Kubernetes can hold, or InvalidSpec with what to type. */
export function replicasFrom({ parameters }: ActionInput): number {
  const { replicas } = parameters;
  const text = replicas?.trim() ?? '';
  if (!/^\d{1,10}$/.test(text) || Number(text) > largest) {
    const wrong = replicas === undefined ? ' is missing' : `: "${replicas}" is not a number of replicas`;
    throw new FairleadError('InvalidSpec', `parameter replicas${wrong}; use an integer from 0 to ${largest}`);
  }
  return Number(text);
}
