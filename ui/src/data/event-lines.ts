/**
 * compat server §2.5: the payloads of server-sent events, one a line. Comments, which keep the connection open, come
 * out as empty lines: the reader learns that the server is there.
 */
export async function* eventLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.startsWith('data:') ? line.slice(5).trim() : '';
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim();
}
