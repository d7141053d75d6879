import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checks } from '#engine/doctor';
import { parseAll } from '#lang/yaml';
import { temporaryFolder } from '../git-repository.ts';

// `fairlead doctor` as a user runs it: the built program, a repository, and no cluster anywhere.
const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
const seeds = join(import.meta.dirname, '../seeds/testdata');

let folder: { path: string; remove(): Promise<void> };
const write = async (path: string, text: string): Promise<void> => {
  const at = join(folder.path, path);
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, text);
};

const service = `apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  name: product-import
spec:
  template:
    spec:
      containers:
        - name: app
          image: ghcr.io/acme/product-import:v1 # replaced by the overlays
          ports: [{containerPort: 8000}]
          startupProbe:
            httpGet:
              path: /healthz # no port
            failureThreshold: 60
          readinessProbe:
            httpGet: {path: /healthz}
          resources:
            requests: {cpu: 1000m, memory: 512Mi}   # one core
`;

beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, '.git'));
  await write(
    'apps/base/kustomization.yaml',
    'resources: [service.yaml]\ncommonLabels: {app: product-import}\n',
  );
  await write('apps/base/service.yaml', service);
  await write('apps/staging/kustomization.yaml', 'resources: [../base]\nnamePrefix: st-\n');
  await write(
    'apps/production/kustomization.yaml',
    'resources: [../base]\nimages:\n  - name: ghcr.io/acme/product-import\n    newTag: latest\n',
  );
  await write('broken/kustomization.yaml', 'resources: [missing.yaml]\n');
  await write('chart/Chart.yaml', 'apiVersion: v2\nname: chart\nversion: 0.1.0\n');
  await write('chart/templates/x.yaml', 'apiVersion: {{ }}\n');
  await symlink('/etc', join(folder.path, 'apps/outside'));
});
afterAll(() => folder.remove());

const doctor = (...words: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder.path,
      XDG_CACHE_HOME: join(folder.path, '.cache'),
    };
    execFile(
      process.execPath,
      [program, 'doctor', ...words],
      { cwd: folder.path, env },
      (error, out, err) => {
        resolve({ code: error ? Number(error.code) : 0, out, err });
      },
    );
  });

type Row = { id: string; severity: string; file: string; line: number; isFixable: boolean };
const rows = (out: string): string[] =>
  (JSON.parse(out) as { findings: Row[] }).findings.map(({ id, file, line }) => `${id} ${file}:${line}`);

describe('on a repository', () => {
  test('what overlays render is reported where it is written', async () => {
    const { code, out } = await doctor('-o', 'json');
    expect(code).toBe(1);
    expect(rows(out)).toEqual([
      'kustomization-unbuilt broken/kustomization.yaml:1',
      'knative-probe-port apps/base/service.yaml:13',
      'knative-selector apps/base/kustomization.yaml:2',
      'quantity-form apps/base/service.yaml:19',
      'image-moving-tag apps/production/kustomization.yaml:2',
    ]);
    expect(JSON.parse(out).remarks).toEqual([
      'the chart chart was not rendered: fairlead render chart | fairlead doctor -',
      '1 symbolic link was not followed',
    ]);
  });

  test('the text says why, how to fix it, and ends with a count', async () => {
    const { code, out } = await doctor('apps', '--severity', 'error');
    expect(code).toBe(1);
    expect(out).toContain('error  a probe names no port where Knative needs one  knative-probe-port\n');
    expect(out).toContain('  apps/base/service.yaml:13  the startupProbe of container app names no port');
    expect(out).toMatch(/^4 files, 2 objects: 2 errors \(\d+ below the threshold/m);
  });

  test('SARIF has rules, places and fixes', async () => {
    const { out } = await doctor('apps', '-o', 'sarif');
    const { version, runs } = JSON.parse(out);
    expect([version, runs.length]).toEqual(['2.1.0', 1]);
    const { tool, results } = runs[0];
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(checks.map(({ id }) => id));
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).toMatch(/^[A-Z].*\.$/s);
      const [{ physicalLocation }] = locations;
      expect(physicalLocation.artifactLocation).toEqual({
        uri: expect.stringMatching(/^apps\//),
        uriBaseId: 'SRCROOT',
      });
      expect(physicalLocation.region.startLine).toBeGreaterThan(0);
      expect(physicalLocation.region.startColumn).toBeGreaterThan(0);
    }
    const probe = results.find(({ ruleId }: { ruleId: string }) => ruleId === 'knative-probe-port');
    expect(probe.fixes[0].artifactChanges).toEqual([
      {
        artifactLocation: { uri: 'apps/base/service.yaml', uriBaseId: 'SRCROOT' },
        replacements: [
          {
            deletedRegion: { startLine: 14, startColumn: 39, endLine: 14, endColumn: 39 },
            insertedContent: { text: '\n              port: 8000' },
          },
        ],
      },
    ]);
  });

  test('--fix --dry-run prints the difference; --fix writes it, and nothing else', async () => {
    const at = join(folder.path, 'apps/base/service.yaml');
    const shown = await doctor('apps', '--fix', '--dry-run');
    expect(shown.out).toContain('+              port: 8000\n');
    expect(await readFile(at, 'utf8')).toBe(service);
    const written = await doctor('apps', '--fix');
    expect(written.out).toContain('fixed 2 findings in apps/base/service.yaml\n');
    const fixed = service
      .replace('path: /healthz # no port', 'path: /healthz # no port\n              port: 8000')
      .replace('cpu: 1000m', 'cpu: "1"');
    expect(await readFile(at, 'utf8')).toBe(fixed);
    const [before, after] = [service, fixed].map((text) => JSON.stringify(parseAll(text)[0]?.value));
    expect(after).toBe(
      before?.replace('"/healthz"},"failure', '"/healthz","port":8000},"failure').replace('1000m', '1'),
    );
    const again = await doctor('apps', '-o', 'json');
    expect(rows(again.out)).toEqual([
      'knative-selector apps/base/kustomization.yaml:2',
      'image-moving-tag apps/production/kustomization.yaml:2',
    ]);
  });

  test('nothing found ends with 0, a failure with 20, a wrong flag too', async () => {
    expect(await doctor('apps', '--severity', 'error', '--ignore', 'knative-selector')).toMatchObject({
      code: 0,
      err: '',
    });
    const missing = await doctor('nowhere');
    expect(missing).toMatchObject({ code: 20, err: expect.stringContaining('there is nothing at nowhere') });
    expect((await doctor('--ignore', 'no-such')).err).toContain('--ignore no-such: there is no such check');
    expect((await doctor('--severity', 'high')).code).toBe(20);
    expect((await doctor('--dry-run')).code).toBe(20);
  });
});

describe("on the users' own documents", () => {
  test('the mistakes that they contain are found', async () => {
    const { code, out } = await doctor(seeds, '-o', 'json', '--severity', 'warning');
    expect(code).toBe(1);
    const found = new Set((JSON.parse(out) as { findings: Row[] }).findings.map(({ id }) => id));
    for (const id of [
      'argo-group-misspelt',
      'app-invalid',
      'app-default-project',
      'app-literal-variable',
      'image-moving-tag',
      'plain-secret',
    ])
      expect(found, id).toContain(id);
  });

  test('every finding that can be fixed is gone after the fix', async () => {
    const copy = join(folder.path, 'seeds');
    await new Promise((resolve) => execFile('cp', ['-r', seeds, copy], resolve));
    await doctor('seeds', '--fix', '--severity', 'note');
    const { out } = await doctor('seeds', '-o', 'json', '--severity', 'note');
    expect((JSON.parse(out) as { findings: Row[] }).findings.filter(({ isFixable }) => isFixable)).toEqual(
      [],
    );
  });
});
