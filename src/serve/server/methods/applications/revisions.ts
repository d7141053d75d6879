import { type Application, effectiveSources, printTime, projectName, type Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { ChartDescription, OciMetadata, RevisionMetadata } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps, SourceRevision } from '../deps.ts';
import { findApplication } from './find.ts';
import { invalid } from './validate.ts';

/** Author, date and message of a revision, in one form for a commit, a chart and an artifact. */
export async function revision(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<RevisionMetadata> {
  const found = await described(ctx, deps, call);
  if (found.kind === 'commit')
    return { author: found.author, message: found.message, date: printTime(found.date) };
  if (found.kind === 'chart')
    return { author: found.maintainers.join(', '), message: found.description || found.name };
  const created = new Date(found.createdAt);
  const date = Number.isNaN(created.getTime()) ? {} : { date: printTime(created) };
  return { author: found.authors, message: found.description || found.version, ...date };
}

/** compat server §2.8 */
export async function chartDetails(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ChartDescription> {
  const found = await described(ctx, deps, call, 'chart');
  if (found.kind !== 'chart') throw none('chart', call);
  const { description, maintainers, home } = found;
  return { description, maintainers, home };
}

/** compat server §2.8 */
export async function ociMetadata(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<OciMetadata> {
  const found = await described(ctx, deps, call, 'OCI source');
  if (found.kind !== 'artifact') throw none('OCI source', call);
  const { kind: _kind, ...metadata } = found;
  return metadata;
}

const none = (what: string, { params }: MethodCall) =>
  invalid(`no ${what} specified for application: ${params.name}`);

/** `only`: a source of another kind is refused before it is read. */
function described(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
  only?: 'chart' | 'OCI source',
): Promise<SourceRevision> {
  const app = findApplication(deps, call, 'get');
  const source = sourceIn(app, call.query);
  if (only === 'chart' && !source.chart) throw none(only, call);
  if (only === 'OCI source' && !source.repoURL.startsWith('oci://')) throw none(only, call);
  return deps.describe(ctx, source, call.params.revision ?? '', projectName(app));
}

/** compat server §2.8: one of the spec's sources, or of those that a version of the history was deployed from. */
function sourceIn({ spec, status }: Application, query: URLSearchParams): Source {
  const version = query.get('versionId');
  const deployed = version ? status?.history?.find(({ id }) => String(id) === version) : undefined;
  if (version && !deployed) throw invalid(`version ID ${version} not found in history`);
  const sources = deployed
    ? (deployed.sources ?? (deployed.source ? [deployed.source] : []))
    : effectiveSources(spec);
  const index = query.get('sourceIndex') || '0';
  const source = /^\d{1,6}$/.test(index) ? sources[Number(index)] : undefined;
  if (!source) throw invalid(`source index ${index} not found: the application has ${sources.length}`);
  return source;
}
