import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { issueCertificates } from '../certificates.ts';
import { sshKeys } from '../git-ssh-server.ts';
import { forget } from './fairlead.ts';
import { play, type RestCase } from './rest-cases.ts';
import { startTenants, type Tenants } from './tenants.ts';

// Host keys, certificates and signing keys through REST (server §1.8, §2.8).

let tenants: Tenants;
let authority: string;
beforeAll(async () => {
  tenants = await startTenants();
  ({ authority } = await issueCertificates(['git.example.com']));
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const armoredKey = (name: string): string => {
  const at = join(import.meta.dirname, '../../src/sources/repositories/git/openpgp/testdata', `${name}.yaml`);
  const [document] = parseAll(readFileSync(at, 'utf8'));
  return (document as unknown as { value: { key: string } }).value.key;
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const keyOf = (): { type: string; key: string } => {
  const [type = '', key = ''] = sshKeys().public.split(' ');
  return { type, key };
};
const [first, second] = [keyOf(), keyOf()];
const at = '/api/v1/certificates';
const ssh = ({ type, key }: { type: string; key: string }, serverName = 'git.example.com') => ({
  items: [{ serverName, certType: 'ssh', certSubType: type, certData: base64(key) }],
});
const tls = (serverName = 'git.example.com', text = authority) => ({
  items: [{ serverName, certType: 'https', certData: base64(text) }],
});
const ofHost = `${at}?hostNamePattern=git.example.com`;
const keys = '/api/v1/gpgkeys';
const id = '5339B47961DB5684';

const cases: (() => RestCase)[] = [
  () => ({
    about: 'the keys of well-known hosts are there',
    ask: `GET ${at}?certType=ssh&hostNamePattern=github.com&certSubType=ssh-ed25519`,
    as: 'reader',
    status: 200,
    answer: { items: [{ certInfo: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU' }] },
  }),
  () => ({
    about: 'a body of another form',
    ask: `POST ${at}`,
    body: { items: 7 },
    status: 400,
    answer: 'items',
  }),
  () => ({
    about: 'data that is no key',
    ask: `POST ${at}`,
    body: ssh({ type: first.type, key: 'eA==' }),
    status: 400,
    answer: 'is no key of type',
  }),
  () => ({
    about: 'a host with a line end in it',
    ask: `POST ${at}`,
    body: ssh(first, 'git.example.com\n* x y'),
    status: 400,
    answer: 'is no host',
  }),
  () => ({
    about: 'data that is no certificate',
    ask: `POST ${at}`,
    body: tls('x', 'nothing'),
    status: 400,
    answer: 'has 0 PEM',
  }),
  () => ({
    about: 'a name that leads out',
    ask: `POST ${at}`,
    body: tls('../x'),
    status: 400,
    answer: 'is no host',
  }),
  () => ({ about: 'a reader adds nothing', as: 'reader', ask: `POST ${at}`, body: ssh(first), status: 403 }),
  () => ({ about: 'a host key', ask: `POST ${at}`, body: ssh(first), status: 200 }),
  () => ({ about: 'the same again', ask: `POST ${at}`, body: ssh(first), status: 200 }),
  () => ({
    about: 'another key of the host needs upsert',
    ask: `POST ${at}`,
    body: ssh(second),
    status: 400,
    answer: 'already exist and upsert was not specified',
  }),
  () => ({ about: 'and is replaced with it', ask: `POST ${at}?upsert=true`, body: ssh(second), status: 200 }),
  () => ({
    about: 'a certificate',
    ask: `POST ${at}`,
    body: tls(),
    status: 200,
    answer: { items: [{ certType: 'https', certSubType: expect.stringMatching(/^(rsa|ecdsa)$/) }] },
  }),
  () => ({
    about: 'both are listed, one of each kind',
    ask: `GET ${ofHost}`,
    status: 200,
    answer: { items: [{ certType: 'ssh', certSubType: second.type }, { certType: 'https' }] },
  }),
  () => ({
    about: 'a deletion names the hosts',
    ask: `DELETE ${at}`,
    status: 400,
    answer: 'hostNamePattern is missing',
  }),
  () => ({
    about: 'one kind is deleted',
    ask: `DELETE ${ofHost}&certType=https`,
    status: 200,
    answer: { items: [{ certType: 'https' }] },
  }),
  () => ({
    about: 'the other stays',
    ask: `GET ${ofHost}`,
    status: 200,
    answer: { items: [{ certType: 'ssh' }] },
  }),
  () => ({ about: 'and is deleted', ask: `DELETE ${ofHost}`, status: 200 }),
  () => ({ about: 'no keys yet', ask: `GET ${keys}`, as: 'reader', status: 200, answer: { items: [] } }),
  () => ({ about: 'an empty text', ask: `POST ${keys}`, body: {}, status: 400, answer: 'empty' }),
  () => ({
    about: 'a text without a key',
    ask: `POST ${keys}`,
    body: { keyData: 'x' },
    status: 400,
    answer: 'no armored public key',
  }),
  () => ({
    about: 'a key that verifies nothing',
    ask: `POST ${keys}`,
    body: { keyData: armoredKey('unknown-dsa') },
    status: 400,
    answer: 'the key cannot be used',
  }),
  () => ({
    about: 'two keys of one text',
    ask: `POST ${keys}`,
    body: { keyData: armoredKey('signed-ed') + armoredKey('signed-rsa') },
    status: 200,
    answer: {
      created: {
        items: [
          {
            keyID: id,
            owner: 'ed <ed@example.com>',
            subType: 'ed25519',
            fingerprint: expect.stringMatching(/^[0-9A-F]{40}$/),
          },
          { subType: expect.stringMatching(/^rsa\d{4}$/) },
        ],
      },
      skipped: [],
    },
  }),
  () => ({
    about: 'one that is there is skipped',
    ask: `POST ${keys}`,
    body: { keyData: armoredKey('signed-ed') },
    status: 200,
    answer: { created: { items: [] }, skipped: [id] },
  }),
  () => ({
    about: 'a key with its text',
    as: 'reader',
    ask: `GET ${keys}/${id}`,
    status: 200,
    answer: { keyID: id, keyData: expect.stringContaining('BEGIN PGP PUBLIC KEY BLOCK') },
  }),
  () => ({ about: 'an id that is none', ask: `GET ${keys}/hello`, status: 400, answer: 'is no key' }),
  () => ({ about: 'a key is deleted', ask: `DELETE ${keys}?keyID=${id}`, status: 200 }),
  () => ({ about: 'it is gone', ask: `GET ${keys}/${id}`, status: 404, answer: `no key ${id}` }),
  () => ({ about: 'and cannot be deleted again', ask: `DELETE ${keys}?keyID=${id}`, status: 404 }),
];

test.each(cases.map((make, index) => [index, make] as const))('case %i of the table', async (_at, make) => {
  const { about, ...rest } = make();
  await play(tenants, { about, ...rest }).catch((error: Error) => {
    throw new Error(`${about}: ${error.message}`, { cause: error });
  });
});

test('the list of hosts is otherwise as it was', async () => {
  const { stdout } = await tenants.fairlead.kubectl(
    ...['-n', 'argocd', 'get', 'cm', 'argocd-ssh-known-hosts-cm', '-o', 'jsonpath={.data.ssh_known_hosts}'],
  );
  const shipped = readFileSync(join(import.meta.dirname, '../../deploy/ssh-known-hosts'), 'utf8');
  expect(stdout.trim()).toBe(shipped.trim());
});
