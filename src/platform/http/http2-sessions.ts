import {
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';

export type AnswerHttp2 = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** What every connection of HTTP/2 begins with; of HTTP/1 only PATCH, POST and PUT share its first letter. */
const preface = 'PRI';
/** How long a connection may stay open without a stream. Clients open another when they need one. */
const idleMs = 120_000;
/** Streams of one connection at a time; a client waits with the next. */
const maxStreams = 100;

/**
 * Speaks HTTP/2 on connections that are handed to it. The library refuses floods of frames and of reset streams; here the number of
 * streams, the size of the headers and idle time are limited.
 */
export function createHttp2(answer: AnswerHttp2): Http2Server {
  const settings = { maxConcurrentStreams: maxStreams, maxHeaderListSize: 64 * 1024 };
  const server = createServer({ settings, maxSessionInvalidFrames: 100 }, answer);
  server.on('session', (session) => {
    let open = 0;
    session.on('stream', (stream) => {
      open += 1;
      stream.on('close', () => {
        open -= 1;
      });
    });
    session.setTimeout(idleMs, () => {
      if (open === 0) session.close();
    });
  });
  // a broken connection has ended by itself
  server.on('sessionError', () => {});
  return server;
}

/** Whether a connection speaks HTTP/2; undefined when its first bytes do not decide. */
export function beginsHttp2(first: Buffer): boolean | undefined {
  const given = first.subarray(0, preface.length).toString('latin1');
  if (given === preface) return true;
  return preface.startsWith(given) ? undefined : false;
}
