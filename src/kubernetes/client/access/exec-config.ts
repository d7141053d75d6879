import { isAbsolute, join } from 'node:path';
import { FairleadError } from '#base/std';
import type { ExecPlugin } from './cluster-access.ts';

/** The `exec` part of a user in a kubeconfig. */
export type ExecView = {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name?: string; readonly value?: string }[] | null;
  readonly installHint?: string;
  readonly interactiveMode?: string;
  readonly provideClusterInfo?: boolean;
};

type Environment = {
  readonly user: string;
  readonly dir: string;
  readonly extensions: readonly { readonly name?: string; readonly extension?: unknown }[];
};

const known: ReadonlySet<string | undefined> = new Set([
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]);
const extensionName = 'client.authentication.k8s.io/exec';

/** Throws InvalidSpec for a plugin we cannot run: no command, an unknown version, or one that needs a terminal. */
export function execPluginIn(view: ExecView, { user, dir, extensions }: Environment): ExecPlugin {
  const { command, apiVersion, installHint } = view;
  if (!command) throw invalid(user, 'names no command');
  if (!apiVersion || !known.has(apiVersion))
    throw invalid(user, `has the unknown apiVersion "${apiVersion ?? ''}"`);
  if (view.interactiveMode === 'Always') throw invalid(user, 'needs a terminal (interactiveMode: Always)');
  const config = extensions.find(({ name }) => name === extensionName)?.extension;
  return {
    apiVersion,
    // compat: a path is relative to the kubeconfig, a bare name is looked up on PATH
    command: command.includes('/') && !isAbsolute(command) ? join(dir, command) : command,
    args: view.args ?? [],
    env: Object.fromEntries(
      (view.env ?? []).flatMap(({ name, value = '' }) => (name ? [[name, value]] : [])),
    ),
    ...(installHint && { installHint }),
    ...(view.provideClusterInfo && { clusterInfo: { config } }),
  };
}

function invalid(user: string, what: string): FairleadError {
  return new FairleadError('InvalidSpec', `the exec plugin of user "${user}" ${what}`);
}
