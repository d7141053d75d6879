import { useState } from 'react';
import type { AppProject, KubeObject } from '#base/model';
import {
  type AccountView,
  accounts,
  type ClusterInput,
  type ClusterView,
  call,
  certificates,
  clusters,
  gpgKeys,
  type LinkList,
  projects,
  type RepositoryInput,
  type RepositoryView,
  repositories,
  type Send,
  type SigningKey,
  type TemplateInput,
  type TemplateView,
  type TrustedCertificate,
  templates,
} from '#serve/api';
import { useSend } from './live.tsx';
import { type Loaded, useLoad } from './use-load.ts';

/** A list that is fetched when its page opens, and again by `reload` after a change. */
export type Reloadable<T> = Loaded<T> & { readonly reload: () => void };

export function useList<T>(
  subject: string,
  load: (send: Send, signal: AbortSignal) => Promise<T>,
): Reloadable<T> {
  const send = useSend();
  const [version, setVersion] = useState(0);
  const loaded = useLoad(subject, String(version), (signal) => load(send, signal));
  return { ...loaded, reload: () => setVersion((before) => before + 1) };
}

export const useProjects = (): Reloadable<readonly AppProject[]> =>
  useList('projects', async (send, signal) => (await call(send, projects.list, { signal })).items ?? []);

export const useProject = (name: string): Reloadable<AppProject> =>
  useList(`project ${name}`, (send, signal) => call(send, projects.get, { params: { name }, signal }));

export const useProjectEvents = (name: string): Loaded<readonly KubeObject[]> =>
  useList(
    `events ${name}`,
    async (send, signal) => (await call(send, projects.events, { params: { name }, signal })).items ?? [],
  );

export const useProjectLinks = (name: string): Loaded<LinkList> =>
  useList(`links ${name}`, (send, signal) => call(send, projects.links, { params: { name }, signal }));

export const useRepositories = (): Reloadable<readonly RepositoryView[]> =>
  useList(
    'repositories',
    async (send, signal) => (await call(send, repositories.list, { signal })).items ?? [],
  );

export const useTemplates = (): Reloadable<readonly TemplateView[]> =>
  useList('templates', async (send, signal) => (await call(send, templates.list, { signal })).items ?? []);

export const useClusters = (): Reloadable<readonly ClusterView[]> =>
  useList('clusters', async (send, signal) => (await call(send, clusters.list, { signal })).items ?? []);

export const useAccounts = (): Reloadable<readonly AccountView[]> =>
  useList('accounts', async (send, signal) => (await call(send, accounts.list, { signal })).items ?? []);

export const useCertificates = (): Reloadable<readonly TrustedCertificate[]> =>
  useList(
    'certificates',
    async (send, signal) => (await call(send, certificates.list, { signal })).items ?? [],
  );

export const useSigningKeys = (): Reloadable<readonly SigningKey[]> =>
  useList('keys', async (send, signal) => (await call(send, gpgKeys.list, { signal })).items ?? []);

export const saveProject = (send: Send, project: AppProject, isNew: boolean) =>
  isNew
    ? call(send, projects.create, { body: { project } })
    : call(send, projects.update, { params: { name: project.metadata.name }, body: { project } });

export const deleteProject = (send: Send, name: string) => call(send, projects.delete, { params: { name } });

export const createRoleToken = (send: Send, { project, role, id, days }: RoleToken) =>
  call(send, projects.createToken, {
    params: { project, role },
    body: { ...(id && { id }), ...(days > 0 && { expiresIn: days * 86_400 }) },
  });

export type RoleToken = {
  readonly project: string;
  readonly role: string;
  readonly id: string;
  /** 0: it never expires. */
  readonly days: number;
};

export const deleteRoleToken = (
  send: Send,
  project: string,
  role: string,
  token: { iat: number; id?: string },
) =>
  call(send, projects.deleteToken, {
    params: { project, role, iat: String(token.iat) },
    query: { id: token.id },
  });

export const testRepository = (send: Send, body: RepositoryInput) =>
  call(send, repositories.validate, { params: { repo: body.repo }, body });

/** Creates it, or replaces the settings of the one that was read; secrets that are left out stay. */
export const saveRepository = (send: Send, body: RepositoryInput, before?: RepositoryView) =>
  before
    ? call(send, repositories.update, {
        params: { repo: before.repo },
        query: { appProject: before.project },
        body,
      })
    : call(send, repositories.create, { body });

export const saveTemplate = (send: Send, body: TemplateInput, isNew: boolean) =>
  isNew
    ? call(send, templates.create, { body })
    : call(send, templates.update, { params: { url: body.url }, body });

export const deleteTemplate = (send: Send, url: string) => call(send, templates.delete, { params: { url } });

export const deleteRepository = (send: Send, { repo, project }: RepositoryView) =>
  call(send, repositories.delete, { params: { repo }, query: { appProject: project } });

export const refreshRepository = (send: Send, { repo, project }: RepositoryView) =>
  call(send, repositories.get, { params: { repo }, query: { appProject: project, forceRefresh: true } });

export const readClusterAgain = (send: Send, server: string) =>
  call(send, clusters.invalidate, { params: { id: server } });

export const addCluster = (send: Send, body: ClusterInput) => call(send, clusters.create, { body });

/** Replaces these fields and no others. */
export const editCluster = (send: Send, body: ClusterInput, updatedFields: readonly string[]) =>
  call(send, clusters.update, { params: { id: body.server }, query: { updatedFields }, body });

export const deleteCluster = (send: Send, server: string) =>
  call(send, clusters.delete, { params: { id: server } });

export const createAccountToken = (send: Send, name: string, id: string, days: number) =>
  call(send, accounts.createToken, {
    params: { name },
    body: { ...(id && { id }), ...(days > 0 && { expiresIn: days * 86_400 }) },
  });

export const deleteAccountToken = (send: Send, name: string, id: string) =>
  call(send, accounts.deleteToken, { params: { name, id } });

export const changePassword = (send: Send, name: string, currentPassword: string, newPassword: string) =>
  call(send, accounts.updatePassword, { body: { name, currentPassword, newPassword } });

export const addCertificate = (send: Send, one: TrustedCertificate) =>
  call(send, certificates.create, { body: { items: [{ ...one, certData: one.certData ?? '' }] } });

export const deleteCertificate = (send: Send, { serverName, certType, certSubType }: TrustedCertificate) =>
  call(send, certificates.delete, { query: { hostNamePattern: serverName, certType, certSubType } });

export const addSigningKey = (send: Send, keyData: string) =>
  call(send, gpgKeys.create, { body: { keyData } });

export const deleteSigningKey = (send: Send, keyID: string) =>
  call(send, gpgKeys.delete, { query: { keyID } });
