import { endpoint } from './endpoint.ts';

/** compat server §2.8: the part of the settings that a page needs; the last fields only for callers that are signed in. */
export type SettingsView = {
  readonly url?: string;
  readonly additionalUrls?: readonly string[];
  readonly appLabelKey?: string;
  readonly trackingMethod?: string;
  readonly installationID?: string;
  readonly statusBadgeEnabled?: boolean;
  readonly statusBadgeRootUrl?: string;
  readonly googleAnalytics?: { readonly trackingID?: string; readonly anonymizeUsers?: boolean };
  readonly help?: {
    readonly chatUrl?: string;
    readonly chatText?: string;
    readonly binaryUrls?: Readonly<Record<string, string>>;
  };
  readonly passwordPattern?: string;
  readonly uiCssURL?: string;
  readonly execEnabled?: boolean;
  readonly appsInAnyNamespaceEnabled?: boolean;
  readonly impersonationEnabled?: boolean;
  readonly hydratorEnabled?: boolean;
  readonly syncWithReplaceAllowed?: boolean;
  readonly uiBannerContent?: string;
  readonly uiBannerURL?: string;
  readonly uiBannerPermanent?: boolean;
  readonly uiBannerPosition?: string;
  readonly controllerNamespace?: string;
  readonly kustomizeVersions?: readonly string[];
  readonly resourceOverrides?: Readonly<Record<string, ResourceOverrideView>>;
  /** Ours beside Argo CD's fields: the keys that are set, the others have their defaults, and those without an effect. */
  readonly settingKeys?: readonly SettingKey[];
};

export type SettingKey = {
  readonly configMap: string;
  readonly key: string;
  /** Why it has no effect; absent: it has one. */
  readonly ignored?: string;
  /** With the secrets hidden; only for a caller who may update every account. */
  readonly value?: string;
  /** What is wrong with the value, for the same callers; an error: the last good value is in force. */
  readonly problem?: string;
};

type ResourceOverrideView = {
  readonly 'health.lua'?: string;
  readonly actions?: string;
  readonly ignoreDifferences?: object;
};

export const settings = {
  plugins: endpoint<{ readonly plugins: readonly { readonly name: string }[] }>(
    'The names of the config management plugins.',
  )('GET', '/api/v1/settings/plugins'),
} as const;
