/**
 * compat server §2.5: the payloads of server-sent events, one a line. Comments, which keep the connection
 * open, become empty lines: a heartbeat for the reader.
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
