import { expect } from 'vitest';
import { undocumentedIn } from './documented.ts';
import type { Actor, Tenants } from './tenants.ts';

/** One request and what is answered; cases of a list run in order, on one program. */
export type RestCase = {
  readonly about: string;
  /** The administrator when left out. */
  readonly as?: Actor;
  /** Method and path. */
  readonly ask: string;
  readonly body?: unknown;
  readonly status: number;
  /** What the answer contains, as `toMatchObject` compares; a text: what its message contains. */
  readonly answer?: object | string;
};

/**
 * Sends the request and compares; errors must have the envelope of server §2.4, anything else the schema of its document. Returns
 * the answer.
 */
export async function play(tenants: Tenants, { as = 'admin', ask, body, status, answer }: RestCase) {
  const [method = '', path = ''] = ask.split(' ');
  const response = await tenants.ask(as, method, path, body);
  const text = await response.text();
  expect([response.status, response.status === status ? '' : text]).toEqual([status, '']);
  const value = JSON.parse(text) as Record<string, unknown>;
  if (status >= 400)
    expect(value).toEqual({ error: value.message, code: expect.any(Number), message: expect.any(String) });
  else expect(undocumentedIn(method, path, text)).toEqual([]);
  if (typeof answer === 'string') expect(value.message).toContain(answer);
  else if (answer) expect(value).toMatchObject(answer);
  return value;
}
