import {
  credentialTemplateFrom,
  normalizeRepoUrl,
  type RepositoryAccess,
  repositorySecretName,
  secretText,
} from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import type { TemplateInput, TemplateView } from '#serve/api';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { readingOf } from './find-repository.ts';
import { onRepository, type RepositoryDeps } from './repository-deps.ts';
import { dataFor, secretFor, withData } from './repository-fields.ts';
import { type StoredSecret, storedTemplates } from './repository-secrets.ts';
import { accessView, shownUrl } from './repository-view.ts';
import { removeSecret, store } from './store-secret.ts';

/** Credential templates for reading, or for pushing. Their permission is that of repositories, on the URL. */
export type TemplateKind = 'repo-creds' | 'repo-write-creds';

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
const onTemplate = (kind: TemplateKind, action: string, url: string) =>
  onRepository(kind === 'repo-creds' ? 'repository' : 'repository-write', action, { url });
const viewOf = (record: RepositoryAccess): TemplateView => ({
  url: shownUrl(record.url),
  ...accessView(record),
});

export async function list(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: TemplateKind,
  { permissions }: MethodCall,
): Promise<{ items: readonly TemplateView[] }> {
  permissions.waive(); // what the caller may not get is left out
  const stored = await storedTemplates(ctx, readingOf(deps), kind);
  return {
    items: stored
      .map(({ record }) => record)
      .filter(({ url }) => permissions.may(onTemplate(kind, 'get', url)))
      .sort((a, b) => (a.url < b.url ? -1 : 1))
      .map(viewOf),
  };
}

/** compat server §2.8: the same again is accepted, other settings need `upsert`. */
export async function create(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: TemplateKind,
  call: MethodCall<TemplateInput>,
): Promise<TemplateView> {
  const { body } = call;
  const { url } = body;
  call.permissions.require(onTemplate(kind, 'create', url));
  const { namespace } = deps.context;
  const existing = await named(ctx, deps, kind, url);
  const rights = (action: string) => onTemplate(kind, action, url);
  if (existing && !call.permissions.may(rights('get'))) throw hidden();
  const name = repositorySecretName(kind === 'repo-creds' ? 'creds' : 'creds-write', url);
  const data = dataFor(body, kind, existing ? secretText(existing.secret) : {});
  const secret = existing
    ? withData(existing.secret, data)
    : secretFor({ name, namespace, type: kind }, data);
  const record = credentialTemplateFrom(secret);
  if (record.problem) throw invalid(record.problem);
  const isSame = existing !== undefined && equal(existing.record, record);
  const what = 'repository credentials';
  await store(ctx, deps, call, { secret, isNew: !existing, isSame, rights, what });
  return viewOf(record);
}

export async function update(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: TemplateKind,
  call: MethodCall<TemplateInput>,
): Promise<TemplateView> {
  const { secret, record } = await find(ctx, deps, kind, { call, action: 'update' });
  const next = withData(secret, dataFor({ ...call.body, url: record.url }, kind, secretText(secret)));
  const after = credentialTemplateFrom(next);
  if (after.problem) throw invalid(after.problem);
  await deps.kube.update(ctx, next);
  return viewOf(after);
}

export async function remove(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: TemplateKind,
  call: MethodCall,
): Promise<Record<string, never>> {
  const { secret } = await find(ctx, deps, kind, { call, action: 'delete' });
  await removeSecret(ctx, deps, secret);
  return {};
}

/** compat server §2.4: absent and forbidden are the same. */
async function find(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: TemplateKind,
  { call, action }: { readonly call: MethodCall; readonly action: string },
): Promise<StoredSecret<RepositoryAccess>> {
  const { url = '' } = call.params;
  call.permissions.require(onTemplate(kind, action, url));
  const found = await named(ctx, deps, kind, url);
  if (!found) throw hidden();
  return found;
}

async function named(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: TemplateKind,
  url: string,
): Promise<StoredSecret<RepositoryAccess> | undefined> {
  const normal = normalizeRepoUrl(shownUrl(url));
  const stored = await storedTemplates(ctx, readingOf(deps), kind);
  return stored.find(({ record }) => normalizeRepoUrl(shownUrl(record.url)) === normal);
}
