import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManifests, type Manifests } from '#sources/manifests';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 9: templates that never end, multiply without end or call themselves.

let the: ManifestsFixture;
/** With a deadline, and with one so late that the other limits decide also on a busy machine. */
let bounded: Manifests;
let lateDeadline: Manifests;
beforeAll(async () => {
  the = await manifestsFixture();
  const tools = { searchPath: '', cacheDir: join(the.helm.command, '../..') };
  const limits = { ms: 3_000, outputBytes: 1_000_000, memoryMb: 512, parallel: 2 };
  const make = (name: string, ms: number) =>
    createManifests({
      cacheDir: join(the.folder, name),
      sources: the.sources,
      tools,
      limits: { ...limits, ms },
    });
  bounded = make('bounded', 3_000);
  lateDeadline = make('late-deadline', 60_000);
});
afterAll(() => the.close());

async function rendering(template: string, manifests: Manifests) {
  await the.repo.commit({
    chart: undefined,
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/values.yaml': 'me: "{{ tpl .Values.me . }}"\n',
    'chart/templates/x.yaml': template,
  });
  return manifests.generate(the.ctx, the.request({ path: 'chart' })).then(
    () => 'rendered',
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );
}

test.each([
  [
    'a loop without end',
    '{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}',
    /^LimitExceeded: `helm template chart` was stopped: it ran longer than 3000 ms/,
  ],
  [
    'a list without end',
    'a: {{ until 1000000000 | len }}',
    /^LimitExceeded: `helm template chart` needs more than 512 MB/,
  ],
  [
    'a text without end',
    'a: {{ repeat 1000000000 "abc" | len }}',
    /^LimitExceeded: `helm template chart` needs more than 512 MB/,
  ],
  [
    'an output without end',
    '{{ range until 200000 }}a: bbbbbbbbbbbbbbbbbb\n{{ end }}',
    /^LimitExceeded: `helm template chart` was stopped: it wrote more than 1000000 bytes/,
  ],
  [
    'a template that calls itself',
    '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
    /^RenderFailed: .*recurs|^RenderFailed: .*nested/s,
  ],
  ['a text that is a template of itself', '{{ tpl .Values.me . }}', /^(RenderFailed|LimitExceeded): /],
  [
    'certificates without end',
    '{{ range until 100000 }}{{ $ca := genCA "x" 1 }}{{ $c := genSignedCert "x" nil nil 1 $ca }}{{ end }}',
    /^LimitExceeded: `helm template chart` was stopped: it ran longer than 3000 ms/,
  ],
  [
    'a template that reads the environment',
    'a: {{ env "HOME" }}',
    /^RenderFailed: .*function "env" not defined/s,
  ],
  [
    'a regular expression made to backtrack',
    'a: {{ regexMatch "^(a+)+$" (print (repeat 50 "a") "b") }}',
    /^RenderFailed|rendered/,
  ],
])('%s ends, and is told', async (_what, template, expected) => {
  const isTimed = expected.source.includes('3000 ms');
  expect(await rendering(template, isTimed ? bounded : lateDeadline)).toMatch(expected);
});

test('meanwhile and afterwards others render', async () => {
  await the.repo.commit({ 'plain/x.yaml': configMap('x') });
  const { objects } = await bounded.generate(the.ctx, the.request({ path: 'plain' }));
  expect(objects).toHaveLength(1);
});
