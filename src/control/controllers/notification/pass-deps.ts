import type { Application, AppProject } from '#base/model';
import type { Ctx } from '#base/std';
import type { openReach } from '#control/deliver';
import type { Informer, SettingsWatch } from '#control/live';
import type { CommitFacts, NotificationConfig } from '#control/notify';
import type { QueueHooks } from '#control/runtime';
import type { KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import type { NotificationConfigs } from './configs.ts';

/** Receives what happens, for metrics. Must not throw. */
export type NotificationObserver = {
  delivered(trigger: string, service: string, isSuccess: boolean): void;
  evaluated(trigger: string, isTriggered: boolean): void;
  /** An undelivered message has no record: it is lost if the process ends now and its condition does not hold any more. */
  unrecorded(trigger: string, service: string): void;
};

export type NotificationControllerDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch'>;
  readonly apps: Informer<Application>;
  readonly projects: Pick<Informer<AppProject>, 'get' | 'changes'>;
  readonly configs: NotificationConfigs;
  readonly settings: Pick<SettingsWatch, 'current' | 'changes'>;
  /** The namespace of the control plane; projects are there (dev server §6.4). */
  readonly namespace: string;
  /** How services are reached. */
  readonly outside: Parameters<typeof openReach>[0];
  readonly events: Pick<EventRecorder, 'recordOnce' | 'run'>;
  /** The commit behind a revision of an application; undefined: its source has none. */
  describe(ctx: Ctx, app: Application, revision: string): Promise<CommitFacts | undefined>;
  /** A configuration was read that has problems. */
  onProblems?(ctx: Ctx, config: NotificationConfig): Promise<void>;
  readonly hooks?: QueueHooks;
  readonly observe?: NotificationObserver;
};
