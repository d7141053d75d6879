import { controllerOf, type KubeObject, parseDuration } from '#base/model';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { storedObject } from '../write.ts';
import type { Container, Pod } from './view.ts';

const prefix = 'simulate.fairlead.io/';

/** The simulated behaviour of a container, from its image, its command or an annotation. */
export type ContainerOutcome =
  | {
      readonly is: 'healthy';
      readonly readyAfterMs: number | undefined;
      readonly runForMs: number | undefined;
      /** Ready for so long, then not ready for as long, repeatedly. */
      readonly flapMs?: number | undefined;
    }
  | { readonly is: 'image-pull-error' }
  | {
      readonly is: 'exits';
      readonly code: number;
      readonly reason?: string;
      readonly runForMs: number | undefined;
    }
  /** Runs for ever: never ready, or ready and never done. */
  | { readonly is: 'never-ready' | 'hangs' };

/** The annotations of the pod, or of its nearest owner that has any. */
export type Script = {
  readonly outcome: string | undefined;
  readonly readyAfterMs: number | undefined;
  readonly runForMs: number | undefined;
  readonly periodMs: number | undefined;
  /** How often the job this pod works for has failed before. */
  readonly failures: number;
};

export function scriptOf(context: SimulationContext, pod: KubeObject): Script {
  const chain = ownersOf(context, pod);
  const word = (name: string) =>
    chain.map(({ metadata }) => metadata.annotations?.[prefix + name]).find((value) => value !== undefined);
  return {
    outcome: word('outcome'),
    readyAfterMs: duration(word('ready-after')),
    runForMs: duration(word('run-for')),
    periodMs: duration(word('period')),
    failures: failuresBefore(pod, chain[1]),
  };
}

function failuresBefore({ metadata }: KubeObject, owner: KubeObject | undefined): number {
  const noted = metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'];
  if (noted !== undefined) return Number(noted) || 0;
  return (owner?.status as { failed?: number } | undefined)?.failed ?? 0;
}

const deepest = 6;

function ownersOf(context: SimulationContext, pod: KubeObject): readonly KubeObject[] {
  const chain = [pod];
  for (let owner = controllerOf(pod); owner && chain.length < deepest; ) {
    const found = storedObject(context, owner, { ...keyOfObject(pod), name: owner.name });
    if (!found) break;
    chain.push(found);
    owner = controllerOf(found);
  }
  return chain;
}

/** A script that cannot be parsed is ignored. */
function duration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return Math.max(0, parseDuration(text));
  } catch {
    return undefined;
  }
}

/** An annotation applies to the first container, an image or a command to its own. */
export function outcomeOf(
  pod: Pod,
  container: Container,
  script: Script,
  restarts: number,
): ContainerOutcome {
  const isFirst = pod.spec?.containers?.[0]?.name === container.name;
  const { readyAfterMs, runForMs, periodMs } = isFirst ? script : silent;
  const scripted =
    isFirst && script.outcome !== undefined ? named(script, script.failures + restarts) : undefined;
  if (scripted) return scripted;
  // a Knative revision runs its image by digest and records the original name here
  const noted = isFirst ? pod.metadata.annotations?.[`${prefix}image`] : undefined;
  const image = noted ?? container.image ?? '';
  const spoken = imageOutcomes.find(({ word }) => image.includes(word));
  if (spoken) return spoken.outcome({ runForMs, periodMs });
  const code = exitCodeOf(container, image);
  if (code !== undefined && code !== 0) return { is: 'exits', code, runForMs };
  const slow = image.includes('slow-start') ? 10_000 : undefined;
  return { is: 'healthy', readyAfterMs: readyAfterMs ?? slow, runForMs: runForMs ?? sleepOf(container) };
}

const silent = { readyAfterMs: undefined, runForMs: undefined, periodMs: undefined };

type Times = { readonly runForMs: number | undefined; readonly periodMs: number | undefined };

const exits = (code: number, { runForMs }: Times): ContainerOutcome => ({ is: 'exits', code, runForMs });
const outOfMemory = ({ runForMs }: Times): ContainerOutcome => ({
  is: 'exits',
  code: 137,
  reason: 'OOMKilled',
  runForMs,
});
const flapping = ({ runForMs, periodMs = 10_000 }: Times): ContainerOutcome => ({
  is: 'healthy',
  readyAfterMs: undefined,
  runForMs,
  flapMs: Math.max(1, periodMs),
});

const imageOutcomes: readonly { word: string; outcome(times: Times): ContainerOutcome }[] = [
  { word: 'image-pull-error', outcome: () => ({ is: 'image-pull-error' }) },
  { word: 'crash-loop', outcome: (times) => exits(1, times) },
  { word: 'job-fail', outcome: (times) => exits(1, times) },
  { word: 'out-of-memory', outcome: outOfMemory },
  { word: 'never-ready', outcome: () => ({ is: 'never-ready' }) },
  { word: 'flapping', outcome: flapping },
  { word: 'job-hang', outcome: () => ({ is: 'hangs' }) },
];

/** An unknown word is ignored. */
function named(script: Script, attempts: number): ContainerOutcome | undefined {
  const [outcome = '', detail] = (script.outcome ?? '').split(':');
  switch (outcome) {
    case 'image-pull-error':
    case 'never-ready':
      return { is: outcome };
    case 'hang':
      return { is: 'hangs' };
    case 'crash-loop':
    case 'fail':
      return fails(script, detail, attempts);
    case 'exit':
      return exits(Number(detail) || 0, script);
    case 'out-of-memory':
      return outOfMemory(script);
    case 'flapping':
      return flapping(script);
    case 'succeed':
      return { is: 'healthy', readyAfterMs: script.readyAfterMs, runForMs: script.runForMs };
    default:
      return undefined;
  }
}

/** Always, or only the first so many times. */
function fails(script: Script, times: string | undefined, attempts: number): ContainerOutcome {
  if (times === undefined || attempts < Number(times)) return exits(1, script);
  return { is: 'healthy', readyAfterMs: script.readyAfterMs, runForMs: script.runForMs };
}

function exitCodeOf(container: Container, image: string): number | undefined {
  const tagged = /exit-(\d{1,3})\b/.exec(image)?.[1];
  if (tagged !== undefined) return Number(tagged);
  const said = spoken(container);
  if (said === 'false') return 1;
  const exit = /^exit (\d{1,3})$/.exec(said)?.[1];
  return exit === undefined ? undefined : Number(exit);
}

function sleepOf(container: Container): number | undefined {
  const said = spoken(container);
  if (said === 'sleep infinity') return Number.MAX_SAFE_INTEGER;
  const seconds = /^sleep (\d{1,7})$/.exec(said)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** The command as a user would type it, without the shell around it. */
function spoken({ command = [], args = [] }: Container): string {
  return [...command, ...args]
    .join(' ')
    .replace(/^(?:\/bin\/)?(?:ba)?sh -c /, '')
    .trim();
}
