import { type Application, argoApiVersion, inClusterServer, isAutomated, type Source } from '#base/model';
import { isObject } from '#base/std';
import { parse, print } from '#lang/yaml';
import { declaredApplication } from './declared.ts';

/** The fields of an application that the form has; the YAML beside it has all. */
export type ApplicationForm = {
  readonly name: string;
  readonly project: string;
  readonly repo: string;
  /** The source is a chart of a Helm repository, and `path` its name. */
  readonly isChart: boolean;
  readonly path: string;
  readonly revision: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly isAutomated: boolean;
  readonly prune: boolean;
  readonly selfHeal: boolean;
  readonly createNamespace: boolean;
};

export const emptyApplication = (): Application => ({
  apiVersion: argoApiVersion,
  kind: 'Application',
  metadata: { name: '' },
  spec: {
    project: 'default',
    source: { repoURL: '', path: '', targetRevision: 'HEAD' },
    destination: { server: inClusterServer, namespace: 'default' },
    syncPolicy: { syncOptions: ['CreateNamespace=true'] },
  },
});

/** What a user edits. */
export const declaredText = (app: Application): string => print(declaredApplication(app));

/** The application of a text. Throws with the line where it is no YAML, and names what is missing. */
export function applicationIn(text: string): Application {
  const value = parse(text);
  if (!isObject(value) || value.kind !== 'Application')
    throw new Error('want one object of kind Application');
  if (!isObject(value.metadata) || !isObject(value.spec)) throw new Error('want metadata and spec');
  return value as unknown as Application;
}

export function formOf({ metadata, spec }: Application): ApplicationForm {
  const { source, destination = {}, syncPolicy = {} } = spec;
  return {
    name: metadata.name ?? '',
    project: spec.project ?? '',
    repo: source?.repoURL ?? '',
    isChart: source?.chart !== undefined,
    path: source?.chart ?? source?.path ?? '',
    revision: source?.targetRevision ?? '',
    cluster: destination.name ?? destination.server ?? '',
    namespace: destination.namespace ?? '',
    isAutomated: isAutomated(spec),
    prune: syncPolicy.automated?.prune === true,
    selfHeal: syncPolicy.automated?.selfHeal === true,
    createNamespace: syncPolicy.syncOptions?.includes('CreateNamespace=true') === true,
  };
}

/** The application with the fields of the form, and everything else as it was. */
export function withForm(app: Application, form: ApplicationForm): Application {
  const { name, project, namespace } = form;
  const { source, destination: _, syncPolicy = {}, ...rest } = app.spec;
  const options = (syncPolicy.syncOptions ?? []).filter((one) => !one.startsWith('CreateNamespace='));
  const { automated: _automated, syncOptions: _options, ...policy } = syncPolicy;
  const automated = automatedOf(app, form);
  const isAddress = /^https?:\/\//.test(form.cluster);
  return {
    ...app,
    metadata: { ...app.metadata, name },
    spec: {
      ...rest,
      project,
      ...(!rest.sources && { source: sourceOf(source, form) }),
      destination: { ...(isAddress ? { server: form.cluster } : { name: form.cluster }), namespace },
      syncPolicy: {
        ...policy,
        ...(automated && { automated }),
        syncOptions: form.createNamespace ? [...options, 'CreateNamespace=true'] : options,
      },
    },
  };
}

/** A source is a directory of Git or a chart; a form that changes from one to the other has no revision of the new kind yet. */
function sourceOf(source: Source | undefined, { repo, isChart, path, revision }: ApplicationForm): Source {
  const { path: _path, chart, ...rest } = source ?? { repoURL: '' };
  const isOther = isChart !== (chart !== undefined) && revision === source?.targetRevision;
  const targetRevision = isOther ? (isChart ? '*' : 'HEAD') : revision;
  return { ...rest, repoURL: repo, ...(isChart ? { chart: path } : { path }), targetRevision };
}

/** Auto-sync that is switched off keeps its choices; one that never was has none. */
function automatedOf(
  { spec }: Application,
  form: ApplicationForm,
): NonNullable<Application['spec']['syncPolicy']>['automated'] {
  const { enabled, ...choices } = spec.syncPolicy?.automated ?? {};
  if (form.isAutomated) return { ...choices, prune: form.prune, selfHeal: form.selfHeal };
  return enabled === false ? { ...choices, enabled } : undefined;
}

/** Why it cannot be sent yet; undefined: the server may judge it. */
export function whyNotReady(
  { name, repo, isChart, path }: ApplicationForm,
  hasSources: boolean,
): string | undefined {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    return 'Give it a name of small letters, digits and dashes.';
  if (hasSources) return undefined;
  if (repo.trim() === '') return 'Its repository is missing.';
  return isChart && path.trim() === '' ? 'The name of its chart is missing.' : undefined;
}
