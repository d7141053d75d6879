import { defaultSettings, type KubeObject, parseSettings } from '#base/model';
import type { Ctx } from '#base/std';
import { isLoopback } from '#platform/http';
import { listenerOptionsOf, type ServerDeps } from '#serve/server';
import type { Config } from './config.ts';
import type { SharedCaches } from './shared-caches.ts';

type Known = Pick<SharedCaches, 'kube' | 'settings' | 'secrets'>;
type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * How the port is served, from the flags and the settings of each moment. The port opens before the watch has delivered the
 * settings, so the ones that decide about it are read once here.
 */
export async function openListener(
  ctx: Ctx,
  config: Config,
  { kube, settings, secrets }: Known,
): Promise<ServerDeps['listener']> {
  const { host, namespace, listener: flags } = config;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cmd-params-cm' };
  const params = ((await kube.find(ctx, ref)) as ConfigMap | undefined)?.data ?? {};
  const first = parseSettings({ cm: {}, params }, () => undefined);
  const current = () => (settings.current === defaultSettings ? first : settings.current);
  return {
    kube,
    namespace,
    secret: secrets,
    options: () => listenerOptionsOf({ flags, isLoopback: isLoopback(host), server: current().server }),
    changes: (inner) => settings.changes(inner),
  };
}
