import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAll } from '#lang/yaml';
import { sshKeys } from '../../git-ssh-server.ts';
import { adminOnly, type RowTable, readersOnly } from './row.ts';

const keys = join(import.meta.dirname, '../../../src/sources/repositories/git/openpgp/testdata');
const [{ value }] = parseAll(readFileSync(join(keys, 'signed-ed.yaml'), 'utf8')) as unknown as [
  { value: { key: string } },
];
const id = '5339B47961DB5684';
const [certSubType = '', hostKey = ''] = sshKeys().public.split(' ');
const certData = Buffer.from(hostKey).toString('base64');
const host = { serverName: 'git.example.com', certType: 'ssh', certSubType, certData };

export const trustRows: RowTable = {
  'POST /api/v1/certificates': { path: '/api/v1/certificates', body: { items: [host] }, outcome: adminOnly },
  'GET /api/v1/certificates': { path: '/api/v1/certificates', outcome: readersOnly },
  'DELETE /api/v1/certificates': {
    path: '/api/v1/certificates?hostNamePattern=git.example.com',
    outcome: adminOnly,
  },
  'POST /api/v1/gpgkeys': { path: '/api/v1/gpgkeys', body: { keyData: value.key }, outcome: adminOnly },
  'GET /api/v1/gpgkeys': { path: '/api/v1/gpgkeys', outcome: readersOnly },
  'GET /api/v1/gpgkeys/:keyID': { path: `/api/v1/gpgkeys/${id}`, outcome: readersOnly },
  'DELETE /api/v1/gpgkeys': { path: `/api/v1/gpgkeys?keyID=${id}`, outcome: adminOnly },
};
