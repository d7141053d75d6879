import { FairleadError, isObject } from '#base/std';
import { parseDuration } from './duration.ts';

/** compat server §4.4: `oidc.config`. Values may be references to secrets, which are resolved where they are used. */
export type OidcSettings = {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Of the command line; empty: `clientId`. */
  readonly cliClientId: string;
  readonly requestedScopes: readonly string[];
  readonly requestedIdTokenClaims: Readonly<Record<string, unknown>>;
  readonly logoutUrl: string;
  /** PEM; beside the authorities of the machine. */
  readonly rootCa: string;
  readonly pkceEnabled: boolean;
  readonly domainHint: string;
  readonly userInfoGroupsEnabled: boolean;
  readonly userInfoPath: string;
  readonly userInfoBaseUrl: string;
  /** Groups of the userinfo endpoint that are older are fetched again; 0: they last as long as the token. */
  readonly userInfoCacheMs: number;
  /** The client authenticates with the Azure workload identity of this machine instead of a secret. */
  readonly azureWorkloadIdentity: boolean;
  /** Empty: the two client ids. */
  readonly allowedAudiences: readonly string[];
  readonly skipAudienceCheckWhenTokenHasNoAudience: boolean;
  /** A session with less than this left is renewed; 0: never. */
  readonly refreshThresholdMs: number;
  /** Keys that were given and have no effect. */
  readonly ignored: readonly string[];
};

const defaultScopes = ['openid', 'profile', 'email', 'groups'];
const known = new Set([
  ...[
    'name',
    'issuer',
    'clientID',
    'clientSecret',
    'cliClientID',
    'requestedScopes',
    'requestedIDTokenClaims',
  ],
  ...[
    'logoutURL',
    'rootCA',
    'enablePKCEAuthentication',
    'domainHint',
    'enableUserInfoGroups',
    'userInfoPath',
  ],
  ...[
    'userInfoBaseURL',
    'allowedAudiences',
    'skipAudienceCheckWhenTokenHasNoAudience',
    'refreshTokenThreshold',
    'userInfoCacheExpiration',
    'azure',
  ],
]);

/** Throws InvalidSpec for what cannot be used, with the field. */
export function readOidcSettings(value: unknown): OidcSettings {
  if (!isObject(value)) throw new FairleadError('InvalidSpec', 'oidc.config must be a map');
  const text = (key: string): string => {
    const found = value[key] ?? '';
    if (typeof found !== 'string') throw new FairleadError('InvalidSpec', `${key} must be a text`);
    return found.trim();
  };
  const issuer = text('issuer');
  if (!/^(\$|https?:\/\/)/.test(issuer))
    throw new FairleadError('InvalidSpec', 'issuer must be an https URL');
  if (!text('clientID')) throw new FairleadError('InvalidSpec', 'clientID is missing');
  return {
    ...{
      issuer,
      name: text('name') || 'SSO',
      clientId: text('clientID'),
      clientSecret: text('clientSecret'),
    },
    ...{ cliClientId: text('cliClientID'), logoutUrl: text('logoutURL'), rootCa: text('rootCA') },
    ...{ domainHint: text('domainHint'), userInfoPath: text('userInfoPath') },
    userInfoBaseUrl: text('userInfoBaseURL'),
    requestedScopes: textsIn(value, 'requestedScopes') ?? defaultScopes,
    requestedIdTokenClaims: isObject(value.requestedIDTokenClaims) ? value.requestedIDTokenClaims : {},
    pkceEnabled: value.enablePKCEAuthentication === true,
    userInfoGroupsEnabled: value.enableUserInfoGroups === true,
    allowedAudiences: textsIn(value, 'allowedAudiences') ?? [],
    skipAudienceCheckWhenTokenHasNoAudience: value.skipAudienceCheckWhenTokenHasNoAudience === true,
    refreshThresholdMs: parseDuration(text('refreshTokenThreshold') || '0s'),
    userInfoCacheMs: parseDuration(text('userInfoCacheExpiration') || '0s'),
    azureWorkloadIdentity: isObject(value.azure) && value.azure.useWorkloadIdentity === true,
    ignored: [
      ...Object.keys(value).filter((key) => !known.has(key)),
      ...keysBelow(value, 'azure').filter((key) => key !== 'azure.useWorkloadIdentity'),
    ],
  };
}

const keysBelow = (value: Readonly<Record<string, unknown>>, name: string): string[] => {
  const inner = value[name] ?? {};
  return isObject(inner) ? Object.keys(inner).map((key) => `${name}.${key}`) : [name];
};

function textsIn(value: Readonly<Record<string, unknown>>, key: string): readonly string[] | undefined {
  const found = value[key];
  if (found === undefined || found === null) return undefined;
  if (!Array.isArray(found) || !found.every((one) => typeof one === 'string'))
    throw new FairleadError('InvalidSpec', `${key} must be a list of texts`);
  return found.length > 0 ? found : undefined;
}
