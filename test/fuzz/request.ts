import { printJson } from '#base/std';
import type { JsonObject } from '#kubernetes/schema';
import type { Step } from '../conformance/case.ts';
import { type Edit, edited, editsOf, mergePatchOf, operationsOf } from './mutate.ts';
import type { Random } from './random.ts';
import type { Seed } from './seed.ts';

/** One request about a seed. Those made by edits can be made with fewer of them. */
export type Request = { readonly step: Step; readonly fewer: readonly Request[] };

type Query = Readonly<Record<string, string>>;

const validations = ['', '', '', 'Strict', 'Strict', 'Warn', 'Ignore', 'strict'];
const managers = ['', '', 'me', 'you', 'x'.repeat(129), 'a\tb'];

/** A request that changes nothing for good, so that every one of them meets the same objects. */
export function requestAbout(random: Random, seed: Seed): Request {
  const choice = random.next();
  if (choice < 0.3) return writing(random, seed, 'POST');
  if (choice < 0.5) return writing(random, seed, 'PUT');
  if (choice < 0.72) return patching(random, seed);
  if (choice < 0.9) return reading(random, seed);
  return choice < 0.95 ? deleting(random, seed) : subresource(random, seed);
}

function line(method: string, path: string, query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== '');
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${method} ${path}${text === '' ? '' : `?${text}`}`;
}

const dry = (random: Random): Query => ({
  dryRun: 'All',
  fieldValidation: random.pick(validations),
  fieldManager: random.chance(0.8) ? '' : random.pick(managers),
});

/** The request that some edits make, and those that all but one of them make. */
function shrinking(edits: readonly Edit[], build: (edits: readonly Edit[]) => Step): Request {
  const fewer = edits.length < 2 ? [] : edits.map((_, at) => shrinking(edits.toSpliced(at, 1), build));
  return { step: build(edits), fewer };
}

function writing(random: Random, seed: Seed, method: 'POST' | 'PUT'): Request {
  const query = dry(random);
  const place = method === 'POST' ? seed.at : `${seed.at}/${seed.name}`;
  const fresh = method === 'POST' ? renamed(seed.body) : seed.body;
  const request = line(method, place, query);
  return shrinking(editsOf(random, fresh, seed.type), (edits) => ({ request, body: edited(fresh, edits) }));
}

/** Beside the seed's own object; what is named after the namespace or a group keeps that part. */
function renamed(body: JsonObject): JsonObject {
  const metadata = body.metadata as JsonObject;
  const isDefinition = body.kind === 'CustomResourceDefinition';
  return isDefinition ? body : { ...body, metadata: { ...metadata, name: `${metadata.name}-2` } };
}

const patchTypes = ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml'];

function patching(random: Random, seed: Seed): Request {
  const type = random.pick(patchTypes);
  const isApply = type === 'apply-patch+yaml';
  const query = {
    ...dry(random),
    ...(isApply && {
      fieldManager: random.pick(['me', 'conformance', '']),
      force: random.pick(['', 'true', 'x']),
    }),
  };
  const request = line('PATCH', `${seed.at}/${seed.name}`, query);
  const headers = { 'content-type': `application/${type}` };
  return shrinking(editsOf(random, seed.body, seed.type), (edits) => {
    if (type === 'json-patch+json') return { request, headers, text: printJson(operationsOf(edits)) };
    const after = edited(seed.body, edits);
    return { request, headers, body: isApply ? after : mergePatchOf(seed.body, after) };
  });
}

const selectors = [
  'app=web', 'app!=web', 'app in (web)', 'app in (', 'app notin (a,b)', '!app', 'app', 'a b', 'app=', 'app=a=b',
  '=a', 'app>1', 'app>x', 'app in ()', ',', 'app,', 'a/b/c=d', 'app=-x', 'app==web,x!=y', 'in', 'x in (a b)', '()',
  '!', 'app in (a,)', 'app lt 3', 'app=web b', 'app in web', 'x=in', 'notin in (in)', '!app=1', 'é=1', 'a\t=b',
]; // biome-ignore format: a table
const fields = [
  'metadata.name=a', 'metadata.name!=a', 'metadata.namespace=$NS', 'spec.x=1', 'metadata.name', 'metadata.name=a,',
  'metadata.name==a', 'metadata.name=a\\,b', '=a', 'status.phase=Pending', 'metadata.labels.app=web', 'a>b',
  'metadata.name=a=b', 'metadata.name=\\x', 'type=Opaque',
]; // biome-ignore format: a table
const accepts = [
  '', '', 'application/json', 'application/yaml', 'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'text/html', '*/*', 'application/json;as=X',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'application/json;as=Table;v=v2;g=meta.k8s.io',
]; // biome-ignore format: a table
const readings: readonly (readonly [string, readonly string[]])[] = [
  ['labelSelector', selectors],
  ['labelSelector', selectors],
  ['fieldSelector', fields],
  ['limit', ['0', '1', '-1', 'x', '1.5', '99999999999999999999']],
  ['continue', ['x', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0']],
  ['resourceVersion', ['0', '-1', 'x', '99999999999']],
  ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'x']],
  ['pretty', ['1', 'x']],
  ['timeoutSeconds', ['0', 'x', '-1', '5']],
  ['allowWatchBookmarks', ['true', 'x']],
  ['sendInitialEvents', ['true', 'false', 'x']],
  ['includeObject', ['None', 'Object', 'x']],
]; // biome-ignore format: a table

function reading(random: Random, seed: Seed): Request {
  const place = random.chance(0.75)
    ? seed.at
    : `${seed.at}/${random.pick([seed.name, seed.name, 'nobody', 'A_b'])}`;
  const chosen = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => random.pick(readings));
  const accept = random.pick(accepts);
  const build = (pairs: readonly (readonly [string, string])[]): Step => ({
    request: line('GET', place, { ...selfOnly(seed), ...Object.fromEntries(pairs) }),
    ...(accept && { headers: { accept } }),
  });
  const pairs = chosen.map(([name, values]) => [name, random.pick(values)] as const);
  const fewer = pairs.length < 2 ? [] : pairs.map((pair) => ({ step: build([pair]), fewer: [] }));
  return { step: build(pairs), fewer };
}

/** Collections outside the namespace hold what else there is: only the seed's object is asked for. */
const selfOnly = ({ at, name }: Seed): Query =>
  at.includes('/namespaces/$NS/') && !/events$|configmaps$|serviceaccounts$/.test(at)
    ? {}
    : { fieldSelector: `metadata.name=${name}` };

const deletions: readonly JsonObject[] = [
  {},
  { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' },
  { propagationPolicy: 'Sideways' },
  { propagationPolicy: 'Orphan', orphanDependents: true },
  { orphanDependents: true },
  { gracePeriodSeconds: 0 },
  { gracePeriodSeconds: -1 },
  { gracePeriodSeconds: 'x' },
  { preconditions: { uid: 'x' } },
  { preconditions: { resourceVersion: '1' } },
  { dryRun: ['Some'] },
  { kind: 'Pod', apiVersion: 'v1' },
  { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  { unheardOf: true },
  { ignoreStoreReadErrorWithClusterBreakingPotential: true },
];

function deleting(random: Random, { at, name }: Seed): Request {
  const body = { ...random.pick(deletions) };
  // a body wins over the query, and neither may let it happen
  if (!body.dryRun) Object.assign(body, { dryRun: ['All'] });
  const more: Query = random.pick([{}, {}, { propagationPolicy: 'x' }, { gracePeriodSeconds: '5' }]);
  const target = random.chance(0.9) ? `${at}/${name}` : `${at}/nobody`;
  return { step: { request: line('DELETE', target, { dryRun: 'All', ...more }), body }, fewer: [] };
}

function subresource(random: Random, seed: Seed): Request {
  const sub = random.pick(['status', 'status', 'scale', 'unheard']);
  const place = `${seed.at}/${seed.name}/${sub}`;
  const method = random.pick(['GET', 'PUT', 'PATCH', 'PATCH']);
  if (method === 'GET') return { step: { request: `GET ${place}` }, fewer: [] };
  const request = line(method, place, dry(random));
  const scale = { spec: { replicas: random.pick([0, 3, -1, 1.5, 'x', null, 2147483648]) } };
  if (sub === 'scale') {
    const whole = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: seed.name }, ...scale };
    return { step: { request, body: method === 'PUT' ? whole : scale }, fewer: [] };
  }
  const status = random.pick([
    { phase: 'x' },
    { replicas: 1 },
    { conditions: [{ type: 'A', status: 'True' }] },
    {},
    null,
  ]);
  if (method === 'PATCH') return { step: { request, body: { status } }, fewer: [] };
  return shrinking(editsOf(random, seed.body, seed.type), (edits) => ({
    request,
    body: { ...edited(seed.body, edits), ...(status && { status }) },
  }));
}
