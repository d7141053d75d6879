import { type Application, readApplication, unmasked } from '#base/model';
import type { Ctx } from '#base/std';
import { generateManifests } from '#control/comparison';
import type { RenderedManifests } from '#serve/api';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { givenApplication, requireNamespace } from './create.ts';
import { onApplication, placeOrRefuse } from './find.ts';
import { shownManifests } from './manifests.ts';
import { requireKnownFields, requireUpdate } from './validate.ts';

/**
 * Ours beside Argo CD's methods: the target manifests of an application as it would be stored; nothing is. For callers that may
 * store it: they may create it, or change the one that exists. Secrets are masked.
 */
export async function preview(
  ctx: Ctx,
  deps: MethodDeps,
  { body, permissions }: MethodCall<Application>,
): Promise<RenderedManifests> {
  const given = givenApplication(deps, body);
  requireKnownFields(given);
  const { namespace = '', name } = given.metadata;
  const existing = deps.apps.get(namespace, name);
  const isSeen = existing && permissions.may(onApplication(deps, existing, 'get'));
  if (isSeen) requireUpdate(deps, permissions, existing, given);
  else permissions.require(onApplication(deps, given, 'create'));
  requireNamespace(deps, namespace);
  if (existing && !isSeen) throw hidden();
  const app = readApplication({ ...given, spec: unmasked(given.spec, existing?.spec) });
  const destination = placeOrRefuse(deps, app);
  const options = { resolve: 'cached' as const, hard: false };
  return shownManifests(
    deps,
    { app, destination },
    await generateManifests(ctx, deps.context, { app, destination }, options),
  );
}
