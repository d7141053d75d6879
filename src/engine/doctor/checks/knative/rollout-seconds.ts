import { type KubeObject, parseDuration } from '#base/model';
import type { Check, FieldPath, Flaw } from '../../check.ts';
import { isTemplated, valueAt } from '../../kinds.ts';

/** Both spellings that Knative reads. */
const keys = ['rollout-duration', 'rolloutDuration'] as const;

/** Point 5 of the users' Knative checklist: the one place where the duration is a number, and not a duration. */
export const knativeRolloutSeconds: Check = {
  id: 'knative-rollout-seconds',
  title: 'the duration of all rollouts is no number of seconds',
  severity: 'error',
  why: 'in config-network Knative reads a whole number of seconds, without a unit: its webhook refuses the ConfigMap, and no rollout becomes gradual.',
  fix: 'write the number of seconds as a text, such as "30"',
  reads: ['ConfigMap', 'operator.knative.dev/KnativeServing'],
  *find(object) {
    for (const place of placesIn(object)) {
      for (const key of keys) {
        const at = [...place, key];
        const value = valueAt(object, at);
        if (typeof value === 'string' && !isTemplated(value) && !/^\+?\d+$/.test(value))
          yield flawOf(at, value);
      }
    }
  },
};

function flawOf(at: FieldPath, value: string): Flaw {
  const seconds = secondsOf(value);
  return {
    at,
    message: `${at.at(-1)} is ${JSON.stringify(value.slice(0, 40))}, and Knative wants a number of seconds`,
    ...(seconds !== undefined && {
      fix: `write "${seconds}"`,
      mend: { path: at, value: seconds },
    }),
  };
}

/** The same duration as Knative writes it; undefined: it is none. */
function secondsOf(value: string): string | undefined {
  try {
    const ms = parseDuration(value);
    return ms >= 0 && ms % 1000 === 0 ? String(ms / 1000) : undefined;
  } catch {
    return undefined;
  }
}

/** Where the settings of Knative's network are, in the ConfigMap or in the object of Knative's operator. */
function placesIn({ kind, metadata }: KubeObject): readonly FieldPath[] {
  if (kind === 'KnativeServing')
    return [
      ['spec', 'config', 'network'],
      ['spec', 'config', 'config-network'],
    ];
  const { name, namespace = 'knative-serving' } = metadata;
  return name === 'config-network' && namespace === 'knative-serving' ? [['data']] : [];
}
