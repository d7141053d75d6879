import type { KubeResponse } from '#kubernetes/client';

type Body = KubeResponse['body'];

/** The whole body as text. */
export async function readText(body: Body): Promise<string> {
  return new TextDecoder().decode(await readBytes(body));
}

export async function readBytes(body: Body): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** The lines of a watch as they come. */
export async function* readLines(body: Body): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  for await (const chunk of chunks) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest) yield rest;
}
