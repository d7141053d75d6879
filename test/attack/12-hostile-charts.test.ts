import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { createSources, type SourceRepository, type Sources } from '#sources/repositories';
import { temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';
import { type OciRegistry, ociRegistry } from '../oci-registry.ts';
import { type StaticServer, staticServer } from '../static-server.ts';
import { tarOf } from '../tar.ts';

// Attack 12, as far as charts and artifacts go: indexes and manifests without bound, archives that explode, answers that
// never end, that lie about what they are, and that lead from place to place.

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const limits = {
  indexBytes: 2_000_000,
  oddIndexBytes: 1_000_000,
  archiveBytes: 20_000_000,
  chartBytes: 10_000_000,
  artifactBytes: 10_000_000,
};
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repository: StaticServer;
let registry: OciRegistry;
let sources: Sources;
let answer: Answer;
let cacheDir: string;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  const first: Answer = (request, response) => answer(request, response);
  repository = await staticServer({ root: folder.path, first });
  registry = await ociRegistry({ first });
});
beforeEach(() => {
  run += 1;
  answer = () => false;
  cacheDir = join(folder.path, `cache-${run}`);
  // only where waiting is the attack is it worth cutting short: a busy machine must not look like a silent server
  const ms = /silent|nothing more|goes on(?! for ever after its end)/.test(
    expect.getState().currentTestName ?? '',
  )
    ? 1_500
    : 60_000;
  const reach = { loopback: true };
  sources = createSources({
    cacheDir,
    git: gitCommand(),
    reach,
    limits: { ...limits, requestMs: ms, downloadMs: ms },
  });
});
/** Whatever happened, nothing half-made lies on the disk. */
afterEach(async () => {
  await sources.close();
  const left = await readdir(join(cacheDir, 'archives')).catch(() => []);
  expect(left.filter((name) => name.startsWith('draft-'))).toEqual([]);
});
afterAll(async () => {
  await Promise.all([repository.close(), registry.close()]);
  await folder.remove();
});

/** Writes as long as anybody reads. */
function flood(response: ServerResponse, piece: string | Buffer, start = ''): true {
  response.writeHead(200);
  response.write(start);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
  return true;
}

/** Says a little, and then nothing more, without ever ending. */
function hang(response: ServerResponse, start = ''): true {
  response.writeHead(200);
  response.write(start);
  return true;
}

function send(response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}): true {
  response.writeHead(200, headers).end(body);
  return true;
}

const outcome = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'fine',
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );

const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);

/** Archives that are small to send and large to have. */
const bombs: readonly [what: string, bytes: () => Buffer, outcome: RegExp][] = [
  [
    'holds one file of 10 GB',
    () => gzipSync(tarOf([{ name: 'web/big', size: 8 ** 11 - 1 }])),
    /^LimitExceeded/,
  ],
  [
    'holds many files that add up',
    () =>
      gzipSync(tarOf(Array.from({ length: 20 }, (_, at) => ({ name: `web/${at}`, content: zeros(1e6) })))),
    /^LimitExceeded/,
  ],
  [
    'holds more than a hundred thousand files',
    () => gzipSync(tarOf(Array.from({ length: 100_001 }, (_, at) => ({ name: `web/${at}` })))),
    /^LimitExceeded/,
  ],
  ['is nothing but zeros, half a gigabyte of them', () => gzipSync(zeros(5e8), { level: 1 }), /^InvalidSpec/],
  [
    'goes on for ever after its end',
    () => gzipSync(Buffer.concat([tarOf([{ name: 'web/Chart.yaml' }]), zeros(3e8)]), { level: 1 }),
    /^fine/,
  ],
  ['is compressed twice', () => gzipSync(gzipSync(tarOf([{ name: 'web/a' }]))), /^InvalidSpec/],
];

describe('a chart repository', () => {
  const asked = (revision = '^1'): Promise<string> => {
    const at: SourceRepository = { url: repository.url, chart: 'web' };
    return outcome(
      sources.resolveRevision(ctx, at, revision).then(({ commit }) => sources.openTree(ctx, at, commit)),
    );
  };
  const index = (entry: string): string => `apiVersion: v1\nentries:\n  web:\n${entry}`;
  const ordinary = index('  - version: 1.0.0\n    urls: [web-1.0.0.tgz]\n');
  const archive =
    (archived: Answer): Answer =>
    (request, response) =>
      request.url?.endsWith('.tgz') ? archived(request, response) : send(response, ordinary);

  const hostile: readonly (readonly [what: string, answer: Answer, outcome: RegExp])[] = [
    ['never ends', (_, response) => flood(response, `# ${'x'.repeat(60_000)}\n`), /^LimitExceeded/],
    ['is one chart without end', (_, r) => flood(r, '  - version: 1.0.0\n', index('')), /^LimitExceeded/],
    ['is one line without end', (_, r) => flood(r, 'x'.repeat(60_000), 'entries: {web: ['), /^LimitExceeded/],
    ['falls silent', (_, response) => hang(response, 'apiVersion: v1\n'), /^Unavailable: .*took too long/],
    [
      'announces a terabyte',
      (_, r) => send(r, ordinary, { 'content-length': '1000000000000' }),
      /^Unavailable/,
    ],
    [
      'is sent compressed, and explodes',
      (_, r) => send(r, gzipSync(zeros(2e8)), { 'content-encoding': 'gzip' }),
      /^(InvalidSpec|RenderFailed|NotFound|Unavailable)/,
    ],
    [
      'is an alias bomb',
      (_, r) => {
        const rows = Array.from(
          { length: 30 },
          (_unused, at) => `    a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`,
        );
        return send(r, `entries:\n  web:\n  - version: 1.0.0\n    a0: &a0 [x]\n${rows.join('\n')}\n`);
      },
      /^(LimitExceeded|InvalidSpec|RenderFailed|NotFound)/,
    ],
    [
      'nests a hundred thousand deep',
      (_, r) => send(r, index(`  - version: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`)),
      /^(LimitExceeded|InvalidSpec|RenderFailed|NotFound)/,
    ],
    [
      'leads in circles',
      (_, r) => Boolean(r.writeHead(302, { location: '/index.yaml' }).end()),
      /^Unavailable/,
    ],
    [
      'leads to the metadata of the cloud',
      (_, r) => Boolean(r.writeHead(302, { location: 'http://169.254.169.254/index.yaml' }).end()),
      /^PermissionDenied/,
    ],
    [
      'keeps its archives where nobody may go',
      (_, r) => send(r, index('  - version: 1.0.0\n    urls: ["http://[fd00:ec2::254]/web.tgz"]\n')),
      /^PermissionDenied/,
    ],
    [
      'keeps its archives on this machine',
      (_, r) => send(r, index('  - version: 1.0.0\n    urls: ["file:///etc/passwd"]\n')),
      /^InvalidSpec/,
    ],
    ['has an archive without end', archive((_, r) => flood(r, zeros(65_536))), /^LimitExceeded/],
    ['has an archive that falls silent', archive((_, r) => hang(r, 'x')), /^Unavailable: .*took too long/],
    [
      'announces another archive than it sends',
      (request, r) =>
        request.url?.endsWith('.tgz')
          ? send(r, gzipSync(tarOf([{ name: 'web/Chart.yaml' }])))
          : send(r, index(`  - version: 1.0.0\n    digest: ${'0'.repeat(64)}\n    urls: [web-1.0.0.tgz]\n`)),
      /^PolicyFailed/,
    ],
    ...bombs.map(
      ([what, bytes, expected]) =>
        [`has an archive that ${what}`, archive((_, r) => send(r, bytes())), expected] as const,
    ),
  ];
  test.each(hostile)('that %s does no harm', async (_what, hostileAnswer, expected) => {
    answer = hostileAnswer;
    expect(await asked()).toMatch(expected);
    answer = archive((_, response) => send(response, gzipSync(tarOf([{ name: 'web/Chart.yaml' }]))));
    sources = createSources({ cacheDir: `${cacheDir}-after`, git: gitCommand(), reach: { loopback: true } });
    expect(await asked()).toBe('fine');
  });
});

describe('a registry', () => {
  const targz = 'application/vnd.oci.image.layer.v1.tar+gzip';
  const asked = (revision = '1.0.0'): Promise<string> => {
    const at: SourceRepository = { url: `oci://${registry.host}/web`, insecureOciForceHttp: true };
    return outcome(
      sources.resolveRevision(ctx, at, revision).then(({ commit }) => sources.openTree(ctx, at, commit)),
    );
  };
  const layer = (bytes: Buffer, more: object = {}): object => ({
    mediaType: targz,
    digest: sha256(bytes),
    size: bytes.length,
    ...more,
  });
  const put = (layers: readonly object[]): void => {
    registry.put('web', '1.0.0', { layers: [], manifest: { schemaVersion: 2, layers } });
  };
  const sound = gzipSync(tarOf([{ name: 'a.yaml', content: 'a: 1\n' }]));
  const blob =
    (given: Answer): Answer =>
    (request, r) =>
      request.url?.includes('/blobs/') ? given(request, r) : false;

  test.each<readonly [what: string, answer: Answer, outcome: RegExp]>([
    ['a manifest without end', (_, r) => flood(r, ' '.repeat(65_536), '{'), /^LimitExceeded/],
    ['a manifest that falls silent', (_, r) => hang(r, '{'), /^Unavailable: .*took too long/],
    ['a manifest of great depth', (_, r) => send(r, '['.repeat(1_000_000)), /^(InvalidSpec|LimitExceeded)/],
    [
      'a manifest of another digest',
      (_, r) => send(r, '{"layers":[]}', { 'docker-content-digest': `sha256:${'0'.repeat(64)}` }),
      /^PolicyFailed/,
    ],
    [
      'a circle',
      (request, r) => Boolean(r.writeHead(307, { location: request.url ?? '' }).end()),
      /^Unavailable/,
    ],
    [
      'the way to the metadata',
      (_, r) => Boolean(r.writeHead(307, { location: 'http://169.254.169.254/' }).end()),
      /^PermissionDenied/,
    ],
    [
      'a wish for credentials without end',
      (_, r) => Boolean(r.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()),
      /^Auth/,
    ],
    [
      'a token service without end',
      (request, r) =>
        request.url?.startsWith('/token')
          ? flood(r, ' '.repeat(65_536))
          : Boolean(
              r
                .writeHead(401, {
                  'www-authenticate': `Bearer realm="http://${registry.host}/token",service="x"`,
                })
                .end(),
            ),
      /^(LimitExceeded|Auth|Unavailable)/,
    ],
    [
      'a token service where nobody may go',
      (_, r) =>
        Boolean(
          r
            .writeHead(401, { 'www-authenticate': 'Bearer realm="http://169.254.169.254/t",service="x"' })
            .end(),
        ),
      /^PermissionDenied/,
    ],
  ])('that answers with %s does no harm', async (_what, hostileAnswer, expected) => {
    put([layer(sound)]);
    answer = hostileAnswer;
    expect(await asked()).toMatch(expected);
  });

  test.each<readonly [what: string, answer: Answer, outcome: RegExp]>([
    ['has no end', (_, r) => flood(r, ' '.repeat(65_536), '{"tags":['), /^LimitExceeded/],
    [
      'goes on and on',
      (request, r) => {
        const from = Number(new URL(request.url ?? '', 'http://x').searchParams.get('last') ?? 0);
        const tags = Array.from({ length: 5_000 }, (_unused, at) => `t${from + at}`);
        return send(r, JSON.stringify({ tags }), {
          link: `</v2/web/tags/list?last=${from + 5_000}>; rel="next"`,
        });
      },
      /^(LimitExceeded|Unavailable)/,
    ],
    [
      'goes on in empty pages',
      (request, r) => {
        const from = Number(new URL(request.url ?? '', 'http://x').searchParams.get('last') ?? 0);
        return send(r, '{"tags":[]}', { link: `</v2/web/tags/list?last=${from + 1}>; rel="next"` });
      },
      /^(LimitExceeded|Unavailable)/,
    ],
    [
      'goes on at another host',
      (_, r) => send(r, '{"tags":[]}', { link: '<http://192.0.2.1/>; rel="next"' }),
      /^PermissionDenied/,
    ],
  ])('whose list of tags %s does no harm', async (_what, hostileAnswer, expected) => {
    put([layer(sound)]);
    answer = (request, response) =>
      request.url?.includes('/tags/') ? hostileAnswer(request, response) : false;
    expect(await asked('^1.5')).toMatch(expected);
  });

  test.each<readonly [what: string, layer: object, answer: Answer, outcome: RegExp]>([
    ['more than it announced', layer(sound), blob((_, r) => flood(r, zeros(65_536))), /^LimitExceeded/],
    ['nothing more', layer(sound), blob((_, r) => hang(r)), /^Unavailable: .*took too long/],
    ['less than it announced', layer(sound), blob((_, r) => send(r, sound.subarray(0, 9))), /^PolicyFailed/],
    ['a terabyte, it says', layer(sound, { size: 1e12 }), () => false, /^LimitExceeded/],
    ['a size below nothing', layer(sound, { size: -1 }), () => false, /^InvalidSpec/],
    [
      'a digest that is a path',
      layer(sound, { digest: 'sha256:../../../etc/passwd' }),
      () => false,
      /^InvalidSpec/,
    ],
  ])('whose layer is %s does no harm', async (_what, announced, hostileAnswer, expected) => {
    put([announced]);
    answer = hostileAnswer;
    expect(await asked()).toMatch(expected);
  });

  test.each(bombs)('with a layer that %s does no harm', async (what, make, expected) => {
    const bytes = make();
    put([layer(bytes)]);
    answer = blob((_, response) => send(response, bytes));
    const isMerelyEmpty = /zeros/.test(what); // an artifact may be empty, a chart may not
    expect(await asked()).toMatch(isMerelyEmpty ? /^fine/ : expected);
  });
});
