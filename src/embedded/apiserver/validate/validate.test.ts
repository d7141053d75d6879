import { expect, test } from 'vitest';
import { cases } from '../../../../test/cases.ts';
import { talk } from '../../../../test/talk.ts';
import { ServedKinds } from '../kinds.ts';

/** Each case is an object to create, or one to create and one to replace it by, and what the cluster says to the last. */
type Verdict = { accepted: true } | { message: string };

const kinds = new ServedKinds();

test.each(cases<Verdict>(new URL('./testdata/', import.meta.url)))(
  '$name',
  async ({ input, expect: wanted }) => {
    const { post, put } = await talk();
    const [first, second] = input;
    const resource = kinds.findKind(first.apiVersion, first.kind);
    const root = first.apiVersion.includes('/') ? `/apis/${first.apiVersion}` : `/api/${first.apiVersion}`;
    const path = `${root}/${resource?.namespaced ? 'namespaces/default/' : ''}${resource?.plural}`;
    const made = await post(path, first);
    const last = second ? await put(`${path}/${second.metadata.name}`, second) : made;
    if (second) expect(made.status).toBe(201);
    if ('accepted' in wanted)
      expect([last.status, last.body.message]).toEqual([second ? 200 : 201, undefined]);
    else expect([last.status, last.body.message]).toEqual([422, wanted.message]);
  },
);
