import { readFile } from 'node:fs/promises';
import {
  type Application,
  type AppProject,
  asApplication,
  type ConfigMapFields,
  decodeBase64Text,
  type KubeObject,
  projectName,
} from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { type NotificationConfig, type NotificationSubject, readNotifications } from '#control/notify';
import { parseAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { type KubeFlags, type OnCluster, onCluster } from '../../session/kube.ts';

/** compat server §8.6: the configuration comes from files, or from the cluster. */
export type NotificationFlags = KubeFlags & { configMap?: string; secret?: string; namespace: string };

type Deps = Pick<CliDeps, 'io' | 'signal'>;
type SecretFields = { readonly data?: Record<string, string>; readonly stringData?: Record<string, string> };

/** What the commands work on. */
export type LoadedNotifications = {
  readonly config: NotificationConfig;
  /** The ConfigMap as it is written. */
  readonly data: Readonly<Record<string, string>>;
};

export async function loadNotifications(deps: Deps, flags: NotificationFlags): Promise<LoadedNotifications> {
  const { namespace } = flags;
  const map = await objectOf<ConfigMapFields>(deps, flags, {
    kind: 'ConfigMap',
    name: 'argocd-notifications-cm',
    file: flags.configMap,
  });
  const secret =
    flags.secret === ':empty' || (flags.configMap !== undefined && flags.secret === undefined)
      ? {}
      : await objectOf<SecretFields>(deps, flags, {
          kind: 'Secret',
          name: 'argocd-notifications-secret',
          file: flags.secret,
        });
  const data = map.data ?? {};
  const decoded = Object.entries(secret.data ?? {}).map(([key, text]) => [key, decodeBase64Text(text) ?? '']);
  const secrets = { ...Object.fromEntries(decoded), ...secret.stringData };
  const url = flags.configMap === undefined ? await urlOf(deps, flags) : '';
  // the services are loaded for these commands only
  const { checkService } = await import('#control/deliver');
  const config = readNotifications({ namespace, data, secrets, argocdUrl: url, checkService });
  return { config, data };
}

type Wanted = { readonly kind: string; readonly name: string; readonly file: string | undefined };

async function objectOf<T>(deps: Deps, flags: NotificationFlags, { kind, name, file }: Wanted): Promise<T> {
  if (file !== undefined) return (await documentIn(file, kind)) as T;
  const ref = { apiVersion: 'v1', kind, name, namespace: flags.namespace };
  return onCluster(deps, flags, async ({ ctx, kube }) => ((await kube.find(ctx, ref)) ?? {}) as T);
}

async function urlOf(deps: Deps, flags: NotificationFlags): Promise<string> {
  const found = await objectOf<ConfigMapFields>(deps, flags, {
    kind: 'ConfigMap',
    name: 'argocd-cm',
    file: undefined,
  });
  return found.data?.url ?? '';
}

/** The first document of that kind in a file. */
async function documentIn(path: string, kind: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : error.code;
    throw new ExitError(usageExitCode, `cannot read ${path}: ${why}`);
  });
  const documents = parseAll(text, { name: path }).map(({ value }) => value);
  const found = documents.find((value) => isObject(value) && value.kind === kind);
  if (!isObject(found)) throw new ExitError(usageExitCode, `${path} has no ${kind}`);
  return found;
}

/** An application by its name in the cluster, or in a file, with its project. */
export async function loadSubject(
  deps: Deps,
  flags: NotificationFlags,
  name: string,
): Promise<NotificationSubject> {
  const isFile = await readFile(name).then(
    () => true,
    () => false,
  );
  if (isFile)
    return subjectOf(asApplication((await documentIn(name, 'Application')) as KubeObject, name), undefined);
  return onCluster(deps, flags, async (on) => {
    const app = (await find(on, flags, { kind: 'Application', name })) as Application | undefined;
    if (!app)
      throw new ExitError(
        usageExitCode,
        `there is no application ${name} in namespace ${flags.namespace}, and no such file`,
      );
    const project = await find(on, flags, { kind: 'AppProject', name: projectName(app) });
    return subjectOf(app, project as AppProject | undefined);
  });
}

const find = (
  { ctx, kube }: OnCluster,
  { namespace }: NotificationFlags,
  ref: { readonly kind: string; readonly name: string },
) => kube.find(ctx, { apiVersion: 'argoproj.io/v1alpha1', namespace, ...ref });

const subjectOf = (app: Application, project: AppProject | undefined): NotificationSubject => ({
  app,
  project,
  now: () => Date.now(),
  commit: (revision) => {
    throw new FairleadError('RenderFailed', `commits are not read here: ${revision.slice(0, 40)}`);
  },
});
