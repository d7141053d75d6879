import {
  type KubeObject,
  type Repository,
  type RepositoryAccess,
  repositoryFrom,
  repositorySecretName,
  sameRepo,
  secretText,
} from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import type { RepositoryInput, RepositoryView, ValidationInput } from '#serve/api';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { findRepository, readingOf } from './find-repository.ts';
import { templatesFor } from './read-repositories.ts';
import {
  borrowed,
  completed,
  fromRepository,
  onRepository,
  type RepositoryDeps,
  type RepositoryKind,
} from './repository-deps.ts';
import { dataFor, redirections, secretFor, withData } from './repository-fields.ts';
import { storedRepositories } from './repository-secrets.ts';
import { repositoryView } from './repository-view.ts';
import { removeSecret, requireStorable, store } from './store-secret.ts';

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** compat server §2.8: tested before it is stored; the same again is accepted, other settings need `upsert`. */
export async function create(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
  call: MethodCall<RepositoryInput>,
): Promise<RepositoryView> {
  const { body, permissions } = call;
  const [url, project] = [body.repo, body.project ?? ''];
  permissions.require(onRepository(kind, 'create', { url, project }));
  const stored = await storedRepositories(ctx, readingOf(deps), kind);
  const existing = stored.find(({ record }) => sameRepo(record.url, url) && record.project === project);
  const rights = (action: string) => onRepository(kind, action, { url, project });
  if (existing && !permissions.may(rights('get'))) throw hidden();
  const { namespace } = deps.context;
  const name = repositorySecretName(kind === 'repository' ? 'repo' : 'repo-write', url, project);
  const before = existing ? secretText(existing.secret) : {};
  const data = dataFor(body, kind, before);
  const secret = existing
    ? withData(existing.secret, data)
    : secretFor({ name, namespace, type: kind }, data);
  const record = requireValid(secret);
  const templates = await templatesFor(ctx, deps, kind);
  requireOwnWay(call, kind, { record, data, before }, templates);
  const isSame = existing !== undefined && equal(existing.record, record);
  const storing = { secret, isNew: !existing, isSame, rights, what: 'repository' };
  requireStorable(call, storing); // before the stored credentials are used
  await requireConnection(ctx, deps, completed(record, templates));
  await store(ctx, deps, call, storing);
  return repositoryView(record, templates);
}

/** compat server §2.8: the caller may update it where it is and where it will be. dev: secrets that are left out stay. */
export async function update(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
  call: MethodCall<RepositoryInput>,
): Promise<RepositoryView> {
  const { body } = call;
  const project = body.project ?? '';
  const { secret, record } = await findRepository(ctx, deps, call, { kind, action: 'update', project });
  call.permissions.require(onRepository(kind, 'update', { url: record.url, project }));
  const before = secretText(secret);
  const data = dataFor({ ...body, repo: record.url }, kind, before);
  const next = withData(secret, data);
  const after = requireValid(next);
  const templates = await templatesFor(ctx, deps, kind);
  requireOwnWay(call, kind, { record: after, data, before }, templates);
  await deps.kube.update(ctx, next);
  return repositoryView(after, templates);
}

export async function remove(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
  call: MethodCall,
): Promise<Record<string, never>> {
  const { secret } = await findRepository(ctx, deps, call, { kind, action: 'delete' });
  await removeSecret(ctx, deps, secret);
  return {};
}

/** Tests the connection with what the body or the query gives; nothing is stored. */
export async function validate(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
  call: MethodCall<ValidationInput>,
): Promise<Record<string, never>> {
  const { params, query, body, permissions } = call;
  const url = params.repo ?? '';
  const given = typeof body === 'string' ? fromQuery(query) : { ...fromQuery(query), ...body };
  const project = String(given.project ?? '');
  permissions.require(onRepository(kind, 'create', { url, project }));
  const { namespace } = deps.context;
  const data = dataFor({ ...given, repo: url }, kind);
  const record = repositoryFrom(secretFor({ name: 'validated', namespace, type: kind }, data));
  if (record.problem) throw invalid(record.problem);
  const templates = await templatesFor(ctx, deps, kind);
  requireOwnWay(call, kind, { record, data, before: {} }, templates);
  await requireConnection(ctx, deps, completed(record, templates));
  return {};
}

type Written = {
  readonly record: Repository;
  readonly data: Readonly<Record<string, string>>;
  readonly before: Readonly<Record<string, string>>;
};

/** Credentials that a repository borrows are sent the way of their template, unless the caller may update that one too. */
function requireOwnWay(
  { permissions }: Pick<MethodCall, 'permissions'>,
  kind: RepositoryKind,
  { record, data, before }: Written,
  templates: readonly RepositoryAccess[],
): void {
  const template = borrowed(record, templates);
  if (template && redirections(data, before).length > 0)
    permissions.require(onRepository(kind, 'update', { url: template.url }));
}

/** compat server §2.8: the peer's clients send every field as a parameter, two of them spelled otherwise. */
function fromQuery(query: URLSearchParams): Partial<RepositoryInput> {
  const spelled: Readonly<Record<string, string>> = {
    enableOci: 'enableOCI',
    insecureOciForceHttp: 'insecureOCIForceHttp',
  };
  const flags = new Set([
    'insecure',
    'enableOCI',
    'insecureOCIForceHttp',
    'forceHttpBasicAuth',
    'useAzureWorkloadIdentity',
  ]);
  const fields = [...query].map(([key, value]) => {
    const name = spelled[key] ?? key;
    return [name, flags.has(name) ? value === 'true' : value] as const;
  });
  return Object.fromEntries(fields) as Partial<RepositoryInput>;
}

function requireValid(secret: KubeObject): Repository {
  const record = repositoryFrom(secret);
  if (record.problem) throw invalid(record.problem);
  if (record.type === 'helm' && record.name === '')
    throw invalid('a repository of type helm needs a name: set name');
  return record;
}

async function requireConnection(
  ctx: Ctx,
  { connections }: RepositoryDeps,
  record: Repository,
): Promise<void> {
  const doing = 'error testing repository connectivity: ';
  await fromRepository(ctx, connections.require(ctx, record), doing);
}
