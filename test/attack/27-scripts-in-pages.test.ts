import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { nodeOf, summarize } from '#engine';

// What users write into their objects is shown on pages: none of it may become a script there. How the UI shows it is tried
// beside it (ui/src); here is what leaves the engine, and what the pages allow.

const hostile = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example/x',
  'Docs|javascript:alert(1)',
];
const object = (kind: string, more: object): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    ...more,
    metadata: { name: 'x', ...(more as { metadata?: object }).metadata },
  }) as KubeObject;

test.each(hostile)('an annotation with %j is no link, of an object or of an application', (value) => {
  const annotations = { 'link.argocd.argoproj.io/x': value };
  expect(nodeOf(object('ConfigMap', { metadata: { annotations } })).networkingInfo).toBeUndefined();
  const app = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'a', annotations },
    spec: { destination: {} },
  } as Application;
  expect(summarize(app, { nodes: [], orphanedNodes: [] } as never).externalURLs ?? []).toEqual([]);
});

test('hosts of an Ingress are hosts, or they are no addresses', () => {
  const ingress = object('Ingress', {
    apiVersion: 'networking.k8s.io/v1',
    spec: { rules: [{ host: 'javascript:alert(1)//', http: { paths: [{ path: '/<script>' }] } }] },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  });
  for (const url of nodeOf(ingress).networkingInfo?.externalURLs ?? []) expect(url).toMatch(/^https?:\/\//);
});

test('the page holds no script of its own text, and none of the UI makes one of markup', () => {
  const page = readFileSync('ui/index.html', 'utf8');
  for (const [, attributes = '', text = ''] of page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)) {
    expect(attributes).toContain('src=');
    expect(text.trim()).toBe('');
  }
  expect(page).not.toMatch(/\son\w+=/);
  const sources = readdirSync('ui/src', { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
  );
  expect(sources.length).toBeGreaterThan(10);
  for (const file of sources) {
    const text = readFileSync(join('ui/src', file), 'utf8');
    expect({
      file,
      found: /dangerouslySetInnerHTML|\.innerHTML|document\.write|\beval\(/.test(text),
    }).toEqual({
      file,
      found: false,
    });
  }
});
