import * as z from 'zod';
import type {
  Application,
  ApplicationSet,
  ApplicationSpec,
  AppProject,
  KubeObject,
  SyncWindow,
} from '#base/model';
import { applicationResponses, setResponses } from './application-responses.ts';
import type { Endpoint } from './endpoint.ts';
import { knativeResponses } from './knative-responses.ts';
import {
  count,
  flag,
  listOf,
  type NameSchema,
  nothing,
  type ResponseParts,
  sharedParts,
  some,
  text,
} from './response-parts.ts';
import type { services } from './services.ts';

type ResponseOf<E> = E extends Endpoint<infer _Body, infer Out> ? Out : never;

/** A schema for the response of every endpoint of the table; a method without one does not compile. */
type ResponseSchemas = {
  readonly [Service in keyof typeof services]: {
    readonly [Method in keyof (typeof services)[Service]]: z.ZodType<
      ResponseOf<(typeof services)[Service][Method]>
    >;
  };
};

/** The kinds whose schemas are those of their definitions. */
export const documentedKinds = ['Application', 'AppProject', 'ApplicationSet'] as const;

/** What the API responds with, and the schemas in it that have a name. Made when the document is requested. */
export function responseSchemas(): { readonly byMethod: ResponseSchemas; readonly named: Named } {
  const named: Named = z.registry<{ id: string }>();
  const name: NameSchema = (id, schema) => {
    named.add(schema, { id });
    return schema;
  };
  const kinds = {
    application: name('Application', z.custom<Application>()),
    spec: name('ApplicationSpec', z.custom<ApplicationSpec>()),
    window: name('SyncWindow', z.custom<SyncWindow>()),
    project: name('AppProject', z.custom<AppProject>()),
    applicationSet: name('ApplicationSet', z.custom<ApplicationSet>()),
    object: name('KubeObject', z.custom<KubeObject>()),
  };
  const parts = { ...kinds, ...sharedParts(name, kinds) };
  return {
    named,
    byMethod: {
      ...{ session: sessionResponses(), settings: settingsResponses(), accounts: accountResponses(name) },
      ...{ notifications: notificationResponses(), ...trustResponses(name) },
      knative: knativeResponses(name),
      ...{ clusters: clusterResponses(parts), projects: projectResponses(parts) },
      ...repositoryResponses(parts),
      ...{ applications: applicationResponses(parts), applicationSets: setResponses(name, parts) },
    },
  };
}

type Named = z.core.$ZodRegistry<{ id: string }>;

const sessionResponses = () => ({
  create: z.object({ token: text }),
  delete: nothing,
  user: z.object({ loggedIn: flag, username: some.text, iss: some.text, groups: some.texts }),
  version: z.object({
    ...{ Version: text, Platform: some.text, GoVersion: some.text, Compiler: some.text },
    ...{ HelmVersion: some.text, KustomizeVersion: some.text },
  }),
  settings: z.object({
    ...{
      url: some.text,
      additionalUrls: some.texts,
      userLoginsDisabled: some.flag,
      trackingMethod: some.text,
    },
    oidcConfig: z
      .object({
        ...{ name: text, issuer: text, clientID: text, cliClientID: some.text, scopes: z.array(text) },
        idTokenClaims: z.record(text, z.unknown()).exactOptional(),
        enablePKCEAuthentication: some.flag,
      })
      .exactOptional(),
    ...{ uiLoginButtonText: some.text, appLabelKey: some.text, installationID: some.text },
    ...{ statusBadgeEnabled: some.flag, statusBadgeRootUrl: some.text, passwordPattern: some.text },
    googleAnalytics: z.object({ trackingID: some.text, anonymizeUsers: some.flag }).exactOptional(),
    help: z.object({ chatUrl: some.text, chatText: some.text, binaryUrls: some.map }).exactOptional(),
    ...{ uiCssURL: some.text, execEnabled: some.flag, appsInAnyNamespaceEnabled: some.flag },
    ...{ impersonationEnabled: some.flag, hydratorEnabled: some.flag, syncWithReplaceAllowed: some.flag },
    ...{ uiBannerContent: some.text, uiBannerURL: some.text, uiBannerPermanent: some.flag },
    ...{ uiBannerPosition: some.text, controllerNamespace: some.text, kustomizeVersions: some.texts },
    resourceOverrides: z
      .record(
        text,
        z.object({
          ...{ 'health.lua': some.text, actions: some.text },
          ignoreDifferences: z.record(text, z.unknown()).exactOptional(),
        }),
      )
      .exactOptional(),
    settingKeys: z
      .array(
        z.object({ configMap: text, key: text, ignored: some.text, value: some.text, problem: some.text }),
      )
      .exactOptional(),
  }),
});

const settingsResponses = () => ({
  plugins: z.object({ plugins: z.array(z.object({ name: text })) }),
});

function accountResponses(name: NameSchema) {
  const account = name(
    'Account',
    z.object({
      ...{ name: text, enabled: flag, capabilities: z.array(text) },
      tokens: z.array(z.object({ id: text, issuedAt: count, expiresAt: some.count })).exactOptional(),
    }),
  );
  return {
    ...{ list: listOf(account), get: account, updatePassword: nothing, deleteToken: nothing },
    canI: z.object({ value: z.enum(['yes', 'no']) }),
    createToken: z.object({ token: text }),
  };
}

function notificationResponses() {
  const names = listOf(z.object({ name: text }));
  const problems = z.array(z.object({ severity: z.enum(['error', 'warning']), key: text, message: text }));
  const delivery = z.object({
    ...{ at: text, namespace: text, application: text, project: text, trigger: text, service: text },
    ...{ recipient: text, attempts: count, nextAt: some.text, together: some.count, error: some.text },
    outcome: z.enum(['delivered', 'failed', 'given up']),
  });
  const preview = z.object({
    ...{ trigger: text, service: text, recipient: text, isTriggered: flag, sentAt: some.count },
    ...{ when: some.text, problem: some.text, message: some.text, error: some.text },
    part: z.unknown().exactOptional(),
  });
  const condition = z.object({ when: text, oncePer: some.text, send: z.array(text), description: some.text });
  const destination = z.object({ service: text, recipient: text });
  const config = z.object({
    services: z.array(z.object({ name: text, type: text })),
    triggers: z.array(z.object({ name: text, isBuiltIn: flag, conditions: z.array(condition) })),
    templates: z.array(z.object({ name: text, isBuiltIn: flag, text })),
    subscriptions: z.array(
      z.object({ destinations: z.array(destination), triggers: z.array(text), selector: text }),
    ),
    ...{ defaultTriggers: z.array(text), serviceTriggers: z.record(text, z.array(text)), problems },
    rules: z.object({ groupFrom: count, groupWaitMs: count, perMinute: count }),
  });
  return {
    ...{ config, services: names, templates: names, deliveries: listOf(delivery) },
    triggers: names.extend({ problems: problems.exactOptional() }),
    preview: listOf(preview).extend({ problems }),
  };
}

function trustResponses(name: NameSchema) {
  const certificate = z.object({
    ...{ serverName: text, certType: z.enum(['ssh', 'https']), certSubType: text },
    ...{ certData: some.text, certInfo: some.text },
  });
  const certificates = name('CertificateList', listOf(certificate));
  const key = name(
    'SigningKey',
    z.object({
      ...{ keyID: text, fingerprint: text, owner: text, trust: text, subType: text, keyData: some.text },
    }),
  );
  return {
    certificates: { list: certificates, create: certificates, delete: certificates },
    gpgKeys: {
      ...{ list: listOf(key), get: key, delete: nothing },
      create: z.object({ created: listOf(key), skipped: z.array(text) }),
    },
  };
}

const clusterResponses = ({ cluster: one }: ResponseParts) => ({
  ...{
    list: listOf(one),
    create: one,
    get: one,
    update: one,
    delete: nothing,
    rotate: nothing,
    invalidate: one,
  },
});

const projectResponses = ({ project, window, repository, cluster: one, links, object }: ResponseParts) => ({
  list: z.object({ metadata: z.object({ resourceVersion: some.text }), items: z.array(project) }),
  ...{ create: project, get: project, update: project, delete: nothing, links },
  detailed: z.object({
    project,
    globalProjects: z.array(project),
    repositories: z.array(repository),
    clusters: z.array(one),
  }),
  ...{ globals: listOf(project), events: listOf(object) },
  windows: z.object({ windows: z.array(window) }),
  ...{ createToken: z.object({ token: text }), deleteToken: nothing },
});

function repositoryResponses({ repository, template }: ResponseParts) {
  const stored = {
    ...{ list: listOf(repository), create: repository, get: repository, update: repository },
    ...{ delete: nothing, validate: nothing },
  };
  const templates = { list: listOf(template), create: template, update: template, delete: nothing };
  const type = z.enum(['Helm', 'Kustomize', 'Directory', 'Plugin']);
  const refs = z.object({ branches: z.array(text), tags: z.array(text) });
  const helm = z.object({
    ...{ name: some.text, valueFiles: z.array(text), values: some.text },
    parameters: z.array(z.object({ name: text, value: text })),
  });
  return {
    repositories: {
      ...stored,
      ...{ refs, tags: refs, apps: listOf(z.object({ path: text, type })) },
      appDetails: z.object({
        type,
        helm: helm.exactOptional(),
        kustomize: z.object({ images: z.array(text) }).exactOptional(),
        directory: nothing.exactOptional(),
        plugin: nothing.exactOptional(),
      }),
      charts: listOf(z.object({ name: text, versions: z.array(text) })),
    },
    ...{ writeRepositories: stored, templates, writeTemplates: templates },
  };
}
