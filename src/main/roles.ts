import { type Ctx, FairleadError } from '#base/std';
import type { Role } from '#serve/cli';
import type { Env } from './choose-cluster.ts';
import type { Config, RoleName } from './config.ts';
import { listenerOptions } from './listener-flags.ts';
import type { LogFormat } from './logger.ts';

type Around = {
  readonly env: Env;
  say(line: string): void;
  /** The log's output. */
  readonly sink: { write(line: string): unknown; readonly isTTY?: boolean };
};
type Flags = Parameters<Role['run']>[0];
type Option = Role['options'][number];

const cluster: readonly Option[] = [
  { flags: '--kubeconfig <path>', description: 'work on the cluster of this file' },
  { flags: '--context <name>', description: 'the context of the kubeconfig' },
  {
    flags: '-n, --namespace <name>',
    description: 'where the control plane keeps its objects (default: argocd)',
  },
];
const rendering: readonly Option[] = [
  { flags: '--plugins <dir>', description: 'a folder with a plugin.yaml for each config management plugin' },
];
const reaching: readonly Option[] = [
  {
    flags: '--local-repositories <dirs>',
    description:
      'folders of this machine, with commas, below which repositories may lie (default: any on the embedded cluster, none elsewhere)',
  },
  {
    flags: '--allow-hosts <hosts>',
    description:
      'hosts, with commas, that may be fetched from although they are at a loopback, link-local or metadata address',
  },
];
const listening: readonly Option[] = [
  { flags: '--port <number>', description: 'the page, the API and the webhooks (default: 8080)' },
  { flags: '--host <address>', description: 'the address to listen on (default: 127.0.0.1)' },
  ...listenerOptions,
];
const measuring: readonly Option[] = [
  {
    flags: '--metrics-port <number>',
    description: 'serve /metrics, /healthz and /readyz on a port of their own',
  },
  {
    flags: '--metrics-address <address>',
    description: 'the address of --metrics-port (default: 127.0.0.1)',
  },
];
const taking: readonly Option[] = [
  {
    flags: '--take-over',
    description: 'also act on applications that a controller in another namespace reconciled lately',
  },
];
const delivering: readonly Option[] = [
  {
    flags: '--rollouts',
    description:
      'also reconcile Rollouts and AnalysisRuns, unless Argo Rollouts is at work (default on the embedded cluster)',
  },
  { flags: '--no-rollouts', description: 'leave Rollouts to another controller' },
  {
    flags: '--rollouts-lease-namespace <name>',
    description: 'where the Lease argo-rollouts-controller-lock is (default: argo-rollouts)',
  },
  {
    flags: '--rollouts-instance-id <id>',
    description:
      'reconcile only what is labelled argo-rollouts.argoproj.io/controller-instance-id with it, also beside Argo Rollouts',
  },
];
const logging: readonly Option[] = [
  { flags: '--loglevel <level>', description: 'debug, info, warn or error (default: info)' },
  { flags: '--logformat <format>', description: 'json or text (default: text on a terminal)' },
];
const folder = (fallback: string): Option => ({
  flags: '--data-dir <path>',
  description: `where the state is kept (default: ${fallback})`,
});
const embedded: readonly Option[] = [
  { flags: '--demo', description: 'make a demo repository and applications (default on a new data folder)' },
  { flags: '--no-demo', description: 'leave the embedded cluster empty' },
  {
    flags: '--cluster-only',
    description: 'start the embedded cluster alone; --port is then where it listens',
  },
  {
    flags: '--authorization <mode>',
    description: 'allow-all or rbac, on the embedded cluster (default: allow-all)',
  },
  {
    flags: '--tokens <file>',
    description: 'bearer tokens for the embedded cluster: token,user,uid,"groups"',
  },
  { flags: '--faults <file>', description: 'what is to go wrong in the embedded cluster' },
];

/** The names of the commands that start the program, or one role of it. */
export const roleNames: ReadonlySet<string> = new Set(['up', 'controller', 'server']);

/** The commands that start the program, or one role of it. */
export function rolesOf(ctx: Ctx, around: Around): Role[] {
  return [up(ctx, around), controller(ctx, around), server(ctx, around)];
}

function up(ctx: Ctx, { env, say }: Around): Role {
  return {
    name: 'up',
    description: 'start everything in one process: on the embedded cluster, or on that of a kubeconfig',
    options: [
      folder('.fairlead'),
      ...listening,
      ...cluster,
      ...rendering,
      ...reaching,
      ...measuring,
      ...taking,
      ...delivering,
      ...embedded,
    ],
    help: `
Try it:                    fairlead up
On a cluster of yours:     fairlead up --context staging
Start over:                rm -r .fairlead

The state of the embedded cluster is in the data folder; Ctrl-C and kill -9 lose nothing of it. On a cluster of
yours the state is in its objects, and of several processes one acts at a time.`,
    run: async (flags) => {
      const config = (await import('./config.ts')).readConfig(flags, env);
      // each loads only what it needs: a cluster alone is ready before the rest would be loaded
      if (config.embedded.alone) return (await import('./run-cluster.ts')).runCluster(ctx, config, say);
      return (await import('./run-up.ts')).runUp(ctx, config, say);
    },
  };
}

function controller(ctx: Ctx, around: Around): Role {
  return {
    name: 'controller',
    description:
      'start only what acts on applications, on a cluster; of several one acts, the others stand by',
    options: [
      ...cluster,
      folder('.fairlead/controller'),
      ...rendering,
      ...reaching,
      ...measuring,
      ...taking,
      ...delivering,
      ...logging,
    ],
    help: `
Without --kubeconfig and --context it works on the cluster of the pod it runs in, else on that of kubectl.
Replicas agree by the Lease fairlead-controller: one that stops hands over within seconds, one that dies is
replaced after 15 seconds. deploy/ has manifests with the rights it needs.`,
    run: (flags) =>
      start(ctx, around, { role: 'controller', flags }, async (inner, config) =>
        (await import('./run-role.ts')).runController(inner, config, around.say),
      ),
  };
}

function server(ctx: Ctx, around: Around): Role {
  return {
    name: 'server',
    description: 'start only the page, the API and the webhooks, on a cluster; any number of them',
    options: [
      ...cluster,
      folder('.fairlead/server'),
      ...listening,
      ...rendering,
      ...reaching,
      ...measuring,
      ...logging,
    ],
    help: `
Without --kubeconfig and --context it works on the cluster of the pod it runs in, else on that of kubectl.
It keeps nothing: what users request is written onto objects, and a controller (fairlead controller) acts on them.`,
    run: (flags) =>
      start(ctx, around, { role: 'server', flags }, async (inner, config) =>
        (await import('./run-role.ts')).runServer(inner, config, around.say),
      ),
  };
}

/** A role that runs unattended logs at level info by default. */
async function start(
  ctx: Ctx,
  { env, sink }: Around,
  { role, flags }: { readonly role: RoleName; readonly flags: Flags },
  run: (ctx: Ctx, config: Config) => Promise<void>,
): Promise<void> {
  const config = (await import('./config.ts')).readRoleConfig(role, flags, env);
  const level = String(flags.loglevel ?? env.FAIRLEAD_LOG_LEVEL ?? 'info');
  if (!['debug', 'info', 'warn', 'error'].includes(level))
    throw new FairleadError(
      'InvalidSpec',
      `--loglevel ${level} is not known: use debug, info, warn or error`,
    );
  const { createLogger } = await import('./logger.ts');
  const log = createLogger(
    { write: (line) => void sink.write(line) },
    { format: formatOf(flags, sink), level },
  );
  await run({ ...ctx, log }, config);
}

function formatOf({ logformat }: Flags, { isTTY }: Around['sink']): LogFormat {
  if (logformat === undefined) return isTTY ? 'pretty' : 'json';
  if (logformat === 'json') return 'json';
  if (logformat === 'text') return 'pretty';
  throw new FairleadError('InvalidSpec', `--logformat ${logformat} is not known: use json or text`);
}
