import { expect, test } from 'vitest';
import { eventLines } from './event-lines.ts';

async function linesOf(...chunks: string[]): Promise<string[]> {
  const source = async function* () {
    yield* chunks;
  };
  const lines: string[] = [];
  for await (const line of eventLines(source())) if (line) lines.push(line);
  return lines;
}

test('a message is found however it was cut on the way', async () => {
  expect(await linesOf('da', 'ta: {"a":', '1}\n\ndata: {"b"', ':2}\n', '\n')).toEqual(['{"a":1}', '{"b":2}']);
});

test('comments and other fields are no messages', async () => {
  expect(await linesOf(':\n\n', 'event: x\ndata: 1\r\n\n')).toEqual(['1']);
});

test('a last message without its end is still one', async () => {
  expect(await linesOf('data: {"error":{}}')).toEqual(['{"error":{}}']);
});
