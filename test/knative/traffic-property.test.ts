import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Application, defaultSettings, type KubeObject } from '#base/model';
import { compare, defaultTracking } from '#engine';
import { isSameTraffic, type RevisionShare, trafficOf } from '#engine/traffic';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../../src/embedded/controllers/virtual-cluster.ts';

// For random sequences of commits, syncs, Knative's own rollouts and edits by hand: the application is never Synced while a
// declared split is not in effect in spec, and never OutOfSync because of a field that Knative owns. In virtual time.

type Split = 'none' | 'latest' | 'first' | 'half';
type Step =
  | { readonly do: 'commit'; readonly image: number; readonly split: Split }
  | { readonly do: 'sync' }
  | { readonly do: 'edit'; readonly split: Exclude<Split, 'none'> }
  | { readonly do: 'wait'; readonly seconds: number };

const split = fc.constantFrom<Split>('none', 'latest', 'first', 'half');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('commit' as const), image: fc.integer({ min: 1, max: 3 }), split }),
  fc.constant({ do: 'sync' as const }),
  fc.constant({ do: 'sync' as const }),
  fc.record({ do: fc.constant('edit' as const), split: fc.constantFrom('latest', 'first', 'half') }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 5) }),
);

const ref = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', namespace: 'default', name: 'shop' };
const tracking = { 'argocd.argoproj.io/tracking-id': 'shop:serving.knative.dev/Service:default/shop' };
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { project: 'default', destination: { server: 'here', namespace: 'default' } },
};

function sharesFor(wanted: Split): readonly RevisionShare[] | undefined {
  if (wanted === 'none') return undefined;
  if (wanted === 'latest') return [{ latestRevision: true, percent: 100 }];
  if (wanted === 'first') return [{ revisionName: 'shop-00001', percent: 100 }];
  return [
    { revisionName: 'shop-00001', percent: 50, tag: 'old' },
    { latestRevision: true, percent: 50 },
  ];
}

/** What Git declares: quantities as people write them, and a gradual rollout. */
function manifest(image: number, wanted: Split): KubeObject {
  const traffic = sharesFor(wanted);
  const limits = { cpu: '1000m', memory: '1024Mi' };
  const template = { spec: { containers: [{ image: `ghcr.io/demo/shop:${image}`, resources: { limits } }] } };
  const annotations = { ...tracking, 'serving.knative.dev/rollout-duration': '10s' };
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, namespace: ref.namespace, annotations },
    spec: { template, ...(traffic && { traffic }) },
  };
}

/** The state of the test beside the cluster: Git, what was applied last, and whether a person changed it since. */
class Run {
  readonly #stage: VirtualCluster;
  #target = manifest(1, 'none');
  #applied = this.#target;
  #isEdited = false;

  constructor(stage: VirtualCluster) {
    this.#stage = stage;
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'commit') this.#target = manifest(one.image, one.split);
    else if (one.do === 'sync') await this.sync();
    else if (one.do === 'edit') await this.#edit(one.split);
    else await this.#stage.clock.advance(one.seconds * 1000);
    this.check(JSON.stringify(one));
    await this.#stage.clock.advance(300);
    this.check(`${JSON.stringify(one)}, then Knative's controllers`);
  }

  /** The three-way merge of a sync: what Git no longer declares is removed. */
  async sync(): Promise<void> {
    const [wanted, before] = [trafficOf(this.#target), trafficOf(this.#applied)];
    const traffic = wanted ?? (before ? null : undefined);
    const { spec, metadata } = this.#target as KubeObject<{ template: object }>;
    const annotations = { ...metadata.annotations, [lastApplied]: JSON.stringify(this.#target) };
    await this.#stage.patch(ref, {
      metadata: { annotations },
      spec: { template: spec?.template, ...(traffic !== undefined && { traffic }) },
    });
    this.#applied = this.#target;
    this.#isEdited = false;
  }

  async #edit(wanted: Split): Promise<void> {
    await this.#stage.patch(ref, { spec: { traffic: sharesFor(wanted) } });
    this.#isEdited = true;
  }

  check(after: string): void {
    const live = this.#stage.read(ref);
    const sides = { target: { objects: [this.#target], conditions: [] }, live: [live] };
    const { status, resources } = compare(app, sides as unknown as Parameters<typeof compare>[1], {
      controlPlaneNamespace: 'argocd',
      tracking: defaultTracking,
      resources: defaultSettings.resources,
      isNamespaced: () => true,
    });
    const declared = trafficOf(this.#target);
    const isInEffect = !declared || isSameTraffic(declared, trafficOf(live));
    if (status === 'Synced')
      expect(isInEffect, `Synced after ${after}, but the split is not in effect`).toBe(true);
    const paths = resources.flatMap(({ diff }) => diff.fields.map(({ path }) => path));
    expect(
      paths.filter((path) => /^\W?status/.test(path) || (!declared && /^\W?spec\Wtraffic/.test(path))),
    ).toEqual([]);
    const isClean = this.#applied === this.#target && (!this.#isEdited || isInEffect);
    if (isClean) expect([status, paths], `after ${after}`).toEqual(['Synced', []]);
  }
}

test('a declared split decides, and what Knative owns never does', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const stage = await createStage({ store: memoryStore() });
      try {
        const first = manifest(1, 'none');
        const annotations = { ...first.metadata.annotations, [lastApplied]: JSON.stringify(first) };
        await stage.create({ ...first, metadata: { ...first.metadata, annotations } });
        await stage.clock.advance(1000);
        const run = new Run(stage);
        run.check('the first sync');
        for (const one of steps) await run.take(one);
      } finally {
        await stage.stop();
      }
    }),
    { seed: 22, numRuns: 20 },
  );
});
