import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { examples } from '../input/examples.ts';

type VersionFlags = { client?: boolean; short?: boolean; output?: string };

/** compat server §8.3: the versions of this program and of the server. Nothing is loaded that --client does not need. */
export function addVersion(version: Command, { io, open, version: own }: CliDeps): void {
  version
    .option('--client', 'only of this program; no server is needed')
    .option('--short', 'the numbers alone')
    .option('-o, --output <format>', 'json or yaml')
    .action(async ({ client, short, output }: VersionFlags) => {
      const { arch, platform, version: node } = process;
      const details = { Version: `v${own}`, Platform: `${platform}/${arch}`, NodeVersion: node };
      const server = client
        ? undefined
        : await (await import('../session/server-version.ts')).serverVersion((await open()).session);
      if (output) {
        const { printAs } = await import('../output/print.ts');
        io.out(printAs(output, { client: details, ...(server && { server }) }));
        return;
      }
      io.out(versionText('fairlead', details, short));
      if (server) io.out(versionText('argocd-server', server, short));
    });
  examples(version, 'fairlead version', 'fairlead version --client', 'fairlead version --short -o json');
}

function versionText(
  name: string,
  { Version, ...rest }: { readonly Version: string } & Readonly<Record<string, string | undefined>>,
  isShort = false,
): string {
  const lines = isShort ? [] : Object.entries(rest).map(([key, text]) => `  ${key}: ${text}\n`);
  return `${name}: ${Version}\n${lines.join('')}`;
}
