import { controllerOf, type KubeObject, parseDuration } from '#model';
import { keyOfObject, type World } from '../world.ts';
import { look } from '../write.ts';
import type { Container, Pod } from './view.ts';

const prefix = 'simulate.fairlead.io/';

/** What becomes of a container, as its image, its command or an annotation says. */
export type Outcome =
  | {
      readonly is: 'healthy';
      readonly readyAfterMs: number | undefined;
      readonly runForMs: number | undefined;
    }
  | { readonly is: 'image-pull-error' }
  | { readonly is: 'exits'; readonly code: number; readonly runForMs: number | undefined }
  | { readonly is: 'never-ready' };

/** What the pod, or the nearest of its owners that says anything, is annotated with. */
export type Script = {
  readonly outcome: string | undefined;
  readonly readyAfterMs: number | undefined;
  readonly runForMs: number | undefined;
};

export function scriptOf(world: World, pod: KubeObject): Script {
  const chain = ownersOf(world, pod);
  const word = (name: string) =>
    chain.map(({ metadata }) => metadata.annotations?.[prefix + name]).find((value) => value !== undefined);
  return {
    outcome: word('outcome'),
    readyAfterMs: duration(word('ready-after')),
    runForMs: duration(word('run-for')),
  };
}

const deepest = 6;

function ownersOf(world: World, pod: KubeObject): readonly KubeObject[] {
  const chain = [pod];
  for (let owner = controllerOf(pod); owner && chain.length < deepest; ) {
    const found = look(world, owner, { ...keyOfObject(pod), name: owner.name });
    if (!found) break;
    chain.push(found);
    owner = controllerOf(found);
  }
  return chain;
}

/** A script that cannot be read says nothing. */
function duration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return Math.max(0, parseDuration(text));
  } catch {
    return undefined;
  }
}

/** An annotation speaks for the first container, an image or a command for its own. */
export function outcomeOf(pod: Pod, container: Container, script: Script): Outcome {
  const isFirst = pod.spec?.containers?.[0]?.name === container.name;
  const { readyAfterMs, runForMs } = isFirst ? script : silent;
  const scripted = isFirst && script.outcome !== undefined ? named(script.outcome, runForMs) : undefined;
  if (scripted) return scripted;
  // a Knative revision runs its image by digest and notes here what it was called
  const noted = isFirst ? pod.metadata.annotations?.[`${prefix}image`] : undefined;
  const image = noted ?? container.image ?? '';
  if (image.includes('image-pull-error')) return { is: 'image-pull-error' };
  const code = exitCodeOf(container, image);
  if (code !== undefined && code !== 0) return { is: 'exits', code, runForMs };
  const slow = image.includes('slow-start') ? 10_000 : undefined;
  return { is: 'healthy', readyAfterMs: readyAfterMs ?? slow, runForMs: runForMs ?? sleepOf(container) };
}

const silent = { readyAfterMs: undefined, runForMs: undefined };

function named(outcome: string, runForMs: number | undefined): Outcome | undefined {
  switch (outcome) {
    case 'image-pull-error':
    case 'never-ready':
      return { is: outcome };
    case 'crash-loop':
    case 'fail':
      return { is: 'exits', code: 1, runForMs };
    default:
      return undefined;
  }
}

function exitCodeOf(container: Container, image: string): number | undefined {
  if (image.includes('crash-loop') || image.includes('job-fail')) return 1;
  const tagged = /exit-(\d{1,3})\b/.exec(image)?.[1];
  if (tagged !== undefined) return Number(tagged);
  const said = spoken(container);
  if (said === 'false') return 1;
  const exit = /^exit (\d{1,3})$/.exec(said)?.[1];
  return exit === undefined ? undefined : Number(exit);
}

function sleepOf(container: Container): number | undefined {
  const seconds = /^sleep (\d{1,7})$/.exec(spoken(container))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** The command as one would type it, without the shell around it. */
function spoken({ command = [], args = [] }: Container): string {
  return [...command, ...args]
    .join(' ')
    .replace(/^(?:\/bin\/)?(?:ba)?sh -c /, '')
    .trim();
}
