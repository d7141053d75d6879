import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { promptOn } from './prompt.ts';

type Ended = { readonly isTTY?: boolean; readonly isEnded?: boolean };

/** A prompt whose input begins with a text, and what was written. */
function promptWith(text: string, { isTTY = false, isEnded = true }: Ended = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  Object.assign(input, { isTTY });
  input.write(text);
  if (isEnded) input.end();
  return { prompt: promptOn({ input, output }), written: () => String(output.read() ?? '') };
}

test('each line of a pipe answers one question, the last also without its end', async () => {
  const { prompt, written } = promptWith('admin\r\nsecret one\nlast');
  expect(await prompt('Username: ')).toBe('admin');
  expect(await prompt('Password: ', { hidden: true })).toBe('secret one');
  expect(await prompt('More: ')).toBe('last');
  expect(written()).toBe('Username: \nPassword: \nMore: \n');
});

test('a pipe that stays open answers as soon as its line is complete', async () => {
  const { prompt } = promptWith('admin\n', { isEnded: false });
  expect(await prompt('Username: ')).toBe('admin');
});

const ended = { exitCode: 20, message: expect.stringMatching(/no answer to 'Username:': .*--help/) };

test.each([{ isTTY: false }, { isTTY: true }])(
  'an input that ends leaves no question open: %j',
  async (one) => {
    const { prompt } = promptWith('', one);
    await expect(prompt('Username: ')).rejects.toMatchObject(ended);
    await expect(prompt('Username: ')).rejects.toMatchObject(ended);
  },
);

test('on a terminal a password is not echoed, and Ctrl-C ends the command', async () => {
  const { prompt, written } = promptWith('secret\n', { isTTY: true, isEnded: false });
  expect(await prompt('Password: ', { hidden: true })).toBe('secret');
  expect(written()).toBe('Password: \n');
  const interrupted = promptWith('\u0003', { isTTY: true, isEnded: false });
  await expect(interrupted.prompt('Username: ')).rejects.toMatchObject({ exitCode: 130 });
});
