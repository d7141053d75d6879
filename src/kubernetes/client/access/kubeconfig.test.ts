import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { cases } from '../../../../test/cases.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { inClusterAccess } from './in-cluster.ts';
import { loadKubeconfig, resolveKubeconfig } from './kubeconfig.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
type Expected = { access: ClusterAccess } | { error: { code: string; message: string } };

test.each(cases<Expected>(new URL('./testdata/', import.meta.url)))(
  '$name',
  ({ input: [first, ...documents], expect: wanted }) => {
    const files = documents.map((document, index) => ({
      text: JSON.stringify(document),
      dir: `/folder-${index + 1}`,
      name: 'config',
    }));
    const resolve = (): ClusterAccess => resolveKubeconfig(files, first.choose);
    if ('access' in wanted) expect(resolve()).toEqual(wanted.access);
    else expect(resolve).toThrow(expect.objectContaining(wanted.error));
  },
);

test('reads the files that exist, and says where a broken one is broken without quoting it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-kubeconfig-'));
  try {
    const [good, bad, absent] = ['good', 'bad', 'absent'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(good, 'clusters: [{ name: c, cluster: { server: https://c } }]');
    await writeFile(bad, 'users:\n- name: u\n  user: {token: "hunter2\n');
    expect(await loadKubeconfig(ctx, { files: [absent, good], cluster: 'c' })).toMatchObject({
      server: 'https://c',
    });

    await expect(loadKubeconfig(ctx, { files: [absent] })).rejects.toMatchObject({ code: 'NotFound' });
    const failure: Error = await loadKubeconfig(ctx, { files: [good, bad], cluster: 'c' }).catch(
      (error) => error,
    );
    expect(failure.message).toMatch(/^kubeconfig bad: yaml document 1, line \d/);
    expect(JSON.stringify([failure.message, failure.stack, failure.cause])).not.toContain('hunter2');
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('a pod uses its service account, at an address of either family', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-pod-'));
  try {
    await expect(inClusterAccess(ctx, { dir, host: '10.0.0.1', port: '443' })).rejects.toMatchObject({
      code: 'NotFound',
    });
    await writeFile(join(dir, 'namespace'), 'argocd\n');
    const access = await inClusterAccess(ctx, { dir, host: 'fd00::1', port: '443' });
    expect(access).toEqual({
      server: 'https://[fd00::1]:443',
      namespace: 'argocd',
      tls: { ca: { file: join(dir, 'ca.crt') } },
      user: { tokenFile: join(dir, 'token') },
    });
    await expect(inClusterAccess(ctx, { dir, host: '', port: '' })).rejects.toThrow(
      'not running in a cluster',
    );
  } finally {
    await rm(dir, { recursive: true });
  }
});
