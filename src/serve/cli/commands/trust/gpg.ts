import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { gpgKeys, type SigningKey } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { facts, table } from '../../output/table.ts';

/** compat server §8.3: the keys that commits may be signed with. */
export function addKeys(gpg: Command, { io, open }: CliDeps): void {
  const add = gpg
    .command('add')
    .description('add the public keys of an armored file')
    .requiredOption('-f, --from <file>', 'the file')
    .option('--upsert', 'replace keys that are there')
    .action(async ({ from, upsert }: { from: string; upsert?: boolean }) => {
      const keyData = await readFile(from, 'utf8').catch((error: unknown) => {
        throw new ExitError(20, `--from ${from} cannot be read: ${(error as Error).message}`);
      });
      const { session } = await open();
      const { created, skipped } = await session.call(gpgKeys.create, {
        query: { upsert },
        body: { keyData },
      });
      const made = created.items ?? [];
      io.out(
        `Created ${made.length} key(s) from file ${from}: ${made.map(({ keyID }) => keyID).join(', ')}\n`,
      );
      if (skipped?.length)
        io.out(`Skipped ${skipped.length} key(s) that exist already: ${skipped.join(', ')}\n`);
    });
  examples(add, 'gpg --armor --export <id> > key.asc; fairlead gpg add --from key.asc');
  const list = gpg
    .command('list')
    .description('list the keys')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async ({ output }: { output: string }) => {
      const { session } = await open();
      const { items } = await session.call(gpgKeys.list);
      io.out(output === 'wide' ? keyTable(items) : printAs(output, items));
    });
  examples(list, 'fairlead gpg list');
  const get = gpg
    .command('get <id>')
    .description('show one key, with its armored text')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async (keyID: string, { output }: { output: string }) => {
      const { session } = await open();
      const key = await session.call(gpgKeys.get, { params: { keyID } });
      io.out(output === 'wide' ? keyFacts(key) : printAs(output, key));
    });
  examples(get, 'fairlead gpg get 4AEE18F83AFDEB23');
  const remove = gpg
    .command('rm <id>')
    .description('delete a key')
    .action(async (keyID: string) => {
      const { session } = await open();
      await session.call(gpgKeys.delete, { query: { keyID } });
      io.out(`Deleted key with key ID ${keyID}\n`);
    });
  examples(remove, 'fairlead gpg rm 4AEE18F83AFDEB23');
}

const keyTable = (items: readonly SigningKey[]): string =>
  table(
    ['KEYID', 'TYPE', 'IDENTITY'],
    items.map(({ keyID, subType, owner }) => [keyID, subType, owner]),
  );

const keyFacts = ({ keyID, fingerprint, subType, owner, trust, keyData = '' }: SigningKey): string =>
  `${facts([
    ['Key ID', keyID],
    ['Key fingerprint', fingerprint],
    ['Key subtype', subType],
    ['Key owner', owner],
    ['Key trust', trust],
  ])}Key data follows until EOF:\n${keyData}\n`;
