import { tmpdir } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type Child, open } from './child.ts';

const stop = new AbortController();
const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
afterAll(() => stop.abort());

const start = (script: string, inner: Ctx = ctx): Promise<Child> =>
  open(inner, { program: '/bin/sh', args: ['-c', script], cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' } });

const decode = (chunk: Uint8Array | undefined): string => new TextDecoder().decode(chunk);

test('talks back and forth with a program, then lets it leave', async () => {
  const child = await start('while read -r line; do echo "got $line"; done; echo bye; exit 4');
  const replies = child.stdout[Symbol.asyncIterator]();
  for (const word of ['one', 'two']) {
    await child.write(`${word}\n`);
    expect(decode((await replies.next()).value)).toBe(`got ${word}\n`);
  }
  expect(await child.close()).toEqual({ code: 4 });
  expect(decode((await replies.next()).value)).toBe('bye\n');
  expect((await replies.next()).done).toBe(true);
});

test('the writer waits for a program that is slow to read', async () => {
  const child = await start('read -r go < /dev/null; exec cat');
  const sent = 3_000_000;
  const writing = child.write('y'.repeat(sent)).then(() => child.close());
  let received = 0;
  for await (const chunk of child.stdout) received += chunk.length;
  await writing;
  expect(received).toBe(sent);
});

test('writing to a program that has left is an error, not a crash', async () => {
  const child = await start('echo why >&2; exit 1');
  expect(await child.exited).toEqual({ code: 1 });
  await expect(child.write('x'.repeat(200_000)).then(() => child.write('more'))).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'sh has ended and takes no more input',
  });
  expect(child.stderr()).toBe('why\n');
});

test('kill ends the program and its output, and may be repeated', async () => {
  const child = await start('echo ready; sleep 71; sleep 72');
  const chunks: string[] = [];
  for await (const chunk of child.stdout) {
    chunks.push(decode(chunk));
    await child.kill();
    await child.kill();
  }
  expect(chunks).toEqual(['ready\n']);
  expect((await child.exited).code).toBe(143);
});

test('a program ends with its ctx', async () => {
  const mine = new AbortController();
  const child = await start('exec sleep 73', { ...ctx, signal: mine.signal });
  mine.abort(new Error('shutting down'));
  expect((await child.exited).code).toBe(143);
  await expect(child.write('x')).rejects.toThrow('shutting down');
});
