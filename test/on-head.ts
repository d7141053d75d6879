import type { ServerResponse } from 'node:http';

/**
 * Calls `record` with the status before the first byte of a response is sent. A test that has read the response finds its request
 * recorded; `finish` of Node may come after the client has everything.
 */
export function onHead(response: ServerResponse, record: (status: number) => void): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    ...rest: unknown[]
  ) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    record(status);
    return writeHead(status, ...rest);
  };
}
