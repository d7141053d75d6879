import { type KubeObject, parseTime, printTime } from '#base/model';
import type { StoredEvent } from '#embedded/apiserver';
import { claimKind, configMapKind, podKind, secretKind } from '../kinds.ts';
import type { DelayRange } from '../options.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import {
  type Controller,
  type Key,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
  sooner,
} from '../simulation-context.ts';
import { discard, isDeleting, writeStatus } from '../write.ts';
import { Addresses } from './addresses.ts';
import { creating, endedWith, nextContainer, type Rules, type Scene } from './container.ts';
import { containerEventsOf, stopEvents } from './container-events.ts';
import { PodNotes } from './notes.ts';
import { scriptOf } from './outcome.ts';
import { missingForVolumes } from './references.ts';
import { nodeAddress, schedule } from './schedule.ts';
import { isInitialized, podStatus, withConditions } from './status.ts';
import type { Container, ContainerStatus, Pod, PodStatus } from './view.ts';

const kubelet = { manager: 'kubelet' };

/**
 * Scheduler and kubelet in one: schedules pods, starts them, keeps them running or failing as scripted, and ends
 * them.
 */
export function createPodController(): Controller {
  const notes = new PodNotes();
  const addresses = new Addresses();
  const waiting = (_context: SimulationContext, { object }: StoredEvent) =>
    notes.waitingIn(object.metadata.namespace ?? '');
  return {
    type: podKind,
    wakes: [configMapKind, secretKind, claimKind].map((type) => ({ type, keys: waiting })),
    reconcile: (context, pod) => new PodPass(context, pod as Pod, { notes, addresses }).run(),
    gone(_context, key) {
      notes.forget(key);
      addresses.release(key);
    },
  };
}

type Memory = { readonly notes: PodNotes; readonly addresses: Addresses };

class PodPass {
  readonly #context: SimulationContext;
  readonly #pod: Pod;
  readonly #key: Key;
  readonly #memory: Memory;
  readonly #now: number;

  constructor(context: SimulationContext, pod: Pod, memory: Memory) {
    this.#context = context;
    this.#pod = pod;
    this.#key = keyOfObject(pod);
    this.#memory = memory;
    this.#now = nowOf(context);
    if (pod.status?.podIP && pod.spec?.hostNetwork !== true)
      memory.addresses.keep(this.#key, pod.status.podIP);
  }

  run(): Promise<NextPass | undefined> {
    this.#memory.notes.resolved(this.#key);
    if (isDeleting(this.#pod)) return this.#stop();
    if (isOver(this.#pod)) return Promise.resolve(undefined);
    if (!this.#pod.spec?.nodeName) return this.#place();
    return this.#pod.status?.startTime === undefined ? this.#begin() : this.#live();
  }

  async #place(): Promise<NextPass | undefined> {
    const placed = await schedule(this.#context, this.#pod);
    if (!placed) this.#memory.notes.waits(this.#key);
    return undefined;
  }

  /** The pod is scheduled to its node. */
  async #begin(): Promise<NextPass | undefined> {
    const { containers = [], initContainers = [] } = this.#pod.spec ?? {};
    const main = containers.map((one) =>
      creating(one, initContainers.length > 0 ? 'PodInitializing' : undefined),
    );
    const init = initContainers.map((one) => creating(one, 'PodInitializing'));
    const hostIP = nodeAddress(this.#context, this.#pod.spec?.nodeName ?? '');
    const status = {
      ...podStatus(this.#pod, { init, main }, this.#now),
      startTime: printTime(new Date(this.#now)),
      hostIP,
      hostIPs: [{ ip: hostIP }],
    };
    await this.#write({ ...status, conditions: this.#unstarted(status) });
    return { at: this.#startAt() };
  }

  #unstarted({ conditions = [] }: PodStatus) {
    return conditions.map((one) =>
      one.type === 'PodReadyToStartContainers' ? { ...one, status: 'False' } : one,
    );
  }

  #startAt(): number {
    const { startTime } = this.#pod.status ?? {};
    const delay = between(this.#context, this.#context.settings.podStartMs, `start ${this.#id()}`);
    return this.#since('start', startTime) + delay;
  }

  #id(): string {
    return `${this.#key.namespace}/${this.#key.name}`;
  }

  #since(what: string, recorded: string | undefined): number {
    return this.#memory.notes.since(this.#key, what, { recorded: parseTime(recorded), now: this.#now });
  }

  /** compat cluster 5.1: activeDeadlineSeconds limits how long a pod may run. */
  #deadline(): number | undefined {
    const { activeDeadlineSeconds: seconds } = this.#pod.spec ?? {};
    const started = parseTime(this.#pod.status?.startTime);
    return seconds === undefined || started === undefined ? undefined : started + seconds * 1000;
  }

  async #live(): Promise<NextPass | undefined> {
    const deadline = this.#deadline();
    if (deadline !== undefined && this.#now >= deadline) return this.#overrun();
    const again = await this.#advance();
    return sooner(again, deadline === undefined ? undefined : { at: deadline });
  }

  async #overrun(): Promise<undefined> {
    const message = 'Pod was active on the node longer than the specified deadline';
    await this.#write({ ...this.#ended(137), reason: 'DeadlineExceeded', message });
    return undefined;
  }

  async #advance(): Promise<NextPass | undefined> {
    const startAt = this.#startAt();
    if (this.#now < startAt && this.#pod.status?.podIP === undefined) return { at: startAt };
    if (missingForVolumes(this.#context, this.#pod)) {
      this.#memory.notes.waits(this.#key);
      return this.#cannotMount();
    }
    const scene: Scene = {
      context: this.#context,
      pod: this.#pod,
      script: scriptOf(this.#context, this.#pod),
      now: this.#now,
      startAt,
      since: (what, recorded) => this.#since(what, recorded),
    };
    const init = this.#runAll(scene, 'initContainers');
    const main = init.isDone ? this.#runAll(scene, 'containers') : this.#mainUnstarted();
    const status = podStatus(this.#pod, { init: init.statuses, main: main.statuses }, this.#now);
    if (hasConfigError(status)) this.#memory.notes.waits(this.#key);
    await this.#write({ ...status, ...this.#address() });
    await this.#record(containerEventsOf(this.#pod, status));
    return sooner(init.again, main.again);
  }

  async #cannotMount(): Promise<undefined> {
    const message = missingForVolumes(this.#context, this.#pod) ?? '';
    await this.#record([{ type: 'Warning', reason: 'FailedMount', message }]);
    return undefined;
  }

  /** Init containers one after another, main containers concurrently. */
  #runAll(scene: Scene, field: 'initContainers' | 'containers'): Progress {
    const containers = this.#pod.spec?.[field] ?? [];
    const statuses: ContainerStatus[] = [];
    let again: NextPass | undefined;
    let isDone = true;
    for (const container of containers) {
      const current = this.#current(field, container);
      const held = field === 'initContainers' && !isDone;
      const step = held
        ? { status: current }
        : nextContainer(scene, container, current, this.#rules(field, container));
      statuses.push(step.status);
      again = sooner(again, 'again' in step ? step.again : undefined);
      if (!isInitialized(this.#pod.spec ?? {}, step.status)) isDone = false;
    }
    return { statuses, again, isDone: field === 'containers' || isDone };
  }

  #current(field: 'initContainers' | 'containers', container: Container): ContainerStatus {
    const { status = {} } = this.#pod;
    const known = field === 'containers' ? status.containerStatuses : status.initContainerStatuses;
    return known?.find(({ name }) => name === container.name) ?? creating(container);
  }

  #mainUnstarted(): Progress {
    const statuses = (this.#pod.spec?.containers ?? []).map((one) => this.#current('containers', one));
    return { statuses, again: undefined, isDone: false };
  }

  #rules(field: 'initContainers' | 'containers', container: Container): Rules {
    const policy = this.#pod.spec?.restartPolicy ?? 'Always';
    if (field === 'initContainers') {
      if (container.restartPolicy === 'Always') return { restart: 'Always', endsAfterMs: undefined };
      return { restart: policy === 'Never' ? 'Never' : 'OnFailure', endsAfterMs: initMs };
    }
    return {
      restart: policy,
      endsAfterMs: policy === 'Always' ? undefined : this.#context.settings.runForMs,
    };
  }

  #address() {
    if (this.#pod.status?.podIP !== undefined) return {};
    const { nodeName = '', hostNetwork } = this.#pod.spec ?? {};
    const podIP =
      hostNetwork === true
        ? nodeAddress(this.#context, nodeName)
        : this.#memory.addresses.take(this.#key, this.#context.chance.number(`address ${this.#id()}`));
    return { podIP, podIPs: [{ ip: podIP }] };
  }

  /** Records the kubelet's events in the order in which they happened. */
  async #record(news: readonly Omit<RecordedEvent, 'component'>[]): Promise<void> {
    const host = this.#pod.spec?.nodeName;
    for (const one of news)
      await this.#context.events.record(this.#pod, { ...one, component: 'kubelet', host });
  }

  /** The pod is being deleted: its containers end within their grace period, then the pod is removed. */
  async #stop(): Promise<NextPass | undefined> {
    const grace = (this.#pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const stopMs = between(this.#context, this.#context.settings.podStopMs, `stop ${this.#id()}`);
    const end = this.#since('stop', undefined) + Math.min(grace, stopMs);
    if (this.#now < end) {
      if (grace > 0)
        await this.#record(this.#memory.notes.isNew(this.#key, 'stopping') ? stopEvents(this.#pod) : []);
      return { at: end };
    }
    if (!isOver(this.#pod) && this.#pod.status?.containerStatuses) await this.#write(this.#ended());
    if (grace > 0) await discard(this.#context, this.#pod, kubelet, 0);
    return undefined;
  }

  /** A server that is stopped ends cleanly; a job that is cut short has failed. */
  #ended(code = this.#pod.spec?.restartPolicy === 'Always' ? 0 : 143): PodStatus {
    const { status = {} } = this.#pod;
    const ended = (one: ContainerStatus) => (one.state.running ? endedWith(one, { code }, this.#now) : one);
    const over = { status: 'False' as const, reason: code === 0 ? 'PodCompleted' : 'PodFailed' };
    return {
      ...status,
      phase: code === 0 ? 'Succeeded' : 'Failed',
      conditions: withConditions(this.#pod, this.#now, {
        PodReadyToStartContainers: { status: 'False' },
        Initialized: { status: 'True' },
        Ready: over,
        ContainersReady: over,
        PodScheduled: { status: 'True' },
      }),
      containerStatuses: (status.containerStatuses ?? []).map(ended),
    };
  }

  #write(status: PodStatus): Promise<void> {
    const { generation: observedGeneration } = this.#pod.metadata;
    return writeStatus(this.#context, this.#pod, { ...status, observedGeneration }, kubelet);
  }
}

type Progress = {
  readonly statuses: readonly ContainerStatus[];
  readonly again: NextPass | undefined;
  readonly isDone: boolean;
};

const initMs = 10;

const hasConfigError = ({ containerStatuses = [] }: PodStatus): boolean =>
  containerStatuses.some(({ state }) => state.waiting?.reason === 'CreateContainerConfigError');

const isOver = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((pod as Pod).status?.phase ?? '');

function between({ chance }: SimulationContext, { min, max }: DelayRange, what: string): number {
  return Math.round(min + chance.number(what) * (max - min));
}
