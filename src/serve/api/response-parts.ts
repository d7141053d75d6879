import * as z from 'zod';
import type {
  Application,
  ApplicationSet,
  ApplicationSpec,
  AppProject,
  KubeObject,
  SyncWindow,
} from '#base/model';

/** Gives a schema a name in the document, so that it is described once. */
export type NameSchema = <T extends z.ZodType>(id: string, schema: T) => T;

export const text = z.string();
export const flag = z.boolean();
export const count = z.number();
/** The same, where they may be left out. */
export const some = {
  text: text.exactOptional(),
  flag: flag.exactOptional(),
  count: count.exactOptional(),
  texts: z.array(text).exactOptional(),
  map: z.record(text, text).exactOptional(),
};
export const nothing = z.record(text, z.never());
export const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });

export type DocumentedKinds = {
  readonly application: z.ZodType<Application>;
  readonly spec: z.ZodType<ApplicationSpec>;
  readonly project: z.ZodType<AppProject>;
  readonly window: z.ZodType<SyncWindow>;
  readonly applicationSet: z.ZodType<ApplicationSet>;
  readonly object: z.ZodType<KubeObject>;
};

/** What several services respond with. */
export function sharedParts(name: NameSchema, { object }: DocumentedKinds) {
  const connectionState = name(
    'ConnectionState',
    z.object({
      status: z.enum(['Successful', 'Failed', 'Unknown']),
      message: text,
      attemptedAt: text.nullable(),
    }),
  );
  const links = name(
    'LinkList',
    listOf(z.object({ title: text, url: text, description: some.text, iconClass: some.text })),
  );
  const access = {
    ...{ type: text, username: some.text, proxy: some.text, noProxy: some.text },
    ...{ enableOCI: some.flag, insecureOCIForceHttp: some.flag, forceHttpBasicAuth: some.flag },
    ...{
      githubAppID: some.count,
      githubAppInstallationID: some.count,
      githubAppEnterpriseBaseUrl: some.text,
    },
    ...{ useAzureWorkloadIdentity: some.flag, azureServicePrincipalClientId: some.text },
    ...{ azureServicePrincipalTenantId: some.text, azureActiveDirectoryEndpoint: some.text },
  };
  const repository = name(
    'Repository',
    z.object({
      ...access,
      ...{ repo: text, name: some.text, project: some.text, insecure: some.flag, depth: some.count },
      ...{ insecureIgnoreHostKey: some.flag, enableLfs: some.flag, inheritedCreds: some.flag },
      webhookManifestCacheWarmDisabled: some.flag,
      connectionState: connectionState.exactOptional(),
    }),
  );
  const template = name('RepositoryCredentials', z.object({ ...access, url: text }));
  const events = name(
    'EventList',
    z.object({ metadata: z.object({ resourceVersion: some.text }), items: z.array(object) }),
  );
  const node = name('ResourceNode', resourceNode());
  return {
    connectionState,
    links,
    repository,
    template,
    events,
    node,
    cluster: name('Cluster', cluster(connectionState)),
  };
}
export type ResponseParts = DocumentedKinds & ReturnType<typeof sharedParts>;

function resourceNode() {
  const ref = {
    ...{ kind: text, name: text, group: some.text, version: some.text, namespace: some.text, uid: some.text },
  };
  const health = z.object({
    status: z.enum(['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown']),
    message: some.text,
    lastTransitionTime: some.text,
  });
  return z.object({
    ...ref,
    ...{ resourceVersion: some.text, createdAt: some.text, images: some.texts },
    parentRefs: z.array(z.object(ref)).exactOptional(),
    info: z.array(z.object({ name: text, value: text })).exactOptional(),
    health: health.exactOptional(),
    networkingInfo: z
      .object({
        ...{ externalURLs: some.texts, targetLabels: some.map, labels: some.map },
        targetRefs: z.array(z.unknown()).exactOptional(),
        ingress: z.array(z.unknown()).exactOptional(),
      })
      .optional(),
  });
}

function cluster<State extends z.ZodType>(connectionState: State) {
  const config = z.object({
    tlsClientConfig: z.object({ insecure: flag, serverName: some.text }),
    awsAuthConfig: z
      .object({ clusterName: some.text, roleARN: some.text, profile: some.text })
      .exactOptional(),
    ...{ disableCompression: some.flag, proxyUrl: some.text },
  });
  const info = z.object({
    connectionState,
    cacheInfo: z.object({ resourcesCount: some.count, apisCount: some.count }),
    ...{ applicationsCount: count, serverVersion: some.text, apiVersions: some.texts },
  });
  return z.object({
    ...{ server: text, name: text, config, connectionState, info, serverVersion: some.text },
    ...{ namespaces: some.texts, clusterResources: some.flag, shard: some.count, project: some.text },
    ...{ labels: some.map, annotations: some.map, refreshRequestedAt: some.text },
  });
}
