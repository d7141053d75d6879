import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isObject } from '#base/std';
import { shippedCheck } from './catalogue.ts';

const folder = new URL('./kinds/', import.meta.url);

/** Every `group/Kind` that a file in kinds/ has an entry for, as often as it is listed. */
async function listed(): Promise<string[]> {
  const modules = await Promise.all(
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => import(new URL(file, folder).href)),
  );
  const tables = modules.flatMap((module) => Object.values(module)).filter(isObject);
  return tables.flatMap((table) => Object.keys(table)).filter((key) => key.includes('/'));
}

const check = (apiVersion: string, kind: string) =>
  shippedCheck({ apiVersion, kind, metadata: { name: 'x' } });

test('every kind is listed once, and every table is in the catalogue', async () => {
  const kinds = await listed();
  expect(kinds.filter((kind, at) => kinds.indexOf(kind) !== at)).toEqual([]);
  const silent = kinds.filter((key) => {
    const [group, kind = ''] = key.split('/');
    return check(`${group}/v1`, kind) === undefined;
  });
  // the kinds of Knative that report nothing
  expect(silent.sort()).toEqual([
    'autoscaling.internal.knative.dev/Metric',
    'eventing.knative.dev/EventType',
  ]);
  expect(kinds.length).toBeGreaterThan(200);
});

test('the check of a kind comes before that of its group, and that before a family of groups (H-2)', () => {
  const family = check('ec2.aws.crossplane.io/v1', 'VPC');
  expect(family).toBeDefined();
  expect(check('s3.aws.crossplane.io/v1', 'Bucket')).not.toBe(family);
  expect(check('s3.aws.crossplane.io/v1', 'BucketPolicy')).toBe(family);
  expect(check('kro.run/v1alpha1', 'ResourceGraphDefinition')).not.toBe(check('kro.run/v1alpha1', 'WebApp'));
});

test('a family is a suffix after a dot: the bare group does not belong to it (H-2)', () => {
  expect(check('crossplane.io/v1', 'Thing')).toBeUndefined();
  expect(check('notcrossplane.io/v1', 'Thing')).toBeUndefined();
  expect(check('a.b.c.upbound.io/v1', 'Thing')).toBe(check('x.upbound.io/v1', 'Thing'));
  expect(check('x.cnrm.cloud.google.com/v1', 'Thing')).toBeDefined();
  expect(check('x.services.k8s.aws/v1', 'Thing')).toBeDefined();
});

test('a kind is no key of a prototype', () => {
  expect(check('v1', 'constructor')).toBeUndefined();
  expect(check('v1', '__proto__')).toBeUndefined();
});
