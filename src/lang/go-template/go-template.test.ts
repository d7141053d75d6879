import { createDecipheriv, createHmac, scryptSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { applicationSetFunctions, compileTemplate, type TemplateHost } from './index.ts';

// testdata/: the answers of Go's text/template (compat sources HT-3 to HT-14) with sprig 3.3.0 (4.6) and the functions of
// ApplicationSets (AST-3, AST-8), recorded by tools/oracles. random.json is a sample of npm run test:gotemplate.
type Case = [template: string, out: string | null, error?: string];
type Group = { data: unknown; options: string[]; cases: Case[] };

const folder = new URL('./testdata/', import.meta.url);

const functions = applicationSetFunctions;
/** Each key takes a tenth of a second. */
const keys = new Map<string, Uint8Array>();
const host: TemplateHost = {
  ciphers: {
    scrypt: (password, salt) => {
      const id = Buffer.concat([password, salt]).toString('hex');
      const key = keys.get(id) ?? scryptSync(password, salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 64 << 20 });
      keys.set(id, key);
      return key;
    },
    hmacSha256: (key, data) => createHmac('sha256', key).update(data).digest(),
    aes: (_way, { key, iv, data }) =>
      createDecipheriv('aes-256-cbc', key, iv).setAutoPadding(false).update(data),
  },
};

function ourAnswer({ data, options }: Group, template: string): (string | null)[] {
  try {
    return [compileTemplate('t', template, { options, functions, host }).execute(data)];
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return [null, error.message];
  }
}

for (const name of readdirSync(folder)) {
  const { groups }: { groups: Group[] } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  test(`Go's answers in ${name} are ours`, () => {
    const differing = groups.flatMap((group) =>
      group.cases.flatMap(([template, ...answer]) => {
        const ours = ourAnswer(group, template);
        return JSON.stringify(ours) === JSON.stringify(answer) ? [] : [{ template, ours, answer }];
      }),
    );
    expect(differing).toEqual([]);
  });
}
