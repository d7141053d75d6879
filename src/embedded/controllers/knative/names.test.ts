import { expect, test } from 'vitest';
import { childName, deploymentName, revisionName } from './names.ts';

test('children are called after their parents', () => {
  expect(revisionName('hello', 1)).toBe('hello-00001');
  expect(revisionName('hello', 123456)).toBe('hello-123456');
  expect(deploymentName('hello-00001')).toBe('hello-00001-deployment');
});

test('a name that would be too long ends in a hash and its suffix, and fits', () => {
  const long = 'a'.repeat(60);
  expect(childName(long, '-deployment')).toMatch(/^a{20}[0-9a-f]{32}-deployment$/);
  expect(childName(long, '-deployment')).toHaveLength(63);
  expect(childName(long, 'x'.repeat(40))).toHaveLength(63);
});
