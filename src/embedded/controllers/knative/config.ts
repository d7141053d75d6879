import { parseDuration } from '#base/model';
import { configMapKind } from '../kinds.ts';
import type { SimulationContext } from '../simulation-context.ts';
import { storedObject } from '../write.ts';
import { systemNamespace } from './kinds.ts';

/** The data of one of Knative's ConfigMaps; empty when it does not exist. */
export type KnativeConfig = (name: string) => Readonly<Record<string, string>>;

type ReadData = (namespace: string, name: string) => Readonly<Record<string, string>> | undefined;

export const configFrom =
  (read: ReadData): KnativeConfig =>
  (name) =>
    read(systemNamespace, name) ?? {};

/** The configuration of a cluster without Knative's ConfigMaps. */
export const unconfigured: KnativeConfig = () => ({});

/** compat cluster 5.6: features that config-features does not name are off, but for these. */
const onByDefault = new Set(['multi-container', 'kubernetes.podspec-volumes-emptydir']);

/** `enabled`, `allowed` (if the object requests it), `disabled`, or a value of the feature's own. */
export function flag(config: KnativeConfig, feature: string): string {
  const requested = config('config-features')[feature]?.toLowerCase();
  return requested || (onByDefault.has(feature) ? 'enabled' : 'disabled');
}

export const isOn = (config: KnativeConfig, feature: string): boolean => flag(config, feature) === 'enabled';

/** compat cluster 5.6: containers without a security context get a safe one. */
export const isSecure = (config: KnativeConfig): boolean =>
  ['enabled', 'allowrootbounded'].includes(flag(config, 'secure-pod-defaults'));

export function wholeNumber(config: KnativeConfig, map: string, name: string, otherwise: number): number {
  const text = config(map)[name];
  return text !== undefined && /^[-+]?\d+$/.test(text) ? Number(text) : otherwise;
}

export const isTrue = (config: KnativeConfig, map: string, name: string, otherwise: boolean): boolean =>
  (config(map)[name]?.toLowerCase() ?? String(otherwise)) === 'true';

/** Milliseconds. A setting that cannot be parsed counts as missing. */
export function durationMs(config: KnativeConfig, map: string, name: string, otherwise: number): number {
  const text = config(map)[name];
  try {
    return text === undefined ? otherwise : parseDuration(text);
  } catch {
    return otherwise;
  }
}

type WithData = { readonly data?: Readonly<Record<string, string>> };

/** As the cluster has it now. */
export const configOf = (context: SimulationContext): KnativeConfig =>
  configFrom(
    (namespace, name) =>
      (storedObject(context, configMapKind, { namespace, name }) as WithData | undefined)?.data,
  );
