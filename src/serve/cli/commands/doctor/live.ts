import { groupOf, inClusterServer, type KubeObject } from '#base/model';
import { atOnce, FairleadError, isObject, parseJson } from '#base/std';
import { type Diagnosis, diagnoseLive } from '#engine/doctor';
import { applicationSets, applications, projects } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { onCluster } from '../../session/kube.ts';
import type { Session } from '../../session/session.ts';
import { refOfName } from '../app/app-flags.ts';
import { counted } from './report-text.ts';

/** What an installation was found to have, and what could not be examined. */
export type LiveDiagnosis = Diagnosis & { readonly remarks: readonly string[]; readonly examined: string };

const concurrent = 8;
const argo = 'argoproj.io/v1alpha1';
const knativeSettings = ['config-gc', 'config-features'];
const settings = ['argocd-cm', 'argocd-rbac-cm', 'argocd-cmd-params-cm', 'argocd-notifications-cm'];

/** Examines an installation over its API: some applications by name, or all of it with projects, sets and settings. */
export async function examineLive(deps: CliDeps, names: readonly string[]): Promise<LiveDiagnosis> {
  const { session } = await deps.open();
  const remarks: string[] = [];
  const apps = await applicationsOf(session, names);
  const targets = new Map<KubeObject, readonly KubeObject[]>();
  const revisions = new Map<KubeObject, readonly string[]>();
  const read = await atOnce(concurrent, apps, (app) => targetsOf(session, app, remarks));
  for (const [at, app] of apps.entries()) targets.set(app, read[at]?.objects ?? []);
  for (const { objects, revisions: own } of read)
    for (const object of own ? objects : []) revisions.set(object, own ?? []);
  const around = names.length > 0 ? [] : await installationOf(deps, session, { remarks, apps });
  const diagnosis = diagnoseLive({
    objects: [...apps, ...around],
    targets,
    revisionsOf: (object) => revisions.get(object),
  });
  const examined = `${counted(apps.length, 'application')}, ${counted(diagnosis.objects, 'object')}`;
  return { ...diagnosis, remarks, examined };
}

/** Lists leave out what every item has in common. */
const withKind = <T extends object>(object: T, kind: string): KubeObject =>
  ({ apiVersion: argo, kind, ...object }) as unknown as KubeObject;

async function applicationsOf(session: Session, names: readonly string[]): Promise<KubeObject[]> {
  if (names.length === 0) {
    const { items } = await session.call(applications.list);
    return (items ?? []).map((app) => withKind(app, 'Application'));
  }
  return atOnce(concurrent, names, async (name) =>
    withKind(await session.call(applications.get, refOfName(name, {})), 'Application'),
  );
}

type Targets = { readonly objects: readonly KubeObject[]; readonly revisions: readonly string[] | undefined };

async function targetsOf(session: Session, app: KubeObject, remarks: string[]): Promise<Targets> {
  const { name, namespace } = app.metadata;
  const ref = { params: { name }, query: { appNamespace: namespace } };
  try {
    const { manifests = [] } = await session.call(applications.manifests, ref);
    const objects = manifests
      .map((text) => parseJson(text) as KubeObject)
      .filter(isObject) as unknown as KubeObject[];
    const isKnative = objects.some((object) => groupOf(object) === 'serving.knative.dev');
    if (!isKnative) return { objects, revisions: undefined };
    const { nodes = [] } = await session.call(applications.tree, ref);
    const own = nodes.filter((node) => node.kind === 'Revision' && node.group === 'serving.knative.dev');
    return { objects, revisions: own.map((node) => node.name) };
  } catch (error) {
    remarks.push(`the manifests of ${name}: ${FairleadError.from(error).message}`);
    return { objects: [], revisions: undefined };
  }
}

/** Projects and ApplicationSets; with --core, where there is a cluster to read, the settings as well. */
async function installationOf(
  deps: CliDeps,
  session: Session,
  { remarks, apps }: { readonly remarks: string[]; readonly apps: readonly KubeObject[] },
): Promise<KubeObject[]> {
  const [own, sets] = await Promise.all([session.call(projects.list), session.call(applicationSets.list)]);
  const objects = [
    ...(own.items ?? []).map((one) => withKind(one, 'AppProject')),
    ...(sets.items ?? []).map((one) => withKind(one, 'ApplicationSet')),
  ];
  const { core, kubeContext: context, controllerNamespace: namespace = 'argocd' } = deps.flags();
  if (!core) {
    remarks.push('the ConfigMaps of the installation: the API does not show them; --core reads them');
    return objects;
  }
  const wanted = [
    ...settings.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })),
    // those of this cluster say nothing about Knative on another one
    ...(apps.every(isHere) ? knativeSettings : []).map((name) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'knative-serving', name },
    })),
  ];
  const maps = await onCluster(deps, context === undefined ? {} : { context }, async ({ ctx, kube }) =>
    atOnce(concurrent, wanted, (ref) => kube.get(ctx, ref).catch(() => undefined)),
  );
  return [...objects, ...maps.filter((map) => map !== undefined)];
}

/** Whether an application is about the cluster that it is declared in. */
const isHere = ({ spec }: KubeObject): boolean => {
  const { destination } = (spec ?? {}) as { destination?: { server?: string; name?: string } };
  return destination?.server === inClusterServer || destination?.name === 'in-cluster';
};
