import { expect, test } from 'vitest';
import { type KubeObject, repositoryFrom } from '#base/model';
import { writeAccess } from './commit.ts';
import type { TrafficDeps } from './traffic-deps.ts';

const data = (url: string) => ({ url: btoa(url), username: btoa('u'), password: btoa('for-reading') });
const secret = (url: string) =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop' }, data: data(url) }) as KubeObject;

/** What the settings declare: a repository that may be read with a password, and none to be written to. */
const deps = {
  writerOf: () => undefined,
  context: { repositoryOf: (url: string) => repositoryFrom(secret(url)) },
} as unknown as TrafficDeps;

test.each(['https://git.example/team/shop.git', 'ssh://git@git.example/team/shop.git'])(
  'decision 56: the credentials for reading %s are not used to push',
  (url) => {
    expect(() => writeAccess(deps, url, 'team')).toThrow('those for reading are not used to push');
  },
);

test.each(['file:///srv/shop', '/srv/shop'])(
  'decision 56: a folder of this machine, %s, is shared',
  (url) => {
    expect(writeAccess(deps, url, 'team')).toMatchObject({ repository: { url }, isShared: true });
  },
);
