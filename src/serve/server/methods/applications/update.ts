import {
  type Application,
  type ApplicationSpec,
  argoApiVersion,
  maskApplication,
  unmaskedFields,
} from '#base/model';
import { type Ctx, equal, FairleadError, isObject, parseJson } from '#base/std';
import { normalizeSpec } from '#engine';
import { hasReason } from '#kubernetes/client';
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation } from '#kubernetes/patch';
import type { ApplicationPatch } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { applicationRef, findApplication, onApplication } from './find.ts';
import { invalid, requireKnownFields, requireUpdate, requireValid } from './validate.ts';

/** compat server §2.8: the parts of an Application that a caller replaces; masked values keep what is stored. */
type Given = {
  readonly spec: ApplicationSpec;
  readonly metadata: Pick<Application['metadata'], 'labels' | 'annotations' | 'finalizers'>;
};
type Edit = (stored: Application) => Given;

/** compat server §2.8: replaces spec, labels, annotations and finalizers; everything else of the body is ignored. */
export function update(ctx: Ctx, deps: MethodDeps, call: MethodCall<Application>): Promise<Application> {
  const app = findApplication(deps, call, 'update');
  const { spec, metadata } = call.body;
  return write(ctx, deps, call, { app, edit: () => ({ spec, metadata }) });
}

/** compat server §2.8: the body is the spec alone, and so is the response. */
export async function updateSpec(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<ApplicationSpec>,
): Promise<ApplicationSpec> {
  // the project in the body is the wanted one, not where to find the application
  const app = findApplication(deps, { ...call, body: undefined }, 'update');
  const edit: Edit = ({ metadata }) => ({ spec: call.body, metadata });
  return (await write(ctx, deps, call, { app, edit })).spec;
}

/**
 * compat server §2.8: a JSON patch, or a merge patch. It is applied to the application as its callers see it: no operation
 * reads, compares or copies a hidden value.
 */
export async function patch(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<ApplicationPatch>,
): Promise<Application> {
  const app = findApplication(deps, call, 'get');
  call.permissions.require(onApplication(deps, app, 'update'));
  const apply = patchOf(call.body);
  const edit: Edit = (stored) => {
    const { kind, metadata, spec } = apply(maskApplication(stored)) as Partial<Application>;
    if (!isObject(metadata) || !isObject(spec)) throw invalid('the patch removes metadata or spec');
    const { name, namespace } = metadata;
    const isSame = name === stored.metadata.name && namespace === stored.metadata.namespace;
    if (!isSame || kind !== stored.kind) throw invalid('a patch cannot change the name or the namespace');
    return { spec, metadata };
  };
  return write(ctx, deps, call, { app, edit });
}

type Apply = (document: unknown) => unknown;

function patchOf({ patch: text, patchType = '' }: ApplicationPatch): Apply {
  if (patchType !== '' && patchType !== 'json' && patchType !== 'merge')
    throw invalid(`Patch type '${patchType}' is not supported: use json or merge`);
  const parsed = parsedPatch(text);
  if (patchType === 'merge') {
    if (!isObject(parsed)) throw invalid('a merge patch is an object');
    return (document) => applyMergePatch(document, parsed);
  }
  if (!Array.isArray(parsed) || !parsed.every(isObject))
    throw invalid('a JSON patch is a list of operations: give patchType merge for a merge patch');
  return (document) => applyJsonPatch(document, parsed as JsonPatchOperation[]);
}

export function parsedPatch(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new FairleadError('InvalidSpec', `the patch is not JSON: ${(error as Error).message}`, error);
  }
}

/** Writers that are faster: after so many the caller has to try again. */
export const mostAttempts = 10;

type Writing = { readonly app: Application; readonly edit: Edit };

/** Writes the edited application, validated; edits the newest one again when another writer was faster. */
async function write(
  ctx: Ctx,
  deps: MethodDeps,
  { permissions, query, user }: MethodCall,
  { app, edit }: Writing,
): Promise<Application> {
  const isRendered = query.get('validate') !== 'false';
  for (let attempt = 1; ; attempt++) {
    const stored = (await deps.kube.get(ctx, applicationRef(app))) as Application;
    const given = edited(stored, edit(stored));
    requireKnownFields(given); // before its spec is read: a list may have null for a source
    const wanted = normalizeSpec(given);
    requireUpdate(deps, permissions, stored, wanted);
    await requireValid(ctx, deps, wanted, { isRendered });
    if (equal(wanted, stored)) return stored;
    try {
      const written = (await deps.kube.update(ctx, wanted)) as Application;
      deps.apps.put(written);
      const message = `${user?.username || 'Unknown user'} updated application spec`;
      await deps.raise?.(ctx, written, { type: 'Normal', reason: 'ResourceUpdated', message });
      return written;
    } catch (error) {
      if (!hasReason(error, 'Conflict') || attempt === mostAttempts) throw error;
    }
  }
}

function edited(stored: Application, { spec, metadata }: Given): Application {
  const { labels, annotations, finalizers } = metadata;
  const { labels: _labels, annotations: _annotations, finalizers: _finalizers, ...kept } = stored.metadata;
  const restored = unmaskedFields({ spec, metadata: { annotations: annotations ?? {} } }, stored);
  return {
    ...stored,
    apiVersion: argoApiVersion,
    metadata: {
      ...kept,
      ...(labels && { labels }),
      ...(annotations && { annotations: restored.metadata.annotations }),
      ...(finalizers && { finalizers }),
    },
    spec: restored.spec,
  } as Application;
}
