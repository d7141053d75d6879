import { expect } from 'vitest';
import type { Application } from '#base/model';
import { fragment, manifest } from '../../seeds/documents.ts';
import { isSettled } from '../fairlead.ts';
import {
  type Failure,
  file,
  healthOf,
  isHealth,
  type KnativeService,
  type Plant,
  policy,
  service,
} from './plant.ts';

const rules = fragment<{ ignoreDifferences: object[] }>('000/ignore-differences.yaml');
const respected = { ...rules, syncPolicy: { ...policy, syncOptions: ['RespectIgnoreDifferences=true'] } };
const latest = { latestRevision: true, percent: 100 };
const to = (revisionName: string, percent = 100) => ({ revisionName, percent });
const split = (name: string) => [to(`${name}-v1`, 80), to(`${name}-v2`, 20)];

const sharesOf = ({ spec }: KnativeService): object[] =>
  (spec?.traffic ?? []).map((entry) =>
    Object.fromEntries(Object.entries(entry).filter(([key]) => key === 'revisionName' || key === 'percent')),
  );
const at = (name: string, version: string, traffic?: object[]) => ({
  [file]: service(name, version, { revision: `${name}-${version}`, ...(traffic && { traffic }) }),
});

/** An application whose Service has the revisions v1 and v2; `traffic` is what Git declares, if anything. */
async function twoRevisions(
  plant: Plant,
  name: string,
  { spec = {}, traffic }: { spec?: object; traffic?: object[] } = {},
): Promise<void> {
  await plant.begin(name, at(name, 'v1', traffic), spec);
  await plant.until(name, 'settled', isSettled);
  await plant.deploy(name, at(name, 'v2', traffic));
}

/** Traffic that goes elsewhere than Git, or the operator, says. */
export const trafficFailures = (plant: Plant): readonly Failure[] => [
  {
    seed: '000',
    tells: 'what an ignore rule names is still applied, and a split made in the cluster is lost',
    plain: async () => {
      await twoRevisions(plant, 'overwritten', { spec: rules, traffic: [latest] });
      await plant.patch('overwritten', { spec: { traffic: split('overwritten') } });
      await plant.deploy('overwritten', at('overwritten', 'v3', [latest]));
      return sharesOf(await plant.live('overwritten'));
    },
    failure: [{ percent: 100 }],
    here: async () => {
      await twoRevisions(plant, 'kept');
      await plant.patch('kept', { spec: { traffic: split('kept') } });
      await plant.deploy('kept', at('kept', 'v3'));
      return sharesOf(await plant.live('kept'));
    },
    instead: split('kept'),
  },
  {
    seed: '001',
    tells:
      'a split in Git is not applied, because a rule hides it, and the application is Synced all the same',
    plain: async () => {
      await twoRevisions(plant, 'hidden', { spec: respected, traffic: [latest] });
      const app = await plant.deploy('hidden', at('hidden', 'v3', [to('hidden-v1')]));
      return [sharesOf(await plant.live('hidden')), app.status?.conditions?.map(({ message }) => message)];
    },
    failure: [
      [{ percent: 100 }],
      [expect.stringContaining('is pinned to hidden-v1'), expect.stringContaining('declares spec.traffic')],
    ],
    here: async () => {
      await twoRevisions(plant, 'shown', { traffic: [latest] });
      const app = await plant.deploy('shown', at('shown', 'v3', [to('shown-v1')]));
      return [sharesOf(await plant.live('shown')), app.status?.conditions?.map(({ message }) => message)];
    },
    instead: [[to('shown-v1')], [expect.stringContaining('is pinned to shown-v1')]],
  },
  shiftedByHand(plant),
  {
    seed: '001',
    tells: 'traffic is pinned to a Revision that the cluster does not have, and the Route fails',
    plain: async () => {
      await plant.begin('product-import', { [file]: manifest('001/blue-green.yaml') });
      return healthOf(await plant.until('product-import', 'Degraded', isHealth('Degraded')));
    },
    failure: expect.stringMatching(/Revision "product-import-v1"/),
    here: async () => {
      const words = ['promote', 'kept', '--to', 'kept-v9', '--override', '--reason', 'a try'];
      const { code, stderr } = await plant.cli('knative', 'traffic', ...words);
      return [code, stderr, sharesOf(await plant.live('kept')), await plant.diagnose('product-import')];
    },
    instead: [
      20,
      expect.stringContaining('has no revision or tag "kept-v9"; there are kept-v3'),
      split('kept'),
      expect.arrayContaining(['knative-pinned-traffic']),
    ],
  },
];

/** Self-heal takes a patch back; an override is a record, and holds until Git catches up. */
const shiftedByHand = (plant: Plant): Failure => ({
  seed: '001',
  tells: 'traffic that is shifted by hand is overwritten by the next sync',
  plain: async () => {
    await plant.patch('shown', { spec: { traffic: [to('shown-v2')] } });
    const isBack = '--for=jsonpath={.spec.traffic[0].revisionName}=shown-v1';
    await plant.kubectl('wait', 'ksvc/shown', '-n', 'shown', '--timeout=60s', isBack);
    return sharesOf(await plant.live('shown'));
  },
  failure: [to('shown-v1')],
  here: async () => {
    const words = ['promote', 'shown', '--to', 'shown-v2', '--override', '--reason', 'errors'];
    await plant.cli('knative', 'traffic', ...words);
    const isOverridden = ({ status }: Application): boolean =>
      status?.conditions?.some(({ type }) => type === 'TrafficOverrideWarning') ?? false;
    await plant.until('shown', 'overridden', isOverridden);
    await plant.cli('app', 'get', 'shown', '--hard-refresh');
    return sharesOf(await plant.live('shown'));
  },
  instead: [to('shown-v2')],
});
