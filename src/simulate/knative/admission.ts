import { StatusError } from '#devcluster';
import { groupOf, type KubeObject } from '#model';
import { equal } from '#std';
import { defaultRevisionSpec, defaultTemplate, defaultTraffic } from './defaults.ts';
import { note } from './kinds.ts';
import { problems } from './validate.ts';
import type { Revision, Route, ServiceSpec } from './view.ts';

/** One write to an object, as an admission webhook is told of it. */
type AdmissionRequest = {
  readonly object: KubeObject;
  /** What is there now; undefined when the object is new. */
  readonly live?: KubeObject | undefined;
  /** Who writes. */
  readonly user: string;
};

/**
 * What Knative's webhooks make of an object: defaults and the names of creator and last modifier filled in, or a
 * StatusError 400 with Knative's own sentences. Objects of other groups come back as they are. Safe to repeat.
 */
export function admitKnative(request: AdmissionRequest): KubeObject {
  const isLeaving = request.object.metadata.deletionTimestamp !== undefined;
  if (groupOf(request.object) !== 'serving.knative.dev' || isLeaving) return request.object;
  const object = signed(request, withDefaults(request, request.live ? 'update' : 'create'));
  const found = problems(object, request.live);
  if (found.length === 0) return object;
  const message = `admission webhook "validation.webhook.serving.knative.dev" denied the request: validation failed: ${found.join('\n')}`;
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'BadRequest',
    code: 400,
  });
}

type Occasion = 'create' | 'update' | 'read';

function withDefaults({ object, live }: Pick<AdmissionRequest, 'object' | 'live'>, on: Occasion): KubeObject {
  switch (object.kind) {
    case 'Service':
    case 'Configuration':
      return { ...object, spec: defaultOwner(object, live, on === 'create') };
    case 'Route':
      return {
        ...object,
        spec: { ...(object as Route).spec, traffic: defaultTraffic((object as Route).spec?.traffic) },
      };
    case 'Revision':
      // compat 5.6: a revision's spec is for life
      return live ? object : { ...object, spec: defaultRevisionSpec((object as Revision).spec ?? {}, true) };
    default:
      return object;
  }
}

function defaultOwner(object: KubeObject, live: KubeObject | undefined, isNew: boolean): ServiceSpec {
  const spec = (object.spec ?? {}) as ServiceSpec;
  const name = spec.template?.metadata?.name;
  // compat 5.6: a template that keeps the name it brought is taken as it comes
  const isKept =
    live !== undefined && !!name && name === (live.spec as ServiceSpec | undefined)?.template?.metadata?.name;
  const template = isKept ? spec.template : defaultTemplate(spec.template ?? {}, isNew);
  return {
    ...spec,
    ...(template && { template }),
    ...(object.kind === 'Service' && { traffic: defaultTraffic(spec.traffic) }),
  };
}

/** compat 5.6: the creator is written once, the last modifier whenever the spec changes. */
function signed({ live, user }: AdmissionRequest, object: KubeObject): KubeObject {
  if (object.kind === 'Revision' || object.metadata.ownerReferences !== undefined) return object;
  const before = live?.metadata.annotations ?? {};
  const { [note.creator]: creator, [note.lastModifier]: modifier } = object.metadata.annotations ?? {};
  const isChanged = !live || !equal(live.spec, object.spec);
  const annotations = {
    ...object.metadata.annotations,
    [note.creator]: live ? (creator ?? before[note.creator] ?? user) : user,
    [note.lastModifier]: isChanged ? user : (modifier ?? before[note.lastModifier] ?? user),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The object with its defaults, as Knative's controllers read it, in case a cluster without webhooks has stored it. */
export const completed = (object: KubeObject): KubeObject => withDefaults({ object }, 'read');
