import { printTime } from '#base/model';
import { sha256 } from '#base/std';
import type { NextPass, SimulationContext } from '../simulation-context.ts';
import { fullName } from './container-events.ts';
import { imageIdOf } from './image.ts';
import { type ContainerOutcome, outcomeOf, type Script } from './outcome.ts';
import { missingForContainer } from './references.ts';
import type { Container, ContainerStatus, Pod, Terminated } from './view.ts';

/** One pod at one moment. */
export type Scene = {
  readonly context: SimulationContext;
  readonly pod: Pod;
  readonly script: Script;
  readonly now: number;
  /** When the containers may start. */
  readonly startAt: number;
  /** When this began: exactly if this process recorded it, else the object's time in whole seconds. */
  since(what: string, recorded: string | undefined): number;
};

/** The restart policy, and after how long a healthy container ends. */
export type Rules = {
  readonly restart: 'Always' | 'OnFailure' | 'Never';
  readonly endsAfterMs: number | undefined;
};

export type ContainerStep = { readonly status: ContainerStatus; readonly again?: NextPass | undefined };

/** The next state of a container; the same status object when nothing is due. */
export function nextContainer(
  scene: Scene,
  container: Container,
  current: ContainerStatus | undefined,
  rules: Rules,
): ContainerStep {
  const status = current ?? creating(container);
  const outcome = outcomeOf(scene.pod, container, scene.script, status.restartCount);
  const { running, terminated } = status.state;
  if (running) return whileRunning(scene, container, status, { outcome, rules });
  if (terminated) return afterEnd(scene, status, terminated, rules);
  if (status.lastState.terminated) return inBackoff(scene, status, status.lastState.terminated);
  return beforeStart(scene, container, status, { outcome, rules });
}

export const creating = (
  { name = '', image = '' }: Container,
  reason = 'ContainerCreating',
): ContainerStatus => ({
  name,
  image,
  imageID: '',
  ready: false,
  started: false,
  restartCount: 0,
  state: { waiting: { reason } },
  lastState: {},
});

const waiting = (status: ContainerStatus, reason: string, message: string): ContainerStatus => ({
  ...status,
  ready: false,
  started: false,
  state: { waiting: { reason, message } },
});

function beforeStart(
  scene: Scene,
  container: Container,
  status: ContainerStatus,
  { outcome, rules }: Life,
): ContainerStep {
  if (scene.now < scene.startAt) return { status, again: { at: scene.startAt } };
  if (outcome.is === 'image-pull-error') return pullFailed(scene, container, status);
  const missing = missingForContainer(scene.context, scene.pod, container);
  if (missing) return { status: waiting(status, 'CreateContainerConfigError', missing) };
  // a container that is ready at once is reported as running and ready in one write
  return nextContainer(scene, container, started(scene, container, status, 0).status, rules);
}

const pullRetryMs = 1000;

function pullFailed(scene: Scene, { name, image = '' }: Container, status: ContainerStatus): ContainerStep {
  const since = scene.since(`${name}/pull`, undefined);
  if (scene.now >= since + pullRetryMs) {
    const message = `Back-off pulling image "${image}": ErrImagePull: ${notFound(image)}`;
    return { status: waiting(status, 'ImagePullBackOff', message) };
  }
  return {
    status: waiting(status, 'ErrImagePull', notFound(image)),
    again: { at: since + pullRetryMs },
  };
}

const notFound = (image: string): string =>
  `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`;

function started(
  scene: Scene,
  container: Container,
  status: ContainerStatus,
  restartCount: number,
): ContainerStep {
  const { uid = '' } = scene.pod.metadata;
  scene.since(`${status.name}/run/${restartCount}`, undefined);
  const running: ContainerStatus = {
    ...status,
    imageID: imageIdOf(container.image ?? ''),
    containerID: `containerd://${sha256(`${uid}/${status.name}/${restartCount}`)}`,
    started: true,
    ready: false,
    restartCount,
    state: { running: { startedAt: printTime(new Date(scene.now)) } },
  };
  return { status: running, again: { at: scene.now } };
}

type Life = { readonly outcome: ContainerOutcome; readonly rules: Rules };

/** Crashing containers of a server end at once; containers that are meant to finish take their usual time. */
const crashMs = 100;

function whileRunning(
  scene: Scene,
  container: Container,
  status: ContainerStatus,
  { outcome, rules }: Life,
): ContainerStep {
  const began = scene.since(`${status.name}/run/${status.restartCount}`, status.state.running?.startedAt);
  if (outcome.is === 'exits') {
    const end =
      began + (outcome.runForMs ?? (rules.restart === 'Always' ? crashMs : (rules.endsAfterMs ?? crashMs)));
    return ending(scene, { ...status, ready: false }, end, outcome);
  }
  if (outcome.is !== 'healthy') return { status: { ...status, ready: outcome.is === 'hangs' } };
  if (rules.endsAfterMs !== undefined) {
    const end = began + (outcome.runForMs ?? rules.endsAfterMs);
    return ending(scene, { ...status, ready: true }, end, done);
  }
  if (outcome.flapMs !== undefined) return flap(scene, status, began, outcome.flapMs);
  const readyAt = began + (outcome.readyAfterMs ?? probeDelay(scene, container));
  if (scene.now >= readyAt) return { status: { ...status, ready: true } };
  return { status: { ...status, ready: false }, again: { at: readyAt } };
}

/** Ready in every other period, counted from the start. */
function flap({ now }: Scene, status: ContainerStatus, began: number, periodMs: number): ContainerStep {
  const periods = Math.floor((now - began) / periodMs);
  return {
    status: { ...status, ready: periods % 2 === 0 },
    again: { at: began + (periods + 1) * periodMs },
  };
}

function probeDelay({ context }: Scene, { readinessProbe, startupProbe }: Container): number {
  if (context.settings.probes === 'instant') return 0;
  const probes = [startupProbe, readinessProbe].filter((probe) => probe !== undefined);
  const seconds = probes.map(
    ({ initialDelaySeconds = 0, periodSeconds = 10 }) => initialDelaySeconds + periodSeconds,
  );
  return seconds.reduce((sum, one) => sum + one, 0) * 1000;
}

type End = { readonly code: number; readonly reason?: string };
const done: End = { code: 0 };

function ending(scene: Scene, status: ContainerStatus, end: number, how: End): ContainerStep {
  if (scene.now < end) return { status, again: { at: end } };
  const ended = endedWith(status, how, scene.now);
  scene.since(`${status.name}/ended/${status.restartCount}`, undefined);
  return { status: ended, again: { at: scene.now } };
}

/** The container after its process has ended. */
export function endedWith(
  status: ContainerStatus,
  { code: exitCode, reason }: End,
  now: number,
): ContainerStatus {
  const finishedAt = printTime(new Date(now));
  const reported = exitCode !== 0 && reason === undefined;
  const terminated: Terminated = {
    exitCode,
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    ...(reported && { message: `the simulated process exited with code ${exitCode}` }),
    startedAt: status.state.running?.startedAt ?? finishedAt,
    finishedAt,
    containerID: status.containerID ?? '',
  };
  return { ...status, ready: false, started: false, state: { terminated } };
}

function afterEnd(scene: Scene, status: ContainerStatus, end: Terminated, rules: Rules): ContainerStep {
  const isOver = rules.restart === 'Never' || (rules.restart === 'OnFailure' && end.exitCode === 0);
  if (isOver) return { status };
  const next = { ...status, lastState: { terminated: end } };
  if (status.restartCount === 0) return restarted(scene, next);
  const message = `back-off ${spelled(backoffMs(status))} restarting failed container=${status.name} pod=${fullName(scene.pod)}`;
  return {
    status: waiting(next, 'CrashLoopBackOff', message),
    again: { at: endOfBackoff(scene, status, end) },
  };
}

/** compat cluster 5.1: 10s, 20s, 40s … 5m, as the kubelet prints it. */
function spelled(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

const backoffMs = ({ restartCount }: ContainerStatus): number =>
  Math.min(300_000, 10_000 * 2 ** Math.min(10, restartCount - 1));

const endOfBackoff = (scene: Scene, status: ContainerStatus, end: Terminated): number =>
  scene.since(`${status.name}/ended/${status.restartCount}`, end.finishedAt) + backoffMs(status);

function inBackoff(scene: Scene, status: ContainerStatus, last: Terminated): ContainerStep {
  const at = endOfBackoff(scene, status, last);
  return scene.now < at ? { status, again: { at } } : restarted(scene, status);
}

function restarted(scene: Scene, status: ContainerStatus): ContainerStep {
  return started(scene, { image: status.image ?? '' }, status, status.restartCount + 1);
}
