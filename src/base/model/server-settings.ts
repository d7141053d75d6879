import { defaultSettings } from './default-settings.ts';
import { parseDurationOrDays } from './duration.ts';
import { type OidcSettings, readOidcSettings } from './oidc-settings.ts';
import { type Settings, tlsVersions } from './settings.ts';
import { readAccounts, suffixes } from './settings-families.ts';
import { type Readers, type SettingsReader, yamlValue } from './settings-reader.ts';

/** The settings of the API server: login, and its protocol options. */
export function serverFrom(readers: Readers): Settings['server'] {
  const { cm, params } = readers;
  const adminEnabled = cm.flag('admin.enabled', (s) => s.server.adminEnabled);
  return {
    anonymousEnabled: cm.only('true', 'users.anonymous.enabled'),
    sessionMs: cm.parsed(
      'users.session.duration',
      (s) => s.server.sessionMs,
      parseDurationOrDays,
      'a duration',
    ),
    passwordPattern: cm.text('passwordPattern', (s) => s.server.passwordPattern),
    adminEnabled,
    accounts: readAccounts(cm, adminEnabled),
    dexConfig: cm.text('dex.config', (s) => s.server.dexConfig),
    dexConnectorId: cm.text('dex.auth.connectorId', (s) => s.server.dexConnectorId),
    oidc: oidcFrom(readers),
    oidcInsecure: cm.only('true', 'oidc.tls.insecure.skip.verify'),
    execEnabled: cm.only('true', 'exec.enabled'),
    execShells: cm.list('exec.shells', (s) => s.server.execShells),
    maxPodLogs: cm.integer('server.maxPodLogsToRender', (s) => s.server.maxPodLogs),
    fineGrainedRbacInheritanceDisabled: cm.flag(
      'server.rbac.disableApplicationFineGrainedRBACInheritance',
      (s) => s.server.fineGrainedRbacInheritanceDisabled,
    ),
    rollbackEnforced: cm.flag('server.rbac.rollback.enforce.enable', (s) => s.server.rollbackEnforced),
    revisionSyncNeedsOverride: cm.flag(
      'application.sync.requireOverridePrivilegeForRevisionSync',
      (s) => s.server.revisionSyncNeedsOverride,
    ),
    replaceAllowed: params.flag('server.sync.replace.allowed', (s) => s.server.replaceAllowed),
    allowedNodeLabels: cm.list('application.allowedNodeLabels', (s) => s.server.allowedNodeLabels),
    contentTypes: contentTypesFrom(params),
    baseHref: params.text('server.basehref', (s) => s.server.baseHref),
    rootPath: params.text('server.rootpath', (s) => s.server.rootPath),
    insecure: params.flag('server.insecure', (s) => s.server.insecure),
    tls: {
      minVersion: params.oneOf('server.tls.minversion', (s) => s.server.tls.minVersion, tlsVersions),
      maxVersion: params.oneOf('server.tls.maxversion', (s) => s.server.tls.maxVersion, tlsVersions),
      cipherSuites: (params.data['server.tls.ciphers'] ?? '').split(':').filter((name) => name !== ''),
    },
    frameOptions: params.data['server.x.frame.options'] ?? defaultSettings.server.frameOptions,
    trustedProxies: cm.list('fairlead.server.trustedProxies', (s) => s.server.trustedProxies),
    allowedHosts: cm.list('fairlead.server.allowedHosts', (s) => s.server.allowedHosts),
    authDisabled: authDisabledIn(params),
    legacyAdminSubject: cm.only('true', 'fairlead.rbac.legacyAdminSubject'),
    auditSink: cm.oneOf('fairlead.audit.sink', (s) => s.server.auditSink, ['', 'file', 'stdout']),
    statusBadgeEnabled: cm.only('true', 'statusbadge.enabled'),
    statusBadgeUrl: cm.text('statusbadge.url', (s) => s.server.statusBadgeUrl),
    extensions: suffixes(cm, 'extension.config'),
    webhook: {
      maxBytes:
        cm.integer('webhook.maxPayloadSizeMB', (s) => s.server.webhook.maxBytes / megabyte, 1) * megabyte,
      jitterMs: cm.duration('webhook.refresh.jitter', (s) => s.server.webhook.jitterMs),
      threshold: cm.integer('webhook.refresh.jitter.threshold', (s) => s.server.webhook.threshold),
    },
  };
}

/** Keys of it without effect are reported by name. */
function oidcFrom(readers: Readers): OidcSettings | undefined {
  const { cm } = readers;
  const read = yamlValue<OidcSettings | undefined>(
    readers,
    'oidc.config',
    (s) => s.server.oidc,
    readOidcSettings,
  );
  const fields = read?.ignored.join(', ');
  if (fields) cm.problem('warning', 'oidc.config', `not supported yet: ${fields} in oidc.config`);
  return read;
}

function authDisabledIn(params: SettingsReader): boolean {
  const key = 'server.disable.auth';
  const isDisabled = params.flag(key, (s) => s.server.authDisabled);
  if (isDisabled)
    params.problem(
      'warning',
      key,
      'authentication and permissions are off: every client that reaches the API may do everything; remove the key to switch them on',
    );
  return isDisabled;
}

const megabyte = 1024 * 1024;

/** compat: a semicolon list; present but empty, any content type will do. */
function contentTypesFrom(params: SettingsReader): readonly string[] {
  const text = params.data['server.api.content.types'];
  if (text === undefined) return defaultSettings.server.contentTypes;
  return text
    .split(';')
    .map((type) => type.trim())
    .filter((type) => type !== '');
}

/** The settings of the web UI beside the applications. */
export function uiFrom(cm: SettingsReader): Settings['ui'] {
  const chatUrl = cm.text('help.chatUrl', (s) => s.ui.chatUrl);
  return {
    cssUrl: cm.text('ui.cssurl', (s) => s.ui.cssUrl),
    bannerContent: cm.text('ui.bannercontent', (s) => s.ui.bannerContent),
    bannerUrl: cm.text('ui.bannerurl', (s) => s.ui.bannerUrl),
    bannerPermanent: cm.only('true', 'ui.bannerpermanent'),
    bannerPosition: cm.text('ui.bannerposition', (s) => s.ui.bannerPosition),
    loginButtonText: cm.text('ui.loginButtonText', (s) => s.ui.loginButtonText),
    resourcesViewDisabled: cm.only('true', 'ui.view.resources.disabled'),
    chatUrl,
    chatText: cm.data['help.chatText'] || (chatUrl === '' ? '' : 'Chat now!'),
    downloads: suffixes(cm, 'help.download'),
    analyticsId: cm.text('ga.trackingid', (s) => s.ui.analyticsId),
    analyticsAnonymizeUsers: !cm.only('false', 'ga.anonymizeusers'),
  };
}
