import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  configKeyProblems,
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  maskedPrefix,
  pathSegmentProblems,
  portNameProblems,
} from './names.ts';

const checks = {
  label: dnsLabelProblems,
  subdomain: dnsSubdomainProblems,
  dns1035: dns1035LabelProblems,
  labelKey: labelKeyProblems,
  labelValue: labelValueProblems,
  configKey: configKeyProblems,
  portName: portNameProblems,
  segment: pathSegmentProblems,
};
type Case = [name: string, problems: Partial<Record<keyof typeof checks, string[]>>];
const cases: Case[] = JSON.parse(
  readFileSync(new URL('./testdata/names.json', import.meta.url), 'utf8'),
).cases;

test.each(Object.entries(checks))('%s finds what Kubernetes finds, in its words', (check, problems) => {
  for (const [name, wanted] of cases)
    expect(problems(name), name).toEqual(wanted[check as keyof typeof checks] ?? []);
});

test('the dash that closes a generateName will not be the last character', () => {
  expect(dnsSubdomainProblems(maskedPrefix('migrate-'))).toEqual([]);
  expect(maskedPrefix('-')).toBe('-');
  expect(maskedPrefix('web')).toBe('web');
});
