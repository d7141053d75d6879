import fc from 'fast-check';
import { expect } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { isSameTraffic, type RevisionShare, trafficOf } from '#engine/traffic';

// For random sequences of commits, syncs, Knative's own rollouts and edits by people and other field managers: the application is
// never Synced while something that Git declares, the traffic split before all, is not in effect in spec, and never OutOfSync
// because of a field that Knative owns.

type Split = 'none' | 'latest' | 'first' | 'half';
const managers = ['kubectl-edit', 'release-bot'] as const;
type Manager = (typeof managers)[number];

export type TrafficStep =
  | { readonly do: 'commit'; readonly image: number; readonly split: Split; readonly team: string }
  | { readonly do: 'sync' }
  | {
      readonly do: 'edit';
      readonly by: Manager;
      readonly field: 'traffic';
      readonly to: Exclude<Split, 'none'>;
    }
  | { readonly do: 'edit'; readonly by: Manager; readonly field: 'image'; readonly to: number }
  | { readonly do: 'edit'; readonly by: Manager; readonly field: 'team'; readonly to: string }
  | {
      readonly do: 'apply';
      readonly by: Manager;
      readonly field: 'traffic';
      readonly to: Exclude<Split, 'none'>;
    }
  | { readonly do: 'apply'; readonly by: Manager; readonly field: 'timeout'; readonly to: number }
  | { readonly do: 'wait'; readonly seconds: number };

const image = fc.integer({ min: 1, max: 3 });
const team = fc.constantFrom('red', 'blue');
const shared = fc.constantFrom('latest', 'first', 'half');
const by = fc.constantFrom(...managers);
const step: fc.Arbitrary<TrafficStep> = fc.oneof(
  fc.record({ do: fc.constant('commit'), image, team, split: fc.constantFrom('none', ...splits()) }),
  fc.constant({ do: 'sync' } as const),
  fc.constant({ do: 'sync' } as const),
  fc.record({ do: fc.constant('edit'), by, field: fc.constant('traffic'), to: shared }),
  fc.record({ do: fc.constant('edit'), by, field: fc.constant('image'), to: image }),
  fc.record({ do: fc.constant('edit'), by, field: fc.constant('team'), to: team }),
  fc.record({ do: fc.constant('apply'), by, field: fc.constant('traffic'), to: shared }),
  fc.record({ do: fc.constant('apply'), by, field: fc.constant('timeout'), to: fc.constantFrom(60, 120) }),
  fc.record({ do: fc.constant('wait'), seconds: fc.constantFrom(1, 5, 20) }),
) as fc.Arbitrary<TrafficStep>;

function splits(): readonly Exclude<Split, 'none'>[] {
  return ['latest', 'first', 'half'];
}

/** How an application is applied and synced. */
export type TrafficPolicy = { readonly isServerSide: boolean; readonly selfHeals: boolean };
export type TrafficPlan = { readonly policy: TrafficPolicy; readonly steps: readonly TrafficStep[] };

export const trafficPlan = (most: number): fc.Arbitrary<TrafficPlan> =>
  fc.record({
    policy: fc.record({ isServerSide: fc.boolean(), selfHeals: fc.boolean() }),
    steps: fc.array(step, { minLength: 3, maxLength: most }),
  });

/** A control plane with one application of one Knative Service, called as the folder and the namespace are. */
export type TrafficGround = {
  readonly name: string;
  /** Commits the manifest; the revision. */
  commit(service: KubeObject): Promise<string>;
  /** Requests a sync and waits for its end; its phase. */
  sync(): Promise<string | undefined>;
  /** A merge patch of the Service. */
  edit(by: string, body: object): Promise<void>;
  /** A server-side apply of the Service that takes the ownership of what it names. */
  apply(by: string, fields: object): Promise<void>;
  wait(seconds: number): Promise<void>;
  /** Refreshes the application, and reads it and the Service when nothing is in progress. */
  settled(): Promise<{ readonly app: Application; readonly live: KubeObject }>;
};

export const trafficApplication = (
  name: string,
  repoURL: string,
  { isServerSide, selfHeals }: TrafficPolicy,
): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL, path: name },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: {
      ...(selfHeals && { automated: { prune: true, selfHeal: true } }),
      ...(isServerSide && { syncOptions: ['ServerSideApply=true'] }),
      retry: { limit: 0 },
    },
  },
});

/** Plays a plan, and checks after each step. */
export async function playTraffic(ground: TrafficGround, { policy, steps }: TrafficPlan): Promise<void> {
  await new Run(ground, policy).play(steps);
}

/** Declared and live, in the words of the failure. */
type Facts = {
  readonly image: string;
  readonly team: string;
  readonly traffic: readonly RevisionShare[] | undefined;
};

/** What Git has now, and what was applied last. */
class Run {
  readonly #ground: TrafficGround;
  readonly #policy: TrafficPolicy;
  #declared: KubeObject;
  #revision = '';
  #applied = '';

  constructor(ground: TrafficGround, policy: TrafficPolicy) {
    this.#ground = ground;
    this.#policy = policy;
    this.#declared = this.#manifest(1, 'red', 'none');
  }

  async play(steps: readonly TrafficStep[]): Promise<void> {
    await this.#commit(this.#declared);
    await this.#sync();
    await this.#ground.wait(10);
    await this.#check('the first sync');
    for (const one of steps) {
      await this.#take(one);
      await this.#check(JSON.stringify(one));
    }
  }

  async #take(one: TrafficStep): Promise<void> {
    if (one.do === 'commit') await this.#commit(this.#manifest(one.image, one.team, one.split));
    else if (one.do === 'sync') await this.#sync();
    else if (one.do === 'wait') await this.#ground.wait(one.seconds);
    else if (one.do === 'apply') await this.#ground.apply(one.by, this.#fields(one));
    else await this.#ground.edit(one.by, this.#fields(one));
  }

  async #commit(service: KubeObject): Promise<void> {
    this.#declared = service;
    this.#revision = await this.#ground.commit(service);
  }

  async #sync(): Promise<void> {
    expect(await this.#ground.sync(), 'the phase of a sync').toBe('Succeeded');
  }

  #fields(one: Extract<TrafficStep, { readonly do: 'edit' | 'apply' }>): object {
    if (one.field === 'traffic') return { spec: { traffic: this.#shares(one.to) } };
    if (one.field === 'image')
      return { spec: { template: { spec: { containers: [this.#container(one.to)] } } } };
    if (one.field === 'team') return { metadata: { annotations: { [teamNote]: one.to } } };
    return { spec: { template: { spec: { timeoutSeconds: one.to } } } };
  }

  /** What Git declares: quantities as people write them, and a gradual rollout. */
  #manifest(tag: number, owner: string, wanted: Split): KubeObject {
    const traffic = this.#shares(wanted);
    return {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata: {
        name: this.#ground.name,
        annotations: { [teamNote]: owner, 'serving.knative.dev/rollout-duration': '10s' },
      },
      spec: { template: { spec: { containers: [this.#container(tag)] } }, ...(traffic && { traffic }) },
    };
  }

  #container(tag: number): object {
    return { image: `ghcr.io/demo/shop:${tag}`, resources: { limits: { cpu: '1000m', memory: '1024Mi' } } };
  }

  #shares(wanted: Split): readonly RevisionShare[] | undefined {
    const revisionName = `${this.#ground.name}-00001`;
    if (wanted === 'none') return undefined;
    if (wanted === 'latest') return [{ latestRevision: true, percent: 100 }];
    if (wanted === 'first') return [{ revisionName, percent: 100 }];
    return [
      { revisionName, percent: 50, tag: 'old' },
      { latestRevision: true, percent: 50 },
    ];
  }

  async #check(after: string): Promise<void> {
    const { app, live } = await this.#ground.settled();
    const status = app.status?.sync?.status;
    if (app.status?.operationState?.phase === 'Succeeded')
      this.#applied = app.status.operationState.syncResult?.revision ?? this.#applied;
    const [declared, now] = [factsOf(this.#declared), factsOf(live)];
    const said = `${status} after ${after}, ${JSON.stringify({ declared, now, ...this.#policy })}`;
    expect(app.status?.conditions?.filter(({ type }) => type.endsWith('Error')) ?? [], said).toEqual([]);
    expect(app.status?.sync?.revision, said).toBe(this.#revision);
    const isInEffect = !declared.traffic || isSameTraffic(declared.traffic, now.traffic);
    const holds = isInEffect && declared.image === now.image && declared.team === now.team;
    if (!holds) expect(status, said).toBe('OutOfSync');
    // a field that Git no longer has is a difference until it is synced
    else if (this.#applied === this.#revision) expect(status, said).toBe('Synced');
    else expect(['Synced', 'OutOfSync'], said).toContain(status);
  }
}

const teamNote = 'example.com/team';

function factsOf(service: KubeObject): Facts {
  const { template } = (service.spec ?? {}) as { template?: { spec?: { containers?: { image: string }[] } } };
  return {
    image: template?.spec?.containers?.[0]?.image ?? '',
    team: service.metadata.annotations?.[teamNote] ?? '',
    traffic: trafficOf(service),
  };
}
