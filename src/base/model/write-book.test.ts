import { expect, test } from 'vitest';
import { encodeBase64Text } from './base64.ts';
import type { KubeObject, SecretFields } from './kube-object.ts';
import { WriteBook } from './write-book.ts';

const secret = (
  name: string,
  type: string,
  data: Record<string, string>,
): KubeObject & Partial<SecretFields> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'argocd.argoproj.io/secret-type': type } },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encodeBase64Text(value)])),
});

const url = 'https://git.example/acme/shop';
const record = (name: string, data: Record<string, string>) =>
  secret(name, 'repository-write', { url, ...data });
const template = (name: string, data: Record<string, string>) => secret(name, 'repo-write-creds', data);
const password = (username: string) => ({ username, password: 'secret' });

const team = record('team', { project: 'team', ...password('team') });
const everyone = record('all', password('all'));
const org = template('org', { url: 'https://git.example/acme', ...password('org') });
const host = template('host', { url: 'https://git.example', ...password('host') });
const reading = [
  secret('read', 'repository', { url, ...password('reader') }),
  secret('read-creds', 'repo-creds', { url: 'https://git.example', ...password('reader') }),
];

type Row = {
  readonly what: string;
  readonly secrets: readonly KubeObject[];
  readonly project?: string;
  readonly at?: string;
  /** The user, and whether the credentials belong to no project; undefined: none are found. */
  readonly found: readonly [user: string | undefined, isShared: boolean] | undefined;
};

const rows: readonly Row[] = [
  { what: 'without any Secret nothing may push', secrets: [], found: undefined },
  { what: 'those for reading are never used to push', secrets: reading, found: undefined },
  { what: 'those of the project come first', secrets: [everyone, team], found: ['team', false] },
  { what: 'then those of no project', secrets: [everyone, team], project: 'other', found: ['all', true] },
  { what: 'those of another project are not used', secrets: [team], project: 'other', found: undefined },
  {
    what: 'the URL may be written in another way',
    secrets: [team],
    at: `${url}.git`,
    found: ['team', false],
  },
  { what: 'those of another repository are not used', secrets: [team], at: `${url}-2`, found: undefined },
  { what: 'no URL has none', secrets: [team, host], at: '', found: undefined },
  { what: 'a template alone belongs to no project', secrets: [host], found: ['host', true] },
  { what: 'the longest template is used', secrets: [host, org], found: ['org', true] },
  {
    what: 'a template does not complete a record that has credentials',
    secrets: [team, org],
    found: ['team', false],
  },
  {
    what: 'a record of the project that borrows from a template pushes with what belongs to no project',
    secrets: [record('bare', { project: 'team' }), org],
    found: ['org', true],
  },
  {
    what: 'a record without credentials or template pushes as nobody',
    secrets: [record('bare', { project: 'team' })],
    found: [undefined, false],
  },
  {
    what: 'a template that cannot be read is passed over',
    secrets: [{ ...org, data: { ...org.data, password: '%' } } as KubeObject, host],
    found: ['host', true],
  },
  {
    what: 'of two Secrets for one repository the first by name is used',
    secrets: [record('b', password('second')), record('a', password('first'))],
    found: ['first', true],
  },
];

test.each(rows)('$what (CRED-1, CRED-2)', ({ secrets, project = 'team', at = url, found }) => {
  const access = new WriteBook(secrets).find(at, project);
  expect(access && [access.repository.credentials?.username, access.isShared]).toEqual(found);
  if (access) expect(access.repository.url).toBe(at);
});
