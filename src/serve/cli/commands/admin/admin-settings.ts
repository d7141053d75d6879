import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parseSettings, type Settings } from '#base/model';
import { isObject } from '#base/std';
import { parse, parseAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';

export type SettingsFlags = ClusterFlags & {
  argocdCmPath?: string;
  argocdSecretPath?: string;
  loadClusterSettings?: boolean;
};
type Data = Readonly<Record<string, string>>;

export const settingsFrom = (command: Command): Command =>
  reaching(command)
    .option('--argocd-cm-path <file>', 'argocd-cm as a file, instead of that of the cluster')
    .option('--argocd-secret-path <file>', 'accepted: no check reads the Secret')
    .option('--load-cluster-settings', 'read what no file gives from the cluster');

/** The settings of the file, or of the cluster where none is given. */
export async function readSettings(deps: CliDeps, flags: SettingsFlags): Promise<Settings> {
  const { argocdCmPath: path, namespace } = flags;
  const fromCluster = (name: string): Promise<Data> =>
    onCluster(deps, flags, async ({ ctx, kube }) =>
      dataOf(await kube.find(ctx, { apiVersion: 'v1', kind: 'ConfigMap', name, namespace })),
    );
  const isWhole = path === undefined || flags.loadClusterSettings === true;
  const cm = path === undefined ? await fromCluster('argocd-cm') : dataOf(await documentAt(path));
  const params = isWhole ? await fromCluster('argocd-cmd-params-cm') : {};
  return parseSettings({ cm, params }, parse);
}

export async function documentAt(path: string): Promise<unknown> {
  const text = await readFile(path === '-' ? '/dev/stdin' : path, 'utf8').catch((error: unknown) => {
    throw new ExitError(20, `${path} cannot be read: ${(error as Error).message}`);
  });
  return parseAll(text, { name: path })[0]?.value;
}

function dataOf(object: unknown): Data {
  const { data } = (isObject(object) ? object : {}) as { data?: unknown };
  return isObject(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [key, String(value)]))
    : {};
}

const groups = ['accounts', 'general', 'kustomize', 'repositories', 'resource-overrides'] as const;
type SettingsGroup = (typeof groups)[number];

function groupOf(key: string): SettingsGroup {
  if (/^(?:accounts\.|admin\.enabled)/.test(key)) return 'accounts';
  if (key.startsWith('kustomize.')) return 'kustomize';
  if (key.startsWith('resource.customizations')) return 'resource-overrides';
  return /^repositor|^helm\.repositories/.test(key) ? 'repositories' : 'general';
}

/** dev server §8.6: what is wrong with the settings; the exit code is 1 when something is, where the peer's is 0. */
export function addValidate(settings: Command, deps: CliDeps): void {
  const validate = settingsFrom(settings.command('validate'))
    .description(
      'report what is wrong with the settings, and which of them have no effect; exit code 1 when something is wrong',
    )
    .option('--group <name>', `only of ${groups.join(', ')}; may be repeated`, collectList)
    .action(async (flags: SettingsFlags & { group?: string[] }) => {
      const unknown = flags.group?.find((one) => !groups.includes(one as SettingsGroup));
      if (unknown) throw new ExitError(usageExitCode, `unknown --group ${unknown}: use ${groups.join(', ')}`);
      const wanted = groups.filter((one) => flags.group?.includes(one) ?? true);
      const { problems, ignored } = await readSettings(deps, flags);
      for (const group of wanted) {
        const isOf = ({ key }: { readonly key: string }): boolean => groupOf(key) === group;
        deps.io.out(groupText(group, problems.filter(isOf), ignored.filter(isOf)));
      }
      const found = problems.filter(({ key }) => wanted.includes(groupOf(key)));
      if (found.length > 0) throw new ExitError(1, `${found.length} settings are wrong`);
    });
  examples(
    validate,
    'fairlead admin settings validate --argocd-cm-path ./argocd-cm.yaml',
    'fairlead admin settings validate --group accounts --group general',
  );
}

type Finding = { readonly configMap: string; readonly key: string; readonly message: string };

function groupText(group: SettingsGroup, wrong: readonly Finding[], ignored: readonly Finding[]): string {
  const text = ({ configMap, key, message }: Finding): string => `${configMap} ${key}: ${message}\n`;
  return [
    `${wrong.length === 0 ? '✅' : '⛔'} ${group}\n`,
    ...wrong.map((one) => `   ${text(one)}`),
    ...ignored.map((one) => `   warning: ${text(one)}`),
  ].join('');
}
