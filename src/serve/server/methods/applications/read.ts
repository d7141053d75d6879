import { maskerOf } from '#base/model';
import { type Ctx, printJson } from '#base/std';
import { compareApplication } from '#control/comparison';
import { redact } from '#engine';
import type { ManagedResource } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication, placeOrRefuse } from './find.ts';

/** Target and live of every managed resource, masked, with the differences and their field managers. */
export async function managedResources(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
): Promise<{ items: Iterable<ManagedResource> }> {
  const app = findApplication(deps, call, 'get');
  const destination = placeOrRefuse(deps, app);
  const { revision, revisions } = app.status?.sync ?? {};
  const recorded = revisions ?? (revision ? [revision] : undefined);
  const options = { ...(recorded && { revisions: recorded }), resolve: 'cached' as const, hard: false };
  const { comparison } = await compareApplication(ctx, deps.context, { app, destination }, options);
  const { sensitiveAnnotations } = deps.context.settings().resources;
  const wanted = comparison.resources.filter(wantedBy(call.query));
  return { items: shownOf(wanted, sensitiveAnnotations) };
}

const asItIs = <T>(value: T): T => value;
const isApplication = ({ group, kind }: { readonly group?: string; readonly kind: string }): boolean =>
  kind === 'Application' && group === 'argoproj.io';

export type ComparedResource = Awaited<
  ReturnType<typeof compareApplication>
>['comparison']['resources'][number];

function wantedBy(query: URLSearchParams): (resource: ComparedResource) => boolean {
  const requested = (['group', 'kind', 'namespace', 'name'] as const).flatMap((field) => {
    const value = query.get(field);
    return value === null ? [] : [[field, value] as const];
  });
  return ({ status }) => requested.every(([field, value]) => (status[field] ?? '') === value);
}

/** One at a time, as they are sent: four texts of each of thousands are too much for memory. */
export function* shownOf(
  resources: readonly ComparedResource[],
  sensitiveAnnotations: readonly string[],
): Generator<ManagedResource> {
  for (const resource of resources) {
    const { target, live, diff, status } = resource;
    const { group, kind, namespace, name } = status;
    yield {
      ...(group && { group }),
      kind,
      ...(namespace && { namespace }),
      name,
      ...statesOf(resource, sensitiveAnnotations),
      ...(live?.metadata.resourceVersion && { resourceVersion: live.metadata.resourceVersion }),
      modified: diff.modified || !target || !live,
      ...(status.hook && { hook: true }),
    };
  }
}

/** The visible part of both sides. An Application that another one deploys shows no more than in a list. */
function statesOf({ target, live, diff, status }: ComparedResource, sensitiveAnnotations: readonly string[]) {
  const shown = redact({ ...(target && { target }), ...(live && { live }) }, { sensitiveAnnotations });
  const mask = isApplication(status) ? maskerOf(target, live) : asItIs;
  const state = (object: unknown): string => printJson(mask(object ?? null));
  return {
    targetState: state(shown.target),
    liveState: state(shown.live),
    normalizedLiveState: state(diff.normalizedLive ?? shown.live),
    predictedLiveState: state(diff.predictedLive ?? shown.target),
    fields: diff.fields.map(({ writer, ...field }) => ({
      ...mask(field),
      ...(writer && { manager: writer.manager, ...(writer.time && { time: writer.time }) }),
    })),
  };
}
