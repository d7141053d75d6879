import { groupOf, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import { StatusError } from '#embedded/apiserver';
import { type JsonObject, roundTrip, type StructType } from '#kubernetes/schema';
import { configFrom, type KnativeConfig, unconfigured } from './config.ts';
import { undecodable } from './decode.ts';
import { defaultRevisionSpec, defaultTemplate, defaultTraffic } from './defaults.ts';
import { goTypes } from './go-types.ts';
import { note } from './kinds.ts';
import { problems } from './validate/object.ts';
import { sentences } from './validate/problem.ts';
import type { KnativeRoute, Revision, ServiceSpec } from './view.ts';

/** One write to an object, as admission webhooks receive it. */
type AdmissionRequest = {
  readonly object: KubeObject;
  /** The stored object; undefined when the object is new. */
  readonly live?: KubeObject | undefined;
  /** The user that writes. */
  readonly user: string;
  /** Which of the two webhooks runs; without it both do, one after the other. */
  readonly phase?: 'mutate' | 'validate';
  warn?(message: string): void;
  /** The data of a ConfigMap. */
  settings?(namespace: string, name: string): Readonly<Record<string, string>> | undefined;
};

/**
 * Runs Knative's webhooks on an object: returns it with defaults, creator and last modifier, or throws a
 * StatusError 400 with Knative's own messages. Objects of other groups are returned unchanged. Safe to repeat.
 */
export function admitKnative(requested: AdmissionRequest): KubeObject {
  const { object, live, settings, phase } = requested;
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  const type = goTypes.get(object.kind);
  if (groupOf(object) !== 'serving.knative.dev' || isLeaving || !type) return object;
  const config = settings ? configFrom(settings) : unconfigured;
  const request = { ...requested, live: live && decoded(live, type) };
  const next = phase === 'validate' ? object : mutated(config, request, type);
  if (phase !== 'mutate') review(config, { ...request, object: next });
  return next;
}

function mutated(config: KnativeConfig, request: AdmissionRequest, type: StructType): KubeObject {
  const { object, live } = request;
  const wrong = undecodable({ spec: object.spec }, type);
  if (wrong !== undefined) {
    throw refusal('webhook', `mutation failed: cannot decode incoming new object: ${wrong}`);
  }
  return signed(request, withDefaults(config, decoded(object, type), live, live ? 'update' : 'create'));
}

/**
 * compat cluster 5.6: the webhook stores the object as Go encodes it, so quantities are canonical and empty fields
 * are removed.
 */
function decoded(object: KubeObject, type: StructType): KubeObject {
  const { spec } = roundTrip({ spec: object.spec ?? {} }, type) as { spec: JsonObject };
  return { ...object, spec };
}

function review(config: KnativeConfig, { object, live, warn }: AdmissionRequest): void {
  const found = problems(config, object, live);
  for (const warning of sentences(found.filter(({ isWarning }) => isWarning))) {
    // a header has one line for each warning
    for (const line of warning.split('\n')) warn?.(line);
  }
  const errors = sentences(found.filter(({ isWarning }) => !isWarning));
  if (errors.length > 0) throw refusal('validation.webhook', `validation failed: ${errors.join('\n')}`);
}

const refusal = (webhook: string, why: string): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `admission webhook "${webhook}.serving.knative.dev" denied the request: ${why}`,
    reason: 'BadRequest',
    code: 400,
  });

type Occasion = 'create' | 'update' | 'read';

function withDefaults(
  config: KnativeConfig,
  object: KubeObject,
  live: KubeObject | undefined,
  on: Occasion,
): KubeObject {
  switch (object.kind) {
    case 'Service':
    case 'Configuration':
      return { ...object, spec: defaultOwner(config, object, live, on === 'create') };
    case 'Route':
      return { ...object, spec: withTraffic((object as KnativeRoute).spec ?? {}, false) };
    case 'Revision':
      // compat cluster 5.6: a revision's spec is immutable
      return live
        ? object
        : { ...object, spec: defaultRevisionSpec(config, (object as Revision).spec ?? {}, true) };
    case 'DomainMapping':
      return { ...object, spec: withNamespace(object) };
    default:
      return object;
  }
}

function defaultOwner(
  config: KnativeConfig,
  object: KubeObject,
  live: KubeObject | undefined,
  isNew: boolean,
): ServiceSpec {
  const spec = (object.spec ?? {}) as ServiceSpec;
  const name = spec.template?.metadata?.name;
  // compat cluster 5.6: a template that keeps the revision name it was given is accepted as it is
  const isKept =
    live !== undefined && !!name && name === (live.spec as ServiceSpec | undefined)?.template?.metadata?.name;
  const template = isKept ? spec.template : defaultTemplate(config, spec.template ?? {}, isNew);
  const full = { ...spec, ...(template && { template }) };
  return object.kind === 'Service' ? withTraffic(full, true) : full;
}

function withTraffic<T extends ServiceSpec>(spec: T, isService: boolean): T {
  const traffic = defaultTraffic(spec.traffic, isService);
  return traffic ? { ...spec, traffic } : spec;
}

function withNamespace({ spec, metadata }: KubeObject): JsonObject {
  const { ref = {}, ...rest } = (spec ?? {}) as { ref?: JsonObject };
  return { ...rest, ref: { ...ref, namespace: ref.namespace || metadata.namespace } };
}

/** compat cluster 5.6: the creator is written once, the last modifier whenever the spec changes. */
function signed({ live, user }: AdmissionRequest, object: KubeObject): KubeObject {
  if (object.kind === 'Revision' || (isOwned(object) && object.kind !== 'Service')) return object;
  if (live && equal(live.spec, object.spec)) return object;
  const annotations = {
    ...object.metadata.annotations,
    ...(!live && { [note.creator]: user }),
    [note.lastModifier]: user,
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const isOwned = ({ metadata }: KubeObject): boolean => metadata.ownerReferences !== undefined;

/** The object with its defaults, as Knative's controllers read it, in case it was stored without the webhooks. */
export const completed = (object: KubeObject, config: KnativeConfig = unconfigured): KubeObject =>
  withDefaults(config, object, undefined, 'read');
