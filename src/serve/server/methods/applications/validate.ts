import {
  type Application,
  type ApplicationCondition,
  effectiveSources,
  projectName,
  readApplication,
} from '#base/model';
import { type Ctx, type ErrorCode, FairleadError, isObject } from '#base/std';
import { type AppDestination, generateManifests, resolveDestination } from '#control/comparison';
import { admissionProblems, questionsToMove } from '#engine';
import type { Permissions } from '../../rbac/permissions.ts';
import type { MethodDeps } from '../deps.ts';

export const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** Throws InvalidSpec with every field that an Application does not have, and for sources that cannot be read. */
export function requireKnownFields(app: Application): void {
  const { source, sources } = app.spec;
  for (const one of [source ?? [], sources ?? []].flat())
    if (!isObject(one)) throw invalid(`a source is an object, not ${JSON.stringify(one)}`);
  const refused = admissionProblems(app);
  if (refused.length > 0) throw invalid(refused.join('; '));
}

/**
 * compat server §2.8: project rules and destination, and with `isRendered` the sources too. Throws InvalidSpec with every
 * reason, in the words of Argo CD's conditions.
 */
export async function requireValid(
  ctx: Ctx,
  deps: MethodDeps,
  app: Application,
  { isRendered }: { readonly isRendered: boolean },
): Promise<void> {
  const read = readApplication(app);
  const placed = resolveDestination(deps.context, read);
  const conditions =
    'conditions' in placed
      ? placed.conditions
      : isRendered
        ? await sourceConditions(ctx, deps, read, placed.destination)
        : [];
  if (conditions.length === 0) return;
  const reasons = conditions.map(({ type, message }) => `${type}: ${message}`).join('; ');
  throw invalid(`application spec for ${app.metadata.name} is invalid: ${reasons}`);
}

/** Failures of the source. A signature that is missing or a limit is reported where the application is compared. */
const ofSource: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'InvalidSpec',
  'NotFound',
  'RenderFailed',
  'Auth',
  'Unavailable',
  'PermissionDenied',
]);

async function sourceConditions(
  ctx: Ctx,
  { context }: MethodDeps,
  app: Application,
  destination: AppDestination,
): Promise<ApplicationCondition[]> {
  if (destination.cluster.cache.outage(ctx)) return []; // nothing can be rendered for a cluster that cannot be read
  try {
    await generateManifests(ctx, context, { app, destination }, { resolve: 'cached', hard: false });
    return [];
  } catch (error) {
    ctx.signal.throwIfAborted();
    const { code, message } = FairleadError.from(error);
    if (!ofSource.has(code)) return [];
    const paths = effectiveSources(app.spec).map(({ chart, path }) => chart ?? path ?? '.');
    return [
      {
        type: 'InvalidSpecError',
        message: `Unable to generate manifests in ${paths.join(', ')}: ${message}`,
      },
    ];
  }
}

/** compat engine X-52: a move to another project takes the right to change it there and to create it here. */
export function requireUpdate(
  { context }: MethodDeps,
  permissions: Permissions,
  existing: Application,
  wanted: Application,
): void {
  const { name, namespace = '' } = existing.metadata;
  const [from, to] = [projectName(existing), projectName(wanted)];
  const [update, create] = questionsToMove({ name, namespace }, [from, to], context.namespace);
  if (update) permissions.require(update);
  if (create && from !== to) permissions.require(create);
}
