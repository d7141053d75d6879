import { expect } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import type { Scripts } from '#control/scripts';
import { health } from '#engine';
import { dataOf, fragment, settingsOf } from '../../seeds/documents.ts';
import { judged, spelled } from '../../seeds/scripts.ts';
import { isSettled } from '../fairlead.ts';
import { deployments, type Failure, file, healthOf, isHealth, type Plant, service } from './plant.ts';

/** The scripts of seed 001, whose readers put them into argocd-cm. */
const documentScripts = dataOf('001/argocd-cm.yaml');
/** A script that reads no conditions: most kinds report by a phase. */
const phaseScript = {
  'resource.customizations.health.serving.knative.dev_Service': `
    if obj.status ~= nil and obj.status.phase == "Ready" then return { status = "Healthy" } end
    return { status = "Progressing", message = "Waiting for the phase" }`,
};
const slowly = fragment<KubeObject>('000/rollout-duration.yaml').metadata.annotations ?? {};
const portless = { startupProbe: { httpGet: { path: '/healthz' } } };
const unfetched = { image: 'registry.invalid/demo/gone:image-pull-error' };
/** No node has that much; the embedded cluster, which counts nothing, reads the annotation. */
const unschedulable = {
  metadata: { annotations: { 'simulate.fairlead.io/outcome': 'unschedulable' } },
  spec: { containers: [{ image: 'ghcr.io/demo/huge:v1', resources: { requests: { cpu: '4000' } } }] },
};
const asUnknownKind = (object: KubeObject): KubeObject => ({ ...object, apiVersion: 'example.com/v1' });

type Judged = { readonly code: string; readonly cause?: RegExp };

const untilJudged = (plant: Plant, app: string, { code, cause = /./ }: Judged): Promise<Application> =>
  plant.until(app, code, (one) => isHealth(code)(one) && cause.test(healthOf(one)));

/** The health of the Service once it is this. */
const judgedAs = async (plant: Plant, app: string, wanted: Judged): Promise<string> =>
  healthOf(await untilJudged(plant, app, wanted));

/** What the application itself says then: the beginning of what the Service says. */
const shownAs = async (plant: Plant, app: string, wanted: Judged): Promise<string | undefined> =>
  (await untilJudged(plant, app, wanted)).status?.health?.message;

/** The same while these scripts are in argocd-cm. */
const scriptedAs = (plant: Plant, app: string, wanted: Judged, data = documentScripts): Promise<string> =>
  plant.withSettings(data, () => judgedAs(plant, app, wanted));

/** Health that misleads. */
export const judgedFailures = (plant: Plant, scripts: Scripts): readonly Failure[] => [
  {
    seed: '001',
    tells: 'a Service is Progressing for ever, because its conditions are not understood',
    plain: () => scriptedAs(plant, 'agent', { code: 'Progressing' }, phaseScript),
    failure: 'Progressing: Waiting for the phase',
    here: () => judgedAs(plant, 'agent', { code: 'Healthy' }),
    instead: 'Healthy',
  },
  {
    seed: '001',
    tells: 'a Service is judged by its existence, and one that cannot run goes unseen',
    plain: async () => {
      await plant.begin('gone', { [file]: service('gone', 'v1', { container: unfetched }) });
      await plant.until('gone', 'Degraded', isHealth('Degraded'));
      return spelled(health(asUnknownKind(await plant.live('gone'))));
    },
    failure: 'none',
    here: () => shownAs(plant, 'gone', { code: 'Degraded', cause: /Unable to fetch/ }),
    instead: expect.stringContaining(
      `Revision gone-00001 failed: Unable to fetch image "${unfetched.image}"`,
    ),
  },
  {
    seed: '001',
    tells: 'a Service that does not start does not say why; pods, events and logs must be searched',
    plain: async () => {
      await plant.begin('huge', { [file]: { ...service('huge', 'v1'), spec: { template: unschedulable } } });
      return scriptedAs(plant, 'huge', { code: 'Degraded', cause: /any ready Revision/ }); // in the end; at first it has the cause
    },
    failure: 'Degraded: Configuration "huge" does not have any ready Revision.',
    here: () => judgedAs(plant, 'huge', { code: 'Degraded', cause: /nodes are available/ }),
    instead: expect.stringMatching(/nodes are available.*huge-00001/),
  },
  staleReady(plant, scripts),
  {
    seed: '000',
    tells: 'a generated probe without a port becomes port 0, and no pod ever exists',
    plain: async () => {
      await plant.begin('probed', { [file]: service('probed', 'v1', { container: portless }) });
      return scriptedAs(plant, 'probed', { code: 'Progressing', cause: /Revision/ });
    },
    failure: 'Progressing: Configuration "probed" is waiting for a Revision to become ready.',
    here: async () => [await shownAs(plant, 'probed', { code: 'Degraded' }), await plant.diagnose('probed')],
    instead: [
      expect.stringMatching(
        /^Service probed \(Revision probed-00001 .* set startupProbe\.httpGet\.port to 8080/,
      ),
      expect.arrayContaining(['knative-probe-port']),
    ],
  },
  ...slowRollouts(plant),
];

/** What the API server returns for a change: the spec of this generation beside the status of the last. */
function staleReady(plant: Plant, scripts: Scripts): Failure {
  const changed = async (tag: string): Promise<KubeObject> => {
    await plant.kubectl('wait', 'ksvc/agent', '-n', 'agent', '--for=condition=Ready', '--timeout=60s');
    return plant.patch('agent', { spec: service('agent', tag).spec });
  };
  return {
    seed: '001',
    tells: 'the gate opens on the Ready of the last generation, and the next wave starts',
    plain: async () => spelled(await judged(scripts, await changed('v3'), settingsOf(documentScripts))),
    failure: 'Healthy: Service is ready',
    here: async () => {
      await plant.until('agent', 'healed', isSettled);
      return spelled(health(await changed('v4')));
    },
    instead: 'Progressing: waiting for the new spec to be observed',
  };
}

const slowRollouts = (plant: Plant): readonly Failure[] => [
  {
    seed: '000',
    tells: 'a rollout looks stuck: it is in progress, and nothing says how far',
    plain: async () => {
      await plant.begin('slow', { [file]: service('slow', 'v1', { annotations: slowly }) });
      await plant.until('slow', 'settled', isSettled);
      await plant.commit('slow', { [file]: service('slow', 'v2', { annotations: slowly }) });
      await plant.until('slow', 'rolling out', (app) => /rollout in progress/.test(healthOf(app)));
      return scriptedAs(plant, 'slow', { code: 'Progressing' });
    },
    failure: expect.not.stringContaining('%'),
    here: async () => {
      const app = await plant.until('slow', 'rolling out', (one) => /%/.test(healthOf(one)));
      return [healthOf(app), app.status?.sync?.status, deployments(app)];
    },
    instead: [
      expect.stringMatching(/^Progressing: rollout in progress: slow-0000\d \d+%, slow-0000\d \d+%$/),
      'Synced',
      2,
    ],
  },
  {
    seed: '000',
    tells: 'the duration of a rollout is copied into a service, and a normal deployment feels stuck',
    plain: async () => [
      (await plant.until('slow', 'found', () => true)).status?.health?.status,
      await plant.diagnose('slow'),
    ],
    failure: ['Progressing', expect.arrayContaining(['knative-rollout-duration'])],
    here: async () => {
      await plant.begin('quick', { [file]: service('quick', 'v1') });
      await plant.until('quick', 'settled', isSettled);
      const app = await plant.deploy('quick', { [file]: service('quick', 'v2') });
      return [app.status?.health?.status, await plant.diagnose('quick')];
    },
    instead: ['Healthy', expect.not.arrayContaining(['knative-rollout-duration'])],
  },
];
