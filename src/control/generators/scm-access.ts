import { type ApplicationSet, type KubeObject, label, secretText } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { ScmDeps } from '#sources/scm';
import { configMapData } from './decision-resources.ts';
import { findSecret, type GeneratorDeps } from './generator-deps.ts';

type AccessRules = {
  /** compat sources ASS-5: a token must be in a Secret that is labelled for it. */
  readonly isStrict: boolean;
  /** Receives what has no effect. */
  warn(message: string): void;
};

/**
 * compat sources ASS-5: tokens and certificates are read from the set's own namespace, GitHub Apps from the credential
 * templates of the control plane. No message contains what is read.
 */
export function scmAccess(
  deps: GeneratorDeps,
  set: ApplicationSet,
  { isStrict, warn }: AccessRules,
): ScmDeps {
  const { namespace = deps.namespace } = set.metadata;
  const { scmProvidersEnabled, allowedScmProviders, githubApiMetrics } = deps.settings().applicationSet;
  const { onGithubRequest } = deps;
  refuseOpenTenancy(deps, namespace);
  return {
    client: deps.hosts,
    warn,
    enabled: scmProvidersEnabled,
    allowedProviders: allowedScmProviders,
    ...(deps.aws && { aws: deps.aws }),
    ...(onGithubRequest &&
      githubApiMetrics && {
        onGithubRequest: (reading) => onGithubRequest({ namespace, name: set.metadata.name }, reading),
      }),
    secret: async (ctx, { secretName, key }) => {
      const secret = await requiredSecret(ctx, deps, namespace, secretName);
      if (isStrict && secret.metadata.labels?.[label.secretType] !== 'scm-creds')
        throw invalid(
          `Secret ${namespace}/${secretName} needs the label ${label.secretType}: scm-creds before a generator may use it`,
        );
      return keyOf(secret, key, `Secret ${namespace}/${secretName}`);
    },
    configMap: async (ctx, { configMapName, key }) => {
      const text = (await configMapData(ctx, deps.kube, namespace, configMapName))[key];
      if (text !== undefined) return text;
      throw invalid(`ConfigMap ${namespace}/${configMapName} has no key ${key}: add it`);
    },
    githubApp: (ctx, secretName) => githubAppOf(ctx, deps, secretName),
  };
}

/**
 * compat sources ASN-1: a set of another namespace could send the tokens of its namespace, or requests of ours, to any host.
 * The peer does not start in this case; Fairlead refuses these generators.
 */
function refuseOpenTenancy({ settings, namespace: home }: GeneratorDeps, namespace: string): void {
  const { scmProvidersEnabled, allowedScmProviders } = settings().applicationSet;
  if (namespace === home || !scmProvidersEnabled || allowedScmProviders.length > 0) return;
  throw new FairleadError(
    'PermissionDenied',
    'generators of Git hosts may be used outside the control plane only with a list of permitted hosts: ' +
      'set applicationsetcontroller.allowed.scm.providers in argocd-cmd-params-cm',
  );
}

async function githubAppOf(
  ctx: Ctx,
  { kube, namespace }: GeneratorDeps,
  name: string,
): ReturnType<ScmDeps['githubApp']> {
  const secret = await requiredSecret(ctx, { kube }, namespace, name);
  const shown = `Secret ${namespace}/${name}`;
  if (secret.metadata.labels?.[label.secretType] !== 'repo-creds')
    throw invalid(`${shown} needs the label ${label.secretType}: repo-creds to serve as a GitHub App`);
  const text = secretText(secret);
  const id = numberIn(text.githubAppID, `${shown}: githubAppID`);
  if (id === undefined || !text.githubAppPrivateKey)
    throw invalid(`${shown} needs the keys githubAppID and githubAppPrivateKey`);
  return {
    id,
    privateKey: text.githubAppPrivateKey,
    installationId: numberIn(text.githubAppInstallationID, `${shown}: githubAppInstallationID`),
    api: text.githubAppEnterpriseBaseUrl || undefined,
  };
}

function numberIn(text: string | undefined, shown: string): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  if (!/^\d{1,15}$/.test(text.trim())) throw invalid(`${shown} must be a number`);
  return Number(text);
}

async function requiredSecret(
  ctx: Ctx,
  { kube }: Pick<GeneratorDeps, 'kube'>,
  namespace: string,
  name: string,
): Promise<KubeObject> {
  const secret = await findSecret(ctx, kube, namespace, name);
  if (secret) return secret;
  throw invalid(`Secret ${namespace}/${name} does not exist: create it`);
}

function keyOf(secret: KubeObject, key: string, shown: string): string {
  const text = secretText(secret)[key];
  if (text) return text;
  throw invalid(`${shown} has no key ${key}: add it`);
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
