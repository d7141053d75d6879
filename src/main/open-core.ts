import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBase64Text } from '#base/model';
import { type Ctx, FairleadError, runAll } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { OpenCore } from '#serve/cli';
import type { Env } from './choose-cluster.ts';
import { readRoleConfig } from './config.ts';
import { measured, onCluster } from './run-role.ts';

/** Long enough for any command, short enough that a leaked one is worth little. */
const validSeconds = 3600;

/**
 * The API in this process, on the cluster of a kubeconfig, for `--core` and the dashboard: it listens on this machine only and
 * ends with the command. Its token is signed with the key of the control plane, which the user of the kubeconfig must be
 * able to read; the cluster refuses it to any other user.
 */
export function openCore(ctx: Ctx, env: Env): OpenCore {
  return async ({ port = '0', host = '127.0.0.1', namespace = 'argocd', ...flags }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-core-'));
    const over = new AbortController();
    const inner = { ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) };
    const config = readRoleConfig('server', { ...flags, port, host, namespace, dataDir }, env);
    let ended: Promise<void> = Promise.resolve();
    const close = async (): Promise<void> => {
      over.abort();
      await ended.catch(() => {});
      await rm(dataDir, { recursive: true, force: true });
    };
    const ready = new Promise<{ url: string; token: string }>((resolve, reject) => {
      ended = onCluster(inner, config, async (deeper, plane, { kube, cluster }) => {
        const token = await tokenOf(deeper, kube, namespace);
        const { openServer } = await import('./open-server.ts');
        const served = { ...plane, failure: cluster.failure };
        const { url, run } = await openServer(deeper, config, served);
        const announce = async (): Promise<void> => {
          await plane.caches.whenSynced(deeper);
          resolve({ url, token });
        };
        await runAll(deeper, [...(await measured(deeper, config, served)), plane.forward, run, announce]);
      });
      ended.catch(reject);
    });
    try {
      return { ...(await ready), close };
    } catch (error) {
      await close();
      throw error;
    }
  };
}

/** A session of the account admin, signed as the server signs it. */
async function tokenOf(ctx: Ctx, kube: KubeClient, namespace: string): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-secret' };
  const secret = (await kube.find(ctx, ref)) as { data?: Record<string, string> } | undefined;
  const key = secret?.data?.['server.secretkey'];
  if (!key)
    throw new FairleadError(
      'NotFound',
      `--core: namespace ${namespace} has no argocd-secret with server.secretkey: is a control plane installed there? Name its namespace with --controller-namespace`,
    );
  const now = Math.floor(ctx.clock.now().getTime() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: 'argocd',
    sub: 'admin:login',
    iat: now,
    nbf: now,
    exp: now + validSeconds,
    jti: randomUUID(),
  };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = createHmac('sha256', decodeBase64Text(key)).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}
