import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { printAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { collectList } from '../../input/lists.ts';
import { onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';
import { backupObjects, exported } from './backup-objects.ts';

type ExportFlags = ClusterFlags & {
  out: string;
  applicationNamespaces?: string[];
  applicationsetNamespaces?: string[];
  upstreamSet?: boolean;
};

/** compat server §8.6: everything that a new control plane needs to go on, secrets included. */
export function addExport(admin: Command, deps: CliDeps): void {
  const command = reaching(admin.command('export'))
    .description('print every object of the control plane, secrets included, for admin import')
    .option('-o, --out <file>', 'write to this file instead of (-) standard output', '-')
    .option(
      '--application-namespaces <pattern>',
      'namespaces with applications; may be repeated',
      collectList,
    )
    .option(
      '--applicationset-namespaces <pattern>',
      'namespaces with ApplicationSets; may be repeated',
      collectList,
    )
    .option('--upstream-set', "only what Argo CD's own export has: no notifications, parameters and keys")
    .action(async (flags: ExportFlags) => {
      const { namespace } = flags;
      const objects = await onCluster(deps, flags, (on) =>
        backupObjects(on, {
          namespace,
          applicationNamespaces: flags.applicationNamespaces ?? [],
          setNamespaces: flags.applicationsetNamespaces ?? [],
          isUpstream: flags.upstreamSet === true,
        }),
      );
      const text = printAll(objects.map((object) => exported(object, namespace)));
      if (flags.out === '-') deps.io.out(text);
      else {
        await writeFile(flags.out, text, { mode: 0o600 });
        deps.io.err(`${objects.length} objects written to ${flags.out}, which holds secrets\n`);
      }
    });
  examples(
    command,
    'fairlead admin export -o backup.yaml',
    "fairlead admin export --application-namespaces 'team-*' | gpg -c > backup.yaml.gpg",
  );
}
