import { expect, test } from 'vitest';
import { printJson } from '#base/std';
import type { Send } from '#serve/api';
import { mayAnywhere } from './may-anywhere.ts';

/** A server with some projects that permits one object. */
function server(count: number, permitted: string) {
  const requests: string[] = [];
  const send: Send = async ({ path }) => {
    const name = decodeURIComponent(path.split('?')[0] ?? '');
    requests.push(name);
    const items = Array.from({ length: count }, (_, at) => ({ metadata: { name: `p${at}` } }));
    const value = name.endsWith(`/create/${permitted}`) ? 'yes' : 'no';
    const text = printJson(name.endsWith('/projects') ? { items } : { value });
    return { status: 200, text: async () => text, async *lines() {} };
  };
  return { requests, send };
}

test.each([
  { count: 500, permitted: '*', may: true, requests: 1 },
  { count: 5, permitted: 'p3/*', may: true, requests: 7 },
  { count: 5, permitted: 'none', may: false, requests: 7 },
  { count: 500, permitted: 'p400/*', may: undefined, requests: 22 },
])('with $count projects, $permitted permitted: $may after $requests requests', async (one) => {
  const { requests, send } = server(one.count, one.permitted);
  const right = { resource: 'applications', action: 'create' };
  expect(await mayAnywhere(send, right, new AbortController().signal)).toBe(one.may);
  expect(requests).toHaveLength(one.requests);
});
